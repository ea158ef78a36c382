import { expect, test } from 'vitest'
import { compareStatements } from '../../../src/service/intent/match/index.ts'
import { figures, pairs, percentage } from './labelled-data.ts'

interface Pair {
  a: string
  b: string
}

const compare = ({ a, b }: Pair) =>
  compareStatements({ title: a.slice(0, 120), statement: a }, { title: b.slice(0, 120), statement: b })

const duplicate = (pair: Pair) => compare(pair).verdict === 'duplicate'
const swap = ({ a, b }: Pair): Pair => ({ a: b, b: a })

/** Pairs as lines of text with what was found in them; at most 20, those of the held-out third only counted. */
function list(some: readonly (Pair & { held_out: boolean })[]): string[] {
  return some.slice(0, 20).map((pair) => {
    const { verdict, similarity, differences } = compare(pair)
    const found = `${verdict} ${similarity.toFixed(2)} ${differences.join('; ')}`
    return pair.held_out ? 'held out' : `${found}: ${pair.a} | ${pair.b}`
  })
}

test('the same demand in other words is a duplicate, for eight of ten pairs', () => {
  const rewordings = ['light', 'medium', 'heavy'] as const
  const each = rewordings.map(
    (rewording) =>
      `${rewording} ${figures(
        pairs.same.filter((pair) => pair.rewording === rewording),
        duplicate,
      )}`,
  )
  console.log(`paraphrases found: ${figures(pairs.same, duplicate)}; ${each.join('; ')}`)
  const missed = pairs.same.filter((pair) => !duplicate(pair))
  expect(percentage(pairs.same, duplicate) >= 80 ? [] : list(missed)).toEqual([])
})

test('pairs that differ in a number, a unit, a negation or a modality, or only share a subject, are no duplicates', () => {
  expect(list(pairs.differ.filter((pair) => duplicate(pair) || duplicate(swap(pair))))).toEqual([])
  expect(list(pairs.related.filter((pair) => duplicate(pair) || duplicate(swap(pair))))).toEqual([])
})
