import * as z from 'zod'
import { Key } from '../../../../contract/base/common.ts'
import { team, untrusted } from '../../../../contract/base/text.ts'
import { LinkProposal, LinkRole } from '../../../../contract/links.ts'
import type { Shortfall } from './choose.ts'
import type { Candidate } from './compare.ts'
import { roundShare } from './confidence.ts'
import type { RequirementFacts } from './facts.ts'
import { explain } from './words.ts'

const { confidence, rationale } = LinkProposal.shape

/** Rows without nested members, so that a reader gets a table. */
export const Suggestion = z.object({
  requirement_key: Key,
  requirement_title: team(z.string()),
  test_key: Key,
  test_title: untrusted(z.string()),
  role: LinkRole,
  criteria: Key.describe('The criteria that it is about, such as `REQ-12.2, REQ-12.3`; empty where that is not known.'),
  confidence,
  annotation: z.number(),
  name_similarity: z.number(),
  path_overlap: z.number(),
  history: z.number(),
  rationale,
})

export const Unmatched = z.object({
  requirement_key: Key,
  requirement_title: team(z.string()),
  closest_test_key: Key.describe('Empty when no test has a word in common with the requirement.'),
  closest_test_title: untrusted(z.string()),
  confidence,
  fits_better: Key.describe('The requirement that the closest test fits better; empty for none.'),
})

/** A candidate as the output lists it. */
export function viewSuggestion(candidate: Candidate): z.input<typeof Suggestion> {
  const { requirement, test, criterionIds } = candidate
  const named = requirement.criteria.flatMap(({ id }, index) =>
    criterionIds.includes(id) ? [`${requirement.key}.${String(index + 1)}`] : [],
  )
  return {
    requirement_key: requirement.key,
    requirement_title: requirement.title,
    test_key: test.key,
    test_title: test.title,
    role: chooseRole(candidate),
    criteria: named.join(', '),
    confidence: candidate.confidence,
    ...roundSignals(candidate),
    rationale: explain(candidate),
  }
}

/** A requirement without a proposal as the output lists it. */
export function viewUnmatched(
  { key, title }: RequirementFacts,
  shortfall: Shortfall | undefined,
): z.input<typeof Unmatched> {
  const { candidate, better } = shortfall ?? {}
  return {
    requirement_key: key,
    requirement_title: title,
    closest_test_key: candidate?.test.key ?? '',
    closest_test_title: candidate?.test.title ?? '',
    confidence: candidate?.confidence ?? 0,
    fits_better: better?.key ?? '',
  }
}

/**
 * The role of a proposed link. A requirement with several criteria is verified as a whole only by a test that is about all
 * of them; a link that names none of them leaves open which ones its test proves.
 */
export function chooseRole({ requirement: { criteria }, criterionIds }: Candidate): z.output<typeof LinkRole> {
  const isWhole = criteria.length <= 1 || criterionIds.length === criteria.length
  return isWhole ? 'LINK_ROLE_VERIFIES' : 'LINK_ROLE_PARTIALLY_VERIFIES'
}

/** The signals of a candidate as a proposal stores them. */
export function listSignals(candidate: Candidate): { name: string; value: number }[] {
  return Object.entries(roundSignals(candidate)).map(([name, value]) => ({ name, value }))
}

function roundSignals({ signals }: Candidate) {
  return {
    annotation: roundShare(signals.annotation),
    name_similarity: roundShare(signals.name_similarity),
    path_overlap: roundShare(signals.path_overlap),
    history: roundShare(signals.history),
  }
}
