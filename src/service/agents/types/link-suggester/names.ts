import { readTerms, type Term } from '../../../quality/requirements/similarity/index.ts'
import type { RequirementFacts, TestFacts } from './facts.ts'
import { readFileSubject } from './paths.ts'

export type Terms = ReadonlyMap<string, Term>

/** What a requirement is about. */
export interface RequirementWords {
  title: Terms
  statement: Terms
  /** By the ids of the criteria. */
  criteria: ReadonlyMap<string, Terms>
  all: Terms
}

/** What a test is about. */
export interface TestWords {
  title: Terms
  /** Of its suites and the name of its file, without those of its title. */
  place: Terms
}

/** How much a term of the place counts: other tests of the place have it too. */
const PLACE = 0.5
/** This many rare terms in common are full evidence. */
const ENOUGH = 2
/** A term in at most this share of the texts is rare. */
const RARE = 0.02
/** Fewer texts than these do not show what is rare. */
const FEWEST = 20
/** The least weight of a term that is in all texts. */
const COMMON = 0.05
/** A criterion is named when the test has this share of it, and hardly less than of any other criterion. */
const NAMED = 0.4
const HARDLY_LESS = 0.05

export function readRequirementWords({ title, statement, criteria }: RequirementFacts): RequirementWords {
  const words = {
    title: readTerms(title),
    statement: readTerms(statement),
    criteria: new Map(criteria.map(({ id, text }) => [id, readTerms(text)])),
  }
  return {
    ...words,
    all: new Map([...words.criteria.values(), words.statement, words.title].flatMap((one) => [...one])),
  }
}

/** Reads the words of tests, those of a place once. */
export function createTestReader(): (test: TestFacts) => TestWords {
  const places = new Map<string, Terms>()
  return ({ title, suites, file }) => {
    const own = readTerms(inWords(title))
    const text = [...suites, readFileSubject(file).name].map(inWords).join('. ')
    const place = places.get(text) ?? readTerms(text)
    places.set(text, place)
    return { title: own, place: new Map([...place].filter(([name]) => !own.has(name))) }
  }
}

/** A name as people write it: `refusesAnEmptyCart` and `test_refuses_an_empty_cart` become words. */
function inWords(name: string): string {
  const parts = name.replace(/[_›>/\\#:]+|(?<=\p{L})\.(?=\p{L})/gu, ' ')
  const isIdentifier = !/\s/u.test(name.trim())
  const words = isIdentifier ? parts.replace(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, ' ') : parts
  return words.replace(/^\s*(?:tests?|it|should)\b/iu, '')
}

/** How rare each term is in the requirements and the tests, from 0.05 to 1. */
export function createRarity(
  requirements: readonly RequirementWords[],
  tests: readonly TestWords[],
): (name: string) => number {
  const inRequirements = countShares(requirements.map(({ all }) => [all]))
  const inTests = countShares(tests.map(({ title, place }) => [title, place]))
  return (name) => {
    const share = Math.max(inRequirements(name), inTests(name))
    return share <= RARE ? 1 : Math.max(COMMON, Math.log(share) / Math.log(RARE))
  }
}

/** Returns a function that finds in which share of the texts a term is, apart from one of them, which is compared. */
function countShares(texts: readonly (readonly Terms[])[]): (name: string) => number {
  const counts = new Map<string, number>()
  for (const terms of texts.flat()) for (const name of terms.keys()) counts.set(name, (counts.get(name) ?? 0) + 1)
  const total = Math.max(texts.length, FEWEST)
  return (name) => Math.max(0, (counts.get(name) ?? 0) - 1) / total
}

export interface WordMatch {
  /** From 0 to 1. */
  value: number
  /** The terms in common as the requirement writes them, the rarest first. */
  shared: string[]
  /** The ids of the criteria that the test names. */
  criterionIds: string[]
}

/**
 * Compares the words of a test with those of a requirement. Words weigh as in the comparison of requirements, times their
 * rarity; those of the place of the test half. `precision` is the share of the test's words that the requirement has,
 * `recall` the largest share of its title, its statement or one criterion that the test has. The name of a test is shorter
 * than the sentence that it is about, so precision counts twice (F0.5). Fewer than two rare words are little evidence.
 */
export function matchWords(
  test: TestWords,
  requirement: RequirementWords,
  rarity: (name: string) => number,
): WordMatch {
  const weigh = (terms: Terms, within: Terms = terms) => {
    let sum = 0
    for (const [name, { weight }] of terms) if (within.has(name)) sum += weight * rarity(name)
    return sum
  }
  const evidence = weigh(test.title, requirement.all) + PLACE * weigh(test.place, requirement.all)
  if (evidence === 0) return { value: 0, shared: [], criterionIds: [] }
  const share = (part: Terms) =>
    part.size === 0 ? 0 : (weigh(part, test.title) + PLACE * weigh(part, test.place)) / weigh(part)
  const criteria = Array.from(requirement.criteria, ([id, terms]) => ({ id, share: share(terms) }))
  const best = Math.max(0, ...criteria.map((one) => one.share))
  const precision = evidence / (weigh(test.title) + PLACE * weigh(test.place))
  const recall = Math.max(share(requirement.title), share(requirement.statement), best)
  const named = criteria.filter((one) => one.share >= Math.max(NAMED, best - HARDLY_LESS))
  return {
    value: ((1.25 * precision * recall) / (0.25 * precision + recall)) * Math.min(1, evidence / ENOUGH),
    shared: sharedWords(test, requirement, rarity),
    criterionIds: named.map(({ id }) => id),
  }
}

function sharedWords({ title, place }: TestWords, { all }: RequirementWords, rarity: (name: string) => number) {
  return [...all]
    .filter(([name]) => title.has(name) || place.has(name))
    .sort(([one], [other]) => rarity(other) - rarity(one))
    .map(([, { text }]) => text)
}
