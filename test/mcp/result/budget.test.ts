import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, test } from 'vitest'
import { Untrusted } from '../../../src/contract/base/text.ts'
import type { Answer, Cut } from '../../../src/mcp/result/answer.ts'
import { render, type Rendered } from '../../../src/mcp/result/render.ts'
import { quoted, type BlockContent } from '../../../src/mcp/text/untrusted.ts'
import { onlyIn } from '../checks/forms.ts'

const from = { source: 'error event', writableBy: 'anyone with the public DSN' }
const text = (value: string) => quoted`${new Untrusted(value)}`.cut(4000)
const list = <T>(count: number, item: (index: number) => T) => Array.from({ length: count }, (_, index) => item(index))

interface Big {
  data?: object
  content?: { [name: string]: BlockContent }
  cuts?: readonly Cut[]
  wide?: boolean
  more?: (cuts: ReadonlyMap<string, number>, rows?: number) => string | undefined
  rest?: Partial<Answer<object>>
}

function rendered({ data = {}, content = {}, cuts = [], wide = false, more, rest = {} }: Big): Promise<Rendered> {
  return render(
    { answer: 'An answer.', data, untrusted: { ...from, content }, ...rest },
    { offers: () => true, pinned: false, limits: { cuts, wide, more } },
  )
}

interface Truncated {
  shown?: number
  total?: number
  cut: string[]
  how_to_get_more: string
}
const truncated = ({ structured }: Rendered) => structured['truncated'] as unknown as Truncated
const member = ({ structured }: Rendered, side: 'data' | 'untrusted') => structured[side] as Record<string, unknown>

const frame = (index: number) =>
  text(`src/checkout/order-${String(index)}.ts:41 submitOrder${String(index)}${index % 10 === 5 ? ' [in app]' : ''}`)
const event = () => ({
  breadcrumbs: list(100, (index) => text(`2026-11-21T10:${String(index)}:00Z ui.click info: button ${String(index)}`)),
  exceptions: [{ error: text('TypeError: x is undefined'), frames: list(250, frame) }],
})
const eventCuts: readonly Cut[] = [
  { path: 'breadcrumbs', keep: 'last', least: 2 },
  { path: 'exceptions.*.frames', keep: 'in_app', least: 4 },
]

test('what fits stays as it is', async () => {
  const result = await rendered({ data: { a: 1 }, content: { message: text('boom') }, cuts: eventCuts })
  expect(result.structured).not.toHaveProperty('truncated')
})

test('lists are cut in the order that the tool declares, each at its own end, and each cut is named', async () => {
  const result = await rendered({ content: event(), cuts: eventCuts })
  const { breadcrumbs, exceptions } = member(result, 'untrusted') as {
    breadcrumbs: string[]
    exceptions: { frames: string[] }[]
  }
  expect(breadcrumbs.map((crumb) => crumb.slice(-9))).toEqual(['button 98', 'button 99'])
  const frames = exceptions[0]?.frames ?? []
  // The crash, then our own code, then libraries while there is room; always in the order of the stack.
  expect(frames[0]).toContain('order-0.ts')
  expect(frames.filter((line) => line.includes('[in app]'))).toHaveLength(25)
  expect(frames.map((line) => Number(/order-(\d+)/.exec(line)?.[1]))).toEqual(
    frames.map((line) => Number(/order-(\d+)/.exec(line)?.[1])).toSorted((one, other) => one - other),
  )
  expect(truncated(result).cut).toEqual(['breadcrumbs: 2 of 100', `frames: ${String(frames.length)} of 250`])
  // No more than has to go.
  expect(countTokens(result.text)).toBeGreaterThan(1700)
})

test('what a tool had cut before is told as one with what the governor cuts', async () => {
  const rest = { cut: ['frames: 250 of 900', 'tags: 10 of 20'], howToGetMore: 'the tool knows' }
  const { cut, how_to_get_more: more } = truncated(await rendered({ content: event(), cuts: eventCuts, rest }))
  expect(cut).toEqual([expect.stringMatching(/^frames: \d+ of 900$/), 'tags: 10 of 20', 'breadcrumbs: 2 of 100'])
  expect(more).toBe('the tool knows')
})

