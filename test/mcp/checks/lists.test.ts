import { describe, expect, test } from 'vitest'
import { toolTokens } from '../../../src/dev/surface.ts'
import { toolsets } from '../../../src/config-variables.ts'
import type { SurfaceOptions } from '../../../src/mcp/define/define.ts'
import { promptText } from '../../../src/mcp/surface/prompt-text.ts'
import { skillDocuments } from '../../../src/mcp/skills/documents.ts'
import { instructions } from '../../../src/mcp/surface/instructions.ts'
import { createListing, type Listing } from '../../../src/mcp/surface/listing.ts'
import { documentOffered, sentencesOffered } from '../../../src/mcp/surface/naming.ts'
import { leanJson } from '../../../src/mcp/surface/schema.ts'
import { isSelfNamed, words } from '../../../src/mcp/define/parameters.ts'
import { surface } from '../../../src/surface.ts'
import { defaults } from '../clients.ts'

const list = (options: Partial<SurfaceOptions> = {}) => createListing(surface, { ...defaults, ...options })
const everything = list({ toolsets: ['all'], local: true })
const countListTokens = ({ tools }: Listing) => tools.reduce((sum, tool) => sum + toolTokens(tool), 0)

/** Tools whose description is longer than wanted, each with the reason. */
const LONG_DESCRIPTIONS: Readonly<Record<string, string>> = {}
/** What get_workspace_context lists: a parameter for one of these need not say where its ids come from. */
const IN_CONTEXT = ['product', 'workspace', 'environment', 'release', 'component', 'branch', 'config']

/** All that a model needs to fill in a parameter. */
const PUBLISHED = ['type', 'description', 'enum', 'items', 'properties', 'required']

type Schema = {
  type?: string
  description?: string
  enum?: unknown[]
  minimum?: number
  maximum?: number
  items?: Schema
  properties?: Record<string, Schema>
  additionalProperties?: unknown
}

describe('budgets (mcp §2)', () => {
  test('the default list costs at most 2,800 tokens, every toolset at most 6,000', () => {
    const [standard, all] = [countListTokens(list()), countListTokens(everything)]
    console.log(`tokens: default list ${String(standard)} of 2800, every toolset ${String(all)} of 6000`)
    expect(standard).toBeLessThanOrEqual(2800)
    expect(all).toBeLessThanOrEqual(6000)
  })

  test('instructions have at most 1,800 characters, whatever is in the list', () => {
    for (const listing of [list(), everything, list({ readOnly: true })]) {
      expect(instructions(listing.offers).length).toBeLessThanOrEqual(1800)
    }
    expect(instructions(() => true).length).toBeLessThanOrEqual(1800)
  })

  test.each(everything.tools)('$tool.name costs at most 400 tokens and is described in 350 characters', (listed) => {
    expect(toolTokens(listed)).toBeLessThanOrEqual(400)
    // With every tool it could ever name, not only with those that are there.
    const { name, description } = listed.tool
    expect(description.length).toBeLessThanOrEqual(name in LONG_DESCRIPTIONS ? 2048 : 350)
  })
})

describe.each(everything.tools)('$tool.name', ({ tool, inputJson, description }) => {
  const schema = inputJson as Schema
  const parameters = Object.entries(schema.properties ?? {})

  test('has a verb and a noun for a name, by which other texts can leave it out', () => {
    expect(tool.name).toMatch(/^[a-z]+(?:_[a-z]+)+$/)
    expect(tool.name.length).toBeLessThanOrEqual(40)
    expect(sentencesOffered(`It is ${tool.name}.`, () => false)).toBe('')
    expect(documentOffered(`It is ${tool.name}.`, () => false)).toBe('')
  })

  test('reads only when its name says so', () => {
    expect(/^(?:get|find|list|review)_/.test(tool.name)).toBe(
      tool.effect === 'read' && !/^(?:compute|verify|distill)_/.test(tool.name),
    )
  })

  test('is described in sentences, the first of which can stand alone', () => {
    expect(tool.title).toMatch(/^[A-Z][^.]{3,60}$/)
    expect(description).toMatch(/^[A-Z][^]*\.$/)
    expect(description.split(/[.:;?] /)[0]?.split(' ').length).toBeGreaterThan(2)
  })

  test('publishes a strict and flat schema without unions, references and constants', () => {
    expect(schema).toMatchObject({ type: 'object', additionalProperties: false })
    expect(JSON.stringify(schema)).not.toMatch(
      /"(?:anyOf|oneOf|allOf|not|\$ref|\$defs|const|\$schema|patternProperties)":/,
    )
    const nested = parameters.flatMap(([name, parameter]) => {
      const inner = parameter.items ?? parameter
      const depth = Object.values(inner.properties ?? {}).filter(
        ({ properties, items }) => properties ?? items?.properties,
      )
      return parameter.type === 'object' || depth.length > 0 ? [name] : []
    })
    expect(nested).toEqual([])
  })

  test('has parameters of one type each, described, whole numbers between bounds', () => {
    const { properties = {} } = leanJson(tool.input, 'input') as Schema
    const wrong = Object.entries(properties).flatMap(([name, parameter]) => schemaProblems(name, parameter))
    expect(wrong).toEqual([])
  })

  test('publishes no limits and defaults, and no description that says what the name says', () => {
    const left = parameters.flatMap(([, parameter]) => withInner(parameter).flatMap((one) => Object.keys(one)))
    expect(left.filter((key) => !PUBLISHED.includes(key))).toEqual([])
    const silent = parameters.filter(([, { description: said }]) => said === undefined).map(([name]) => name)
    expect(silent).toEqual(Object.keys(tool.input.shape).filter((name) => isSelfNamed(tool.input.shape[name])))
  })

  test('says of each id where it comes from', () => {
    const silent = parameters.filter(([name, { description: said = '' }]) => {
      const thing = words.get(name)?.thing
      if (thing === undefined || IN_CONTEXT.includes(thing)) return false
      return !everything.tools.some((other) => said.includes(other.tool.name))
    })
    expect(silent.map(([name]) => name)).toEqual([])
  })
})

