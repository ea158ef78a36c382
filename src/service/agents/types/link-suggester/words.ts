import { counted } from '../../../../lib/counted.ts'
import type { Candidate, Evidence } from './compare.ts'
import type { RequirementFacts } from './facts.ts'

const WORDS_SHOWN = 5

const listed = new Intl.ListFormat('en-GB')

const pathWords = {
  file: (path: string) => `is in a file named after ${path}`,
  folder: (path: string) => `is in a folder named like that of ${path}`,
  component: () => 'belongs to a component of the requirement',
} as const

const historyWords = {
  crashes: 'reproduces an issue that crashes in the code of the requirement',
  passes: 'reproduces an issue that passes through the code of the requirement',
  siblings: 'shares its file with tests of neighbouring requirements',
} as const

/**
 * Why a test is proposed for a requirement, in one sentence. Its words are those of the requirement: the name of a test is
 * text of a report.
 */
export function explain({ test, requirement: { key }, evidence }: Candidate): string {
  const { words, path, history } = evidence
  const reasons = [
    ...annotationReason(key, evidence),
    ...(words.shared.length === 0 ? [] : [`shares ${quote(words.shared)} with ${key}`]),
    ...(path.because === undefined ? [] : [pathWords[path.because](path.path)]),
    ...(history.because === undefined ? [] : [historyWords[history.because]]),
  ]
  return `${test.key} ${listed.format(reasons)}.`
}

function annotationReason(key: string, { annotation }: Evidence): string[] {
  if (annotation === undefined) return []
  return [annotation.value === 1 ? `names ${key}` : `has ${key} in the name of its file`]
}

function quote(words: readonly string[]): string {
  return listed.format(words.slice(0, WORDS_SHOWN).map((word) => `“${word}”`))
}

/** What was found for a requirement, as a finding says it. */
export function describeFinding({ key, hasTest }: RequirementFacts, candidates: readonly Candidate[]): string {
  const tests = candidates.map(({ test, confidence }) => `${test.key} (${String(confidence)})`)
  return hasTest
    ? `${key} may have more tests: ${listed.format(tests)}.`
    : `${key} has no test; ${listed.format(tests)} ${tests.length === 1 ? 'seems' : 'seem'} to verify it.`
}

interface Counts {
  requirements: number
  proposals: number
  matched: number
  unmatched: number
  left_out: Readonly<Record<'rejected' | 'removed' | 'proposed', number>>
}

/** What the run did, and the next step. */
export function summarise(
  counts: Counts,
  { minConfidence, branch }: { minConfidence: number; branch: string | undefined },
): string {
  const { requirements, proposals, matched, unmatched } = counts
  const looked = counted(requirements, 'requirement')
  if (requirements === 0) return 'Every requirement that demands a test has one.'
  if (branch === undefined) {
    const next = counts.left_out.proposed > 0 ? REVIEW : WRITE
    return `Proposed no link for ${looked} with a confidence of at least ${String(minConfidence)}.${leftOutWords(counts)} ${next}`
  }
  const links = `Proposed ${counted(proposals, 'link')} for ${String(matched)} of ${looked} on quality branch "${branch}".`
  const rest = unmatched === 0 ? '' : ` ${counted(unmatched, 'requirement')} got none.`
  return `${links}${rest}${leftOutWords(counts)} ${REVIEW}`
}

const REVIEW = 'Next: review the links with review_branch; they count once they are accepted and the branch is merged.'
const WRITE = 'Next: write the tests that are missing; get_test_context says what they have to show.'

function leftOutWords({ left_out: { rejected, removed, proposed } }: Counts): string {
  const parts = [
    [rejected, 'rejected before'],
    [removed, 'linked and unlinked before'],
    [proposed, 'already proposed on an open branch'],
  ] as const
  const reasons = parts.flatMap(([count, why]) => (count === 0 ? [] : [`${String(count)} ${why}`]))
  return reasons.length === 0 ? '' : ` Left out: ${listed.format(reasons)}.`
}