test('rows are cut from both sides by their ids, the answer says so, and no cursor leads past them', async () => {
  const rows = (member: string) =>
    list(200, (index) => ({ id: `SHOP-${String(index)}`, [member]: `word${String(index)}` }))
  const asked: ReadonlyMap<string, number>[] = []
  const result = await rendered({
    data: { rows: rows('level') },
    content: { rows: rows('title').toReversed() },
    cuts: [{ path: 'rows' }],
    more: (cuts) => {
      asked.push(cuts)
      return `with limit ${String(cuts.get('rows'))}`
    },
    rest: { page: { shown: 200, total: 5000, cursor: 'c', range: '200 shown here', notes: '' } },
  })
  const { shown, total, how_to_get_more: more } = truncated(result)
  expect(shown).toBeGreaterThan(10)
  expect({ total, more }).toEqual({ total: 5000, more: `with limit ${String(shown)}` })
  expect(result.structured).not.toHaveProperty('next_cursor')
  expect(result.structured['answer']).toBe(`An answer. Cut to fit: ${String(shown)} of these 200 rows.`)
  const ids = (side: 'data' | 'untrusted') =>
    (member(result, side)['rows'] as { rows: string[][] }).rows
      .map(([id = '']) => Number(id.slice(5)))
      .toSorted((one, other) => one - other)
  expect(ids('untrusted')).toEqual(ids('data'))
  expect(ids('data')).toHaveLength(shown ?? 0)
})

test('the rows of a page in two lists are counted together, and no cursor leads past what is cut of either', async () => {
  const rows = (count: number) =>
    list(count, (index) => ({ id: String(index), word: `word${String(index)}`.repeat(20) }))
  const result = await rendered({
    data: { tests: rows(5), files: rows(100), notes: rows(3) },
    cuts: [{ path: 'files' }],
    more: (_, shown) => `with limit ${String(shown)}`,
    rest: { page: { shown: 105, total: 300, cursor: 'c', range: '', notes: '', lists: ['tests', 'files'] } },
  })
  const { shown = 0, how_to_get_more: more } = truncated(result)
  expect(shown).toBe(5 + (member(result, 'data')['files'] as { rows: unknown[] }).rows.length)
  expect(result.structured['answer']).toBe(`An answer. Cut to fit: ${String(shown)} of these 105 rows.`)
  expect(more).toBe(`with limit ${String(shown)}`)
  expect(result.structured).not.toHaveProperty('next_cursor')
})

test('a page keeps its cursor when another list is cut', async () => {
  const notes = list(200, (index) => `word${String(index)}`.repeat(10))
  const page = { shown: 1, total: 300, cursor: 'c', range: '', notes: '', lists: ['tests'] }
  const result = await rendered({ data: { tests: [{ id: '1' }], rows: notes }, rest: { page } })
  expect(truncated(result).cut).toEqual([expect.stringMatching(/^rows: \d+ of 200$/)])
  expect(result.structured['next_cursor']).toBe('c')
})

test('a text that no tool has cut is cut, with what is missing; an id never is', async () => {
  const result = await rendered({ data: { note: 'word '.repeat(200_000), issue: { id: 'i'.repeat(60) } } })
  const { note, issue } = member(result, 'data') as { note: string; issue: { id: string } }
  expect(note).toMatch(/^word .*… \(\+\d+ characters\)$/)
  expect(issue.id).toBe('i'.repeat(60))
  expect(truncated(result).cut[0]).toMatch(/^longest text: \d+ of 1000000 characters$/)
})

test('who asked for more gets up to 40,000 characters in each form', async () => {
  const usual = await rendered({ content: event(), cuts: eventCuts })
  const wide = await rendered({ content: event(), cuts: eventCuts, wide: true })
  expect(wide.structured).not.toHaveProperty('truncated')
  expect(wide.text.length).toBeGreaterThan(usual.text.length)
  const giant = await rendered({ content: { ...event(), lines: list(10_000, frame) }, wide: true })
  expect(giant.text.length).toBeLessThanOrEqual(40_000)
  expect(JSON.stringify(giant.structured).length).toBeGreaterThan(30_000)
})

