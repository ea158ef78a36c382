import { expect, test } from 'vitest'
import { createListing } from '../../../src/mcp/surface/listing.ts'
import { surface } from '../../../src/surface.ts'
import { defaults } from '../clients.ts'
import { bm25 } from './bm25.ts'
import { distractors } from './distractors.ts'
import { examples } from '../../tools/examples.ts'

test('what users say finds the right tool among other servers’ tools, in the first three for nine of ten', () => {
  const ours = createListing(surface, { ...defaults, toolsets: ['all'], local: true }).tools
  const documents = [...ours.map(({ tool, description }) => ({ name: tool.name, description })), ...distractors]
  const search = bm25(documents.map(({ name, description }) => ({ name, text: `${name} ${description}` })))
  const asked = [...examples].flatMap(([tool, { phrasings }]) => phrasings.map((phrase) => ({ tool, phrase })))
  const places = asked.map(({ tool, phrase }) => ({ phrase, tool, place: search(phrase).indexOf(tool) }))
  const within = (count: number) => places.filter(({ place }) => place >= 0 && place < count).length / places.length
  const percent = (share: number) => `${String(Math.round(share * 1000) / 10)} %`
  console.log(
    `tool retrieval: ${String(asked.length)} phrasings, ${String(documents.length)} tools; ` +
      `first ${percent(within(1))}, first three ${percent(within(3))}`,
  )
  const missed = places.filter(({ place }) => place < 0 || place > 2)
  expect(missed.length <= asked.length / 10 ? [] : missed).toEqual([])
})

test('every tool of the list has phrasings that should find it', () => {
  const silent = surface.tools.filter(({ name }) => (examples.get(name)?.phrasings ?? []).length < 10)
  expect(silent.map(({ name }) => name)).toEqual([])
  expect(distractors.length).toBeGreaterThanOrEqual(60)
})
