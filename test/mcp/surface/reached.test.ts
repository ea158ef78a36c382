import { expect, test } from 'vitest'
import { createListing } from '../../../src/mcp/surface/listing.ts'
import { reachedBy } from '../../../src/mcp/surface/reached.ts'
import { surface } from '../../../src/surface.ts'
import { defaults } from '../clients.ts'

const listing = createListing(surface, { ...defaults, toolsets: ['all'] })

test.each([
  ['tools/call', { toolCalls: true, toolList: false }],
  ['tools/list', { toolCalls: false, toolList: true }],
])('%s reaches what answers it, and nothing else', (method, expected) => {
  const reached = reachedBy({ method, params: { name: 'find_error_issues' } }, listing)
  expect(reached).toMatchObject({ ...expected, isAll: false })
  expect([reached.resources, reached.templates, reached.prompts, reached.views].flat()).toEqual([])
})

test('a prompt reaches itself, an address every document and template', () => {
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
  'any other request reaches everything but calls: %s',
  (method) =>
    expect(reachedBy({ method }, listing)).toMatchObject({
      isAll: true,
      toolList: true,
      toolCalls: false,
      prompts: listing.prompts,
    }),
)