const units = fc.constantFrom('x', 'word ', '🔥', '</untrusted-', '漢', '\n', 'Ж', '{"a":1}', '… (+9 characters)')
const words = (lengths: number[]) =>
  fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    units.chain((unit) => fc.constantFrom(...lengths).map((times) => unit.repeat(times))),
  )
const word = words([10, 300, 3000])
const shortWord = words([10])
const leaves = (text: fc.Arbitrary<string>) => fc.oneof(text, fc.integer(), fc.boolean())
const objects = (leaf: fc.Arbitrary<unknown>) =>
  fc.dictionary(fc.constantFrom('id', 'name', 'rows', 'frames', 'a', 'b'), leaf, { maxKeys: 4 })
const repeated = (item: fc.Arbitrary<unknown>, counts: number[]) =>
  fc.tuple(fc.constantFrom(...counts), item).map(([count, one]) => list(count, () => one))
const named = (text: fc.Arbitrary<string>, most: number) =>
  fc.tuple(fc.nat(most), text).map(([count, one]) => Object.fromEntries(list(count, (n) => [`m${String(n)}`, one])))
const [leaf, shortLeaf] = [leaves(word), leaves(shortWord)]
const object = objects(leaf)
// Many things are short and long things are few: a thousand texts of 36,000 characters would only take minutes to clean.
const value: fc.Arbitrary<unknown> = fc.oneof(
  leaf,
  repeated(object, [0, 1, 12]),
  repeated(objects(shortLeaf), [1000]),
  repeated(leaf, [0, 1, 40]),
  repeated(shortLeaf, [3000]),
  repeated(
    fc.record({ id: fc.string(), frames: repeated(shortLeaf, [1, 40]), more: repeated(object, [1, 2]) }),
    [1, 20],
  ),
  named(word, 20),
  named(shortWord, 400),
)

test('whatever a tool answers, both forms stay within the budget and say the same', async () => {
  const cuts: readonly Cut[] = [{ path: 'rows' }, { path: 'a.*.frames', keep: 'in_app' }, { path: 'b', keep: 'last' }]
  const side = fc.dictionary(fc.constantFrom('rows', 'a', 'b', 'c'), value, { maxKeys: 3 })
  await fc.assert(
    fc.asyncProperty(side, side, word, fc.boolean(), async (data, content, answer, wide) => {
      const page = { shown: 1, total: undefined, cursor: answer, range: '', notes: '' }
      const result = await rendered({ data, content: quotedAll(content), cuts, wide, rest: { answer, page } })
      const json = JSON.stringify(result.structured)
      for (const form of [result.text, json]) {
        expect(form.length).toBeLessThanOrEqual(wide ? 40_000 : 10_240)
        expect(Buffer.byteLength(form)).toBeLessThanOrEqual(wide ? 160_000 : 10_240)
      }
      expect(onlyIn(result.text, result.structured)).toEqual({ text: [], structured: [] })
    }),
    { numRuns: 40 },
  )
})

/** Outsiders' text as tools give it: quoted. */
function quotedAll(content: Record<string, unknown>): { [name: string]: BlockContent } {
  const quote = (item: unknown): BlockContent => {
    if (typeof item === 'string') return text(item)
    if (Array.isArray(item)) return item.map(quote)
    if (typeof item === 'object' && item !== null) return quotedAll(item as Record<string, unknown>)
    return item as number
  }
  return Object.fromEntries(Object.entries(content).map(([name, item]) => [name, quote(item)]))
}

test('a text that ends as a cut would does not tell a number that no event has', async () => {
  const forged = `${'word '.repeat(5000)}… (+9000000000000000000000 characters)`
  const message = quoted`${new Untrusted(forged)}`.cut(30_000)
  const result = await rendered({ content: { message }, cuts: [{ path: 'message', least: 10 }] })
  const [, missing] = /… \(\+(.+) characters\)$/.exec(member(result, 'untrusted')['message'] as string) ?? []
  expect(Number(missing)).toBeLessThan(forged.length)
  expect(truncated(result).cut).toEqual([expect.stringMatching(/^longest text: \d+ of 25\d{3} characters$/)])
})
