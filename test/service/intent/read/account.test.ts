import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readIntent } from '../../../../src/service/intent/read/index.ts'
import type { Reading, SourceDocument } from '../../../../src/service/intent/types.ts'
import { options, read } from './reading.ts'

const words = fc.constantFrom(
  'The system shall save.',
  'The cart must keep items and must warn.',
  'As a user, I want to pay, so that it ships.',
  'Acceptance criteria:',
  'The export must contain:',
  'Should we keep it?',
  'Ana: Decision: drop support for XML.',
  '~~The app must fax.~~',
  'Given a',
  'When b',
  'Then c',
  'And **d** `e` [f](g)',
  'REQ-4 is no longer needed.',
  'x'.repeat(20_001),
  'the end',
)
const marks = fc.constantFrom(
  '',
  '',
  '',
  '- ',
  '  - ',
  '    ',
  '1. ',
  '> ',
  '# ',
  '## Requirements\n',
  '```',
  '```gherkin\n',
  '| a | b |\n|---|---|\n',
  '---\n',
  '<div>',
  '[a]: b\n',
  '\t',
  '***',
  'From: ',
  'Subject: ',
  '-- \n',
  '- [ ] ',
  '===\n',
  '\n',
  '\r\n',
  '\r',
)
const gherkin = fc.constantFrom(
  'Feature: A',
  '  Rule: B',
  '  Background:',
  '  @REQ-1 @x',
  '  @a b',
  '  Scenario: C',
  '  Scenario Outline: D',
  '    Examples: E',
  '    Given a',
  '    When b',
  '    Then c',
  '    * d',
  '      | a | b |',
  '      | c |',
  '      """',
  '# language: de',
  '# note',
  'prose',
  '',
)
const prose = fc
  .array(fc.tuple(marks, words), { maxLength: 25 })
  .map((lines) => lines.map((line) => line.join('')).join('\n'))
const feature = fc.array(gherkin, { maxLength: 40 }).map((lines) => lines.join('\n'))
const mediaTypes = fc.constantFrom('text/markdown', 'text/plain', 'text/x-gherkin', undefined)
const documents = fc.array(
  fc.record({
    name: fc.constantFrom('a', 'a.md', 'a.feature'),
    content: fc.oneof(prose, feature),
    uri: fc.constant(''),
    mediaType: mediaTypes,
  }),
  { maxLength: 3 },
)

/** The lines with text that the document has, and those that the reading accounts for, in its order. */
function accounts({ lines }: Reading, sources: readonly SourceDocument[]): { expected: string[]; found: string[] } {
  const expected = sources.flatMap(({ content }, document) =>
    content
      .split(/\r\n|\r|\n/)
      .flatMap((line, index) => (line.trim() === '' ? [] : [`${String(document)}:${String(index + 1)}`])),
  )
  const found = lines.flatMap(({ document, lineStart, lineEnd }) =>
    Array.from({ length: lineEnd - lineStart + 1 }, (_, index) => `${String(document)}:${String(lineStart + index)}`),
  )
  return { expected, found }
}

test('every line with text has exactly one use, in every document', async () => {
  await fc.assert(
    fc.asyncProperty(documents, fc.integer({ min: 1, max: 5 }), async (sources, maxRequirements) => {
      const reading = await readIntent(sources, { ...options, maxRequirements }, () => Promise.resolve())
      const { expected, found } = accounts(reading, sources)
      expect(found).toEqual(expected)
      for (const { use, ordinal, reason } of reading.lines) {
        expect(ordinal > 0).toBe(use === 'proposal' || use === 'criterion')
        expect(reason !== '').toBe(use === 'skipped')
      }
    }),
    { numRuns: 1000 },
  )
})

test('every candidate has its lines, a title that fits and a quote from its source', async () => {
  const plain = (text: string) => text.replace(/\s+/g, ' ').trim()
  await fc.assert(
    fc.asyncProperty(documents, async (sources) => {
      const { candidates, lines } = await readIntent(sources, options, () => Promise.resolve())
      expect(candidates.map(({ ordinal }) => ordinal)).toEqual(candidates.map((_, index) => index + 1))
      for (const { title, source, confidence } of candidates) {
        const content = sources[source.document]?.content.split(/\r\n|\r|\n/) ?? []
        expect(title.length > 0 && title.length <= 120).toBe(true)
        expect(confidence).toBeGreaterThanOrEqual(options.minConfidence)
        for (const line of source.quote.split('\n')) expect(plain(content.join('\n'))).toContain(plain(line))
        const covering = lines.find(
          ({ document, lineStart, lineEnd }) =>
            document === source.document && lineStart <= source.lineStart && source.lineStart <= lineEnd,
        )
        expect(covering?.use).toBe('proposal')
      }
    }),
    { numRuns: 500 },
  )
})

test('the same documents give the same bytes', async () => {
  await fc.assert(
    fc.asyncProperty(documents, async (sources) => {
      const once = await readIntent(sources, options, () => Promise.resolve())
      const again = await readIntent(sources, options, () => Promise.resolve())
      expect(JSON.stringify(again)).toBe(JSON.stringify(once))
    }),
    { numRuns: 50 },
  )
})

test('a document of 2 MB is read to its end, with turns for others', async () => {
  const background = `Background of ${'carts, customers and '.repeat(30)}orders. `
  const content = '# Requirements\n\n' + `${background}The cart must keep items.\n\n`.repeat(3_000)
  let pauses = 0
  const reading = await readIntent([{ name: 'large.md', content, uri: '', mediaType: undefined }], options, () => {
    pauses += 1
    return Promise.resolve()
  })
  expect(reading.candidates).toHaveLength(200)
  expect(reading.cuts).toEqual([{ what: 'requirements', kept: 200, total: 3_000 }])
  expect(reading.lines.at(-1)).toMatchObject({ lineEnd: 6_001, use: 'skipped', reason: 'LIMIT' })
  expect(pauses).toBeGreaterThan(100)
})

test('a line or a sentence that no person wrote is skipped', async () => {
  const line = await read('The system must save. '.repeat(100_000))
  expect(line.lines).toEqual([
    { document: 0, lineStart: 1, lineEnd: 1, use: 'skipped', ordinal: 0, reason: 'TOO_LONG' },
  ])
  const sentence = await read(`The system must ${'save and '.repeat(300)}load.`)
  expect(sentence.lines.map(({ reason }) => reason)).toEqual(['TOO_LONG'])
})