function withInner(schema: Schema): Schema[] {
  const inner = [...(schema.items === undefined ? [] : [schema.items]), ...Object.values(schema.properties ?? {})]
  return [schema, ...inner.flatMap(withInner)]
}

function schemaProblems(name: string, parameter: Schema): string[] {
  const { type, description = '', items } = parameter
  return [
    ...(description.trim() === '' ? [`${name} is not described`] : []),
    ...(/[.…]$/.test(description) ? [] : [`${name} is not described in a sentence`]),
    ...(['string', 'integer', 'boolean', 'array'].includes(type ?? '') ? [] : [`${name} is of type ${String(type)}`]),
    ...(type === 'integer' && (parameter.minimum === undefined || parameter.maximum === undefined)
      ? [`${name} has no bounds`]
      : []),
    ...(type === 'array' && items?.type === undefined ? [`${name} has items of no type`] : []),
    ...Object.entries(items?.properties ?? {}).flatMap(([inner, schema]) => schemaProblems(`${name}.${inner}`, schema)),
  ]
}

test('what get_workspace_context lists it says in its description', () => {
  const description = surface.tools.find(({ name }) => name === 'get_workspace_context')?.description
  const named = words.keys().filter((name) => IN_CONTEXT.includes(words.get(name)?.thing ?? ''))
  const used = [...named].filter((name) => surface.tools.some(({ input }) => name in input.shape))
  for (const name of used) expect(description).toContain(name === 'branch' ? 'branches' : `${name}s`)
})

test.each([
  ...toolsets.map((toolset): Partial<SurfaceOptions> => ({ toolsets: [toolset] })),
  { toolsets: ['all'], local: true },
  { toolsets: ['all'], readOnly: true },
  { toolsets: ['default'], product: '1' },
])('the list of %j names no tool that is not there', (options) => {
  const listing = list(options)
  const said = [
    instructions(listing.offers),
    ...listing.tools.flatMap(({ description, inputJson }) => [description, JSON.stringify(inputJson, withoutValues)]),
    ...listing.resources.map(({ text }) => text),
    ...listing.templates.map(({ description }) => description),
    ...listing.prompts.map((prompt) =>
      promptText(prompt, Object.fromEntries(Object.keys(prompt.args).map((name) => [name, 'x'])), listing.offers),
    ),
    ...skillDocuments(listing).map(({ text }) => text),
  ].join('\n')
  const named = new Set(said.match(/\w+/g))
  const missing = surface.tools.map(({ name }) => name).filter((name) => !listing.offers(name) && named.has(name))
  expect(missing).toEqual([])
  // Nor one that nobody has built: anything with a tool's verb would be left out.
  const lines = said.split('\n').map((line) => line.replace(/^\d+\. /, ''))
  expect(lines.filter((line) => documentOffered(line, listing.offers) !== line)).toEqual([])
})

test('a paragraph loses the whole sentence that names an absent tool, whichever line it is on', () => {
  const text = 'A name is text. A member gives it\nwith record_release or an upload. What nobody\ngave stays out.'
  expect(documentOffered(text, () => false)).toBe('A name is text. What nobody\ngave stays out.')
  expect(documentOffered(text, () => true)).toBe(text)
  const whole = new Set(surface.resources.flatMap((resource) => sentences(resource.text)))
  const shown = list({ toolsets: ['default'] }).resources.flatMap((resource) => sentences(resource.text))
  expect(shown.filter((sentence) => !whole.has(sentence))).toEqual([])
})

function sentences(text: string): string[] {
  const paragraphs = text.split(/\n{2,}/).filter((paragraph) => /^[A-Z]/.test(paragraph))
  return paragraphs.flatMap((paragraph) => paragraph.replaceAll(/\s+/g, ' ').split(/(?<=[.:;]) (?=[A-Z])/))
}

/** A value such as an onboarding step may be called like a tool. */
function withoutValues(key: string, member: unknown): unknown {
  return key === 'enum' ? undefined : member
}
