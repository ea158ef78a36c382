import fc from 'fast-check'
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

type Phrasing = (modal: string, quantity: string) => string

const time = ['milliseconds', 'seconds', 'minutes', 'hours', 'days', 'weeks', 'months', 'years']

/** Two ways to say each demand, with the units in which its quantity can be stated. */
const demands: { units: string[]; phrasings: [Phrasing, Phrasing] }[] = [
  {
    units: time,
    phrasings: [
      (modal, quantity) => `The session ${modal} expire after ${quantity} of inactivity.`,
      (modal, quantity) => `After ${quantity} of inactivity, the session ${modal} expire.`,
    ],
  },
  {
    units: time,
    phrasings: [
      (modal, quantity) => `When a payment fails, the billing service ${modal} try again after ${quantity}.`,
      (modal, quantity) => `The billing service ${modal} try again after ${quantity} when a payment fails.`,
    ],
  },
  {
    units: ['KB', 'MB', 'GB', 'TB', 'KiB', 'MiB', 'GiB', 'bytes'],
    phrasings: [
      (modal, quantity) => `The upload ${modal} accept files of up to ${quantity}.`,
      (modal, quantity) => `Files of up to ${quantity} ${modal} be accepted by the upload.`,
    ],
  },
  {
    units: ['°C', '°F', 'K'],
    phrasings: [
      (modal, quantity) => `If the temperature exceeds ${quantity}, the controller ${modal} stop the pump.`,
      (modal, quantity) => `The controller ${modal} stop the pump if the temperature exceeds ${quantity}.`,
    ],
  },
  {
    units: ['euros', 'dollars', 'pounds'],
    phrasings: [
      (modal, quantity) => `The shop ${modal} ship orders above ${quantity} free of charge.`,
      (modal, quantity) => `Orders above ${quantity} ${modal} be shipped free of charge by the shop.`,
    ],
  },
  {
    units: ['rows', 'pages', 'files', 'columns'],
    phrasings: [
      (modal, quantity) => `The monthly report ${modal} contain at most ${quantity}.`,
      (modal, quantity) => `At most ${quantity} ${modal} be contained in the monthly report.`,
    ],
  },
  {
    units: ['mm', 'cm', 'm', 'km', 'inches'],
    phrasings: [
      (modal, quantity) => `While the door is open, the robot ${modal} keep a distance of ${quantity}.`,
      (modal, quantity) => `The robot ${modal} keep a distance of ${quantity} while the door is open.`,
    ],
  },
  {
    units: ['%', 'percentage points', 'ppm'],
    phrasings: [
      (modal, quantity) => `The sensor ${modal} report a change of more than ${quantity}.`,
      (modal, quantity) => `A change of more than ${quantity} ${modal} be reported by the sensor.`,
    ],
  },
]

const strengths = [['must', 'shall'], ['should'], ['may']]
const negatable = ['must', 'shall', 'should']
const words = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']

/** A number in one of its spellings, by its value. */
const number = fc.oneof(
  fc.integer({ min: 2, max: 12 }).map((value) => ({ value, text: words[value - 2] ?? '' })),
  fc.integer({ min: 2, max: 999 }).map((value) => ({ value, text: String(value) })),
  fc.integer({ min: 1000, max: 999_999 }).map((value) => ({ value, text: value.toLocaleString('en') })),
  fc.integer({ min: 11, max: 9999 }).map((tenths) => ({ value: tenths / 10, text: (tenths / 10).toFixed(1) })),
)
const twoNumbers = fc.tuple(number, number).filter(([one, other]) => one.value !== other.value)
const twoStrengths = fc.shuffledSubarray(strengths, { minLength: 2, maxLength: 2 })

/** Two statements of one demand that differ in exactly one thing. */
const differing: fc.Arbitrary<Pair> = fc
  .record({ demand: fc.constantFrom(...demands), first: fc.nat(1), second: fc.nat(1), numbers: twoNumbers })
  .chain(({ demand, first, second, numbers: [one, other] }) => {
    const [sayFirst, saySecond] = [demand.phrasings[first], demand.phrasings[second]] as [Phrasing, Phrasing]
    const say = (a: [string, string, string], b: [string, string, string]): Pair => ({
      a: sayFirst(a[0], `${a[1]} ${a[2]}`),
      b: saySecond(b[0], `${b[1]} ${b[2]}`),
    })
    const modal = fc.constantFrom(...strengths.flat())
    const unit = fc.constantFrom(...demand.units)
    const units = fc.shuffledSubarray(demand.units, { minLength: 2, maxLength: 2 }) as fc.Arbitrary<[string, string]>
    return fc.oneof(
      fc.tuple(modal, unit).map(([m, u]) => say([m, one.text, u], [m, other.text, u])),
      fc.tuple(modal, units).map(([m, [u, v]]) => say([m, one.text, u], [m, one.text, v])),
      fc.tuple(fc.constantFrom(...negatable), unit).map(([m, u]) => say([m, one.text, u], [`${m} not`, one.text, u])),
      fc
        .tuple(twoStrengths, unit, fc.nat(1))
        .map(([[m, n], u, which]) => say([m?.[which] ?? m?.[0] ?? '', one.text, u], [n?.[0] ?? '', one.text, u])),
    )
  })

test('statements that differ in one number, unit, negation or modality are never duplicates, however they are put', () => {
  const either = fc.tuple(differing, fc.boolean()).map(([pair, swapped]) => (swapped ? swap(pair) : pair))
  fc.assert(
    fc.property(either, (pair) => {
      expect(duplicate(pair)).toBe(false)
    }),
    { numRuns: 2000 },
  )
  // The comparison understands these statements: each repeats itself.
  fc.assert(
    fc.property(differing, ({ a }) => {
      expect(duplicate({ a, b: a })).toBe(true)
    }),
    { numRuns: 200 },
  )
})
