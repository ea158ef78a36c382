import { matchWords, shareWithin } from './compare.ts'
import { findDifferences } from './differences.ts'
import { readProfile, type Profile, type Statement } from './profile.ts'
export type { Statement } from './profile.ts'
export { readQuantities, type FoundQuantity } from './find-quantities.ts'
export { readTerms, type Term } from './terms.ts'

export type Verdict = 'duplicate' | 'conflict' | 'related' | 'different'

export interface Comparison {
  /** Between 0 and 1: how much of the subject is the same. */
  similarity: number
  verdict: Verdict
  /** How two statements about one subject differ, in words: `30 seconds became 60 seconds`. */
  differences: string[]
  /** Which of the two has words that the other lacks; both where words were replaced. */
  saysMore: { before: boolean; after: boolean }
}

/** The least similarity of duplicates, and of statements about the same subject. */
export interface Thresholds {
  duplicate: number
  related: number
}

export const defaultThresholds: Thresholds = { duplicate: 0.9, related: 0.75 }

/** Titles with fewer words only name a topic, and are not compared with statements. */
const TITLE_WORDS = 3

/** A statement, read once for many comparisons. */
export interface ReadStatement {
  title: Profile
  /** The statement, or the title where there is none. */
  main: Profile
  hasStatement: boolean
}

/** Reads a statement for `compareRead`. */
export function readStatement({ title, statement }: Statement): ReadStatement {
  const hasStatement = statement.trim() !== ''
  const read = readProfile(title)
  return {
    title: read,
    main: hasStatement && statement !== title ? readProfile(statement) : read,
    hasStatement,
  }
}

/** Compares what two requirements say (decision 065). `before` is the one whose text the differences start from. */
export function compareStatements(before: Statement, after: Statement, thresholds = defaultThresholds): Comparison {
  return compareRead(readStatement(before), readStatement(after), thresholds)
}

/** Compares statements that were read before. Symmetric except for the wording of the differences. */
export function compareRead(before: ReadStatement, after: ReadStatement, thresholds = defaultThresholds): Comparison {
  const [old, now] = chooseTexts(before, after)
  const { similarity, opposites, saysMore } = matchWords(old, now)
  const differences = [...findDifferences(old, now), ...opposites.map(([one, other]) => `${one} became ${other}`)]
  return { similarity, verdict: decide(similarity, differences, thresholds), differences, saysMore }
}

function decide(similarity: number, differences: readonly string[], { duplicate, related }: Thresholds): Verdict {
  if (similarity < related) return 'different'
  if (differences.length > 0) return 'conflict'
  return similarity >= duplicate ? 'duplicate' : 'related'
}

/** The texts to compare: the two statements, unless one title is closer to the other statement. */
function chooseTexts(before: ReadStatement, after: ReadStatement): [Profile, Profile] {
  const pairs: [Profile, Profile][] = [
    [before.main, after.main],
    [asText(before), after.main],
    [before.main, asText(after)],
  ]
  if (!before.hasStatement || !after.hasStatement) pairs.push([asText(before), asText(after)])
  const [closest] = pairs
    .filter(([one, other], index) => index === 0 || (one.words.size >= TITLE_WORDS && other.words.size >= TITLE_WORDS))
    .map((pair) => ({ pair, similarity: matchWords(...pair).similarity }))
    .sort((one, other) => other.similarity - one.similarity)
  return closest!.pair
}

/** The title as a text. It takes its modal words from the statement when it has none. */
function asText({ title, main }: ReadStatement): Profile {
  return title.modals.length > 0 ? title : { ...title, modals: main.modals }
}

/** The share of a part's words, such as the object of a change, that the title or the statement of a whole has. */
export function wordShare(part: ReadStatement, whole: ReadStatement): number {
  return shareWithin(part.main, [whole.main, whole.title])
}

/** The concepts by which statements are found: those of title and statement. */
export function conceptsIn({ title, main }: ReadStatement): ReadonlyMap<string, number> {
  return new Map([...title.words.values(), ...main.words.values()].map(({ concept, weight }) => [concept, weight]))
}
