import { expect, test } from 'vitest'
import { createListing } from '../../../src/mcp/surface/listing.ts'
import { reachedBy } from '../../../src/mcp/surface/reached.ts'
import { surface } from '../../../src/surface.ts'
import { defaults } from '../clients.ts'

const listing = createListing(surface, { ...defaults, toolsets: ['all'] })

test('a call reaches the tool that it names, and nothing else', () => {
  const reached = reachedBy({ method: 'tools/call', params: { name: 'find_error_issues' } }, listing)
  expect(reached.tools.map(({ tool }) => tool.name)).toEqual(['find_error_issues'])
  expect([reached.resources, reached.templates, reached.prompts, reached.views].flat()).toEqual([])
  expect(reached.isAll).toBe(false)
})

test.each([{ name: 'no_such_tool' }, { name: 7 }, {}, undefined, ['find_error_issues']])(
  'a call without the name of a listed tool reaches none: %j',
  (params) => expect(reachedBy({ method: 'tools/call', params }, listing).tools).toEqual([]),
)

test('a list reaches all tools, a prompt itself, an address every document and template', () => {
  expect(reachedBy({ method: 'tools/list' }, listing).tools).toEqual(listing.tools)
  const [prompt] = listing.prompts
  expect(reachedBy({ method: 'prompts/get', params: { name: prompt?.name } }, listing).prompts).toEqual([prompt])
  const { resources, templates, views } = reachedBy({ method: 'resources/read', params: { uri: 'x:y' } }, listing)
  expect({ resources, templates, views }).toEqual({
    resources: listing.resources,
    templates: listing.templates,
    views: listing.views,
  })
})

test.each(['server/discover', 'completion/complete', 'prompts/list', 'resources/list', 'anything'])(
  'any other request reaches everything: %s',
  (method) => expect(reachedBy({ method }, listing)).toMatchObject({ isAll: true, tools: listing.tools }),
)
