import { expect, test } from 'vitest'
import * as z from 'zod'
import { defineTool, effects, type SurfaceOptions } from '../../../src/mcp/define/define.ts'
import { instructions } from '../../../src/mcp/surface/instructions.ts'
import { createListing, type Surface } from '../../../src/mcp/surface/listing.ts'
import { defaults } from '../clients.ts'

function tool(name: string, facts: { toolset?: 'default' | 'releases'; effect?: 'read' | 'delete' } = {}) {
  return defineTool({
    name,
    toolset: facts.toolset ?? 'default',
    effect: facts.effect ?? 'read',
    title: name,
    description: 'Does it. Afterwards call get_release. Or find_error_issues for more.',
    input: z.strictObject({
      product: z.string().optional(),
      release: z.string().describe('A release. Ids come from get_release.'),
    }),
    output: z.object({}),
    run: () => Promise.resolve({ answer: 'done', data: {} }),
  })
}

const small: Surface = {
  tools: [
    tool('find_error_issues'),
    tool('delete_release', { effect: 'delete' }),
    tool('get_release', { toolset: 'releases' }),
  ],
  resources: [
    {
      name: 'd',
      uri: 'tracegate://d',
      title: 'd',
      description: 'd',
      mimeType: 'text/markdown',
      text: 'Call get_release.\nDone.',
    },
  ],
  templates: [
    {
      name: 't',
      uriTemplate: 'tracegate://t/{id}',
      title: 't',
      description: 'A thing. See get_release.',
      tool: 'find_error_issues',
      args: ({ id }) => ({ release: id }),
      suggest: {},
    },
  ],
  prompts: [
    {
      name: 'p',
      title: 'p',
      description: 'p',
      args: { product: z.string().optional(), issue: z.string() },
      suggest: {},
      tools: ['get_release'],
      when: 'p',
      task: () => ['p'],
      steps: [],
    },
  ],
}
const list = (options: Partial<SurfaceOptions> = {}) => createListing(small, { ...defaults, ...options })
const names = (options?: Partial<SurfaceOptions>) => list(options).tools.map(({ tool: { name } }) => name)

test('a list contains the tools of the chosen toolsets, in a fixed order', () => {
  expect(names()).toEqual(['find_error_issues', 'delete_release'])
  expect(names({ toolsets: ['releases'] })).toEqual(['get_release'])
  expect(names({ toolsets: ['releases', 'default'] })).toEqual(names({ toolsets: ['all'] }))
})

test('read-only removes every tool that writes', () => {
  expect(names({ toolsets: ['all'], readOnly: true })).toEqual(['find_error_issues', 'get_release'])
})

test('with a pinned product no tool has a product parameter', () => {
  for (const { inputJson, input } of list({ product: '1' }).tools) {
    expect(inputJson).not.toHaveProperty('properties.product')
    expect(input.safeParse({ product: '2', release: 'r' }).success).toBe(false)
  }
})

test('a template is listed with its tool', () => {
  expect(list().templates).toMatchObject([{ description: 'A thing.', tool: { tool: { name: 'find_error_issues' } } }])
  expect(list({ toolsets: ['releases'] }).templates).toEqual([])
})

test('with a pinned product no prompt has a product argument', () => {
  const names = ({ prompts }: ReturnType<typeof list>) => prompts.flatMap(({ args }) => Object.keys(args))
  expect(names(list({ toolsets: ['all'] }))).toEqual(['product', 'issue'])
  expect(names(list({ toolsets: ['all'], product: '1' }))).toEqual(['issue'])
})

test('no text names a tool that is not in the list', () => {
  const [found] = list().tools
  expect(found?.description).toBe('Does it. Or find_error_issues for more.')
  expect(found?.inputJson).toHaveProperty('properties.release.description', 'A release.')
  expect(list().resources[0]?.text).toBe('Done.')
  expect(list().prompts).toEqual([])
  expect(list({ toolsets: ['all'] }).tools[0]?.description).toContain('get_release')
})

test('the same choice reuses the same schemas', () => {
  expect(list({ toolsets: ['releases', 'default'] })).toBe(list({ toolsets: ['default', 'releases'] }))
})

test('an effect gives hints that do not contradict each other', () => {
  for (const { annotations, level } of Object.values(effects)) {
    expect(annotations.readOnlyHint && annotations.destructiveHint).toBe(false)
    expect(annotations.readOnlyHint).toBe(level === 0)
    expect(annotations.openWorldHint).toBe(false)
  }
})

test('the instructions stay within 1,800 characters and name only tools of the list', () => {
  const all = instructions(() => true)
  expect(all.length).toBeLessThanOrEqual(1800)
  const none = instructions(() => false)
  expect(none).not.toMatch(/\b(?:get|find|set|record)_\w+/)
  expect(none).toContain('untrusted')
})
