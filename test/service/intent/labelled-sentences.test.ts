import { expect, test } from 'vitest'
import { readIntent } from '../../../src/service/intent/read/index.ts'
import type { Candidate, SourceDocument } from '../../../src/service/intent/types.ts'
import { figures, pairs, percentage, sentences, sources, type LabelledSentence } from './labelled-data.ts'

const options = { minConfidence: 0.5, maxRequirements: 10_000, includeInformative: false, defaultPriority: undefined }

/** Each sentence is a document of its own: nothing around it helps or misleads. */
function createDocument({ text, heading, media_type }: LabelledSentence, index: number): SourceDocument {
  const content = heading === undefined ? text : `## ${heading}\n\n- ${text}`
  return { name: `sentence ${String(index)}`, content, uri: '', mediaType: media_type ?? 'text/markdown' }
}

/** The first requirement that the reader finds in each sentence. */
async function readSentences(): Promise<readonly (LabelledSentence & { found: Candidate | undefined })[]> {
  const { candidates } = await readIntent(sentences.map(createDocument), options, () => Promise.resolve())
  const first = Map.groupBy(candidates, ({ source }) => source.document)
  return sentences.map((sentence, index) => ({ ...sentence, found: first.get(index)?.[0] }))
}

type Read = Awaited<ReturnType<typeof readSentences>>[number]

const told = ({ label, found }: Read) => label.requirement === (found !== undefined)
const patternRight = ({ label, found }: Read) => found !== undefined && label.pattern.includes(found.pattern)
const modalityRight = ({ label, found }: Read) =>
  found !== undefined && (label.modality.length === 0 || label.modality.includes(found.modality))

/** Misses as lines of text, those of the held-out third only counted. */
function listMisses(read: readonly Read[], right: (item: Read) => boolean): string[] {
  return read
    .filter((item) => !right(item))
    .map(({ text, held_out, found }) =>
      held_out ? 'held out' : `${found?.pattern ?? 'none'} ${found?.modality ?? ''}: ${text}`,
    )
    .slice(0, 20)
}

test('sentences of public specifications are told from background, with pattern and modality', async () => {
  const read = await readSentences()
  const both = read.filter(({ label, found }) => label.requirement && found !== undefined)
  const right = (item: Read) => patternRight(item) && modalityRight(item)
  console.log(
    `distillation: requirement or not ${figures(read, told)}; ` +
      `pattern ${figures(both, patternRight)}; modality ${figures(both, modalityRight)}`,
  )
  expect(percentage(read, told) >= 90 ? [] : listMisses(read, told)).toEqual([])
  expect(percentage(both, right) >= 95 ? [] : listMisses(both, right)).toEqual([])
})

test('each statement of the labelled pairs is read as one demand', async () => {
  const all = [...pairs.same, ...pairs.related, ...pairs.differ].flatMap(({ a, b }) => [a, b])
  const documents = [...new Set(all)].map((content) => ({ name: content, content, uri: '', mediaType: undefined }))
  const { candidates } = await readIntent(documents, options, () => Promise.resolve())
  const count = Map.groupBy(candidates, ({ source }) => source.document)
  const missed = documents.filter((_, index) => count.get(index)?.length !== 1)
  console.log(
    `distillation: ${String(missed.length)} of ${String(documents.length)} product statements are not one demand`,
  )
  expect(missed.length <= documents.length / 50 ? [] : missed.map(({ content }) => content).slice(0, 20)).toEqual([])
})

test('every labelled sentence names its source, and several right answers are explained', () => {
  expect(sentences.length).toBeGreaterThanOrEqual(300)
  expect(sentences.filter(({ source }) => !(source in sources))).toEqual([])
  const open = sentences.filter(({ label, note }) => label.pattern.length + label.modality.length > 2 && !note)
  expect(open).toEqual([])
  expect(new Set(sentences.map(({ text }) => text)).size).toBe(sentences.length)
})
