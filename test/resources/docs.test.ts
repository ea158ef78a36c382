import { expect, test } from 'vitest'
import { createListing } from '../../src/mcp/surface/listing.ts'
import { surface } from '../../src/surface.ts'
import { defaults } from '../mcp/clients.ts'

test.each(surface.resources.map((resource) => [resource.uri, resource] as const))(
  '%s is a short page',
  (uri, { text }) => {
    expect(uri).toMatch(/^tracegate:\/\/docs\/[a-z]+$/)
    expect(text).toMatch(/^# /)
    expect(text.length).toBeLessThan(4500)
  },
)

test('the pages name every tool of the list and none that is absent', () => {
  const { resources, tools, offers } = createListing(surface, defaults)
  const text = resources.map((resource) => resource.text).join('\n')
  for (const { tool } of tools) expect(text).toContain(tool.name)
  const named = [...text.matchAll(/`((?:get|find|set|record|review)_[a-z_]+)`/g)].map(([, name = '']) => name)
  expect(named.filter((name) => !offers(name))).toEqual([])
})

const choices = [
  {},
  { readOnly: true },
  { toolsets: ['all'] },
  { toolsets: ['all'], local: true },
  { toolsets: ['all'], readOnly: true },
  { toolsets: ['requirements'], readOnly: true },
] as const

test.each(choices)('with %j the steps of each workflow are numbered as they are shown, below a heading', (choice) => {
  const { resources } = createListing(surface, { ...defaults, ...choice })
  for (const { text } of resources) {
    const [, ...sections] = text.split(/^(?=## )/m)
    for (const section of sections) {
      const numbers = [...section.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number))
      expect(numbers).toEqual(numbers.map((_, index) => index + 1))
      expect(section.split('\n').slice(1).join('').trim()).not.toBe('')
    }
    expect(text.split('## ')[0]).not.toMatch(/^\d+\. /m)
  }
})

test('a workflow of which no step is left is left out whole', () => {
  const { resources } = createListing(surface, { ...defaults, readOnly: true })
  const workflows = resources.find(({ uri }) => uri.endsWith('/workflows'))?.text
  expect(workflows).toContain('## Triage errors')
  expect(workflows).not.toContain('Write down what the product must do')
  expect(workflows).not.toContain('"dry_run":true} checks the wording')
})
