import { expect, test } from 'vitest'
import { createListing } from '../../src/mcp/surface/listing.ts'
import { surface } from '../../src/surface.ts'
import { defaults } from '../mcp/clients.ts'

test.each(surface.resources.map((resource) => [resource.uri, resource] as const))(
  '%s is a short page',
  (uri, { text }) => {
    expect(uri).toMatch(/^tracegate:\/\/docs\/[a-z]+$/)
    expect(text).toMatch(/^# /)
    expect(text.length).toBeLessThan(4000)
  },
)

test('the pages name every tool of the list and none that is absent', () => {
  const { resources, tools, offers } = createListing(surface, defaults)
  const text = resources.map((resource) => resource.text).join('\n')
  for (const { tool } of tools) expect(text).toContain(tool.name)
  const named = [...text.matchAll(/`((?:get|find|set|record|review)_[a-z_]+)`/g)].map(([, name = '']) => name)
  expect(named.filter((name) => !offers(name))).toEqual([])
})
