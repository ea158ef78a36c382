import * as z from 'zod'
import { NamedRef, Ref } from '../../../../contract/base/common.ts'
import { LinkProposal, type LinkRole } from '../../../../contract/links.ts'
import type { Shortfall } from './choose.ts'
import type { Candidate } from './compare.ts'
import { roundShare } from './confidence.ts'
import type { RequirementFacts, TestFacts } from './facts.ts'
import { explain } from './words.ts'

const { confidence, signals } = LinkProposal.shape

export const Suggestion = z.object({
  requirement: Ref,
  test: NamedRef,
  ...LinkProposal.pick({ role: true, criterion_ids: true, rationale: true }).shape,
  confidence,
  signals,
})

export const Unmatched = z.object({
  requirement: Ref,
  best: z
    .object({
      test: NamedRef,
      confidence,
      better: Ref.nullable().describe('The requirement that the test fits best; null when that is this one.'),
    })
    .nullable()
    .describe('The test that comes closest; null when no test has a word in common with the requirement.'),
})

/** A candidate as the output lists it. */
export function viewSuggestion(candidate: Candidate): z.input<typeof Suggestion> {
  return {
    requirement: requirementRef(candidate.requirement),
    test: testRef(candidate.test),
    role: chooseRole(candidate),
    criterion_ids: candidate.criterionIds,
    confidence: candidate.confidence,
    signals: listSignals(candidate),
    rationale: explain(candidate),
  }
}

/** A requirement without a proposal as the output lists it. */
export function viewUnmatched(
  requirement: RequirementFacts,
  shortfall: Shortfall | undefined,
): z.input<typeof Unmatched> {
  if (shortfall === undefined) return { requirement: requirementRef(requirement), best: null }
  const { candidate, better } = shortfall
  return {
    requirement: requirementRef(requirement),
    best: {
      test: testRef(candidate.test),
      confidence: candidate.confidence,
      better: better === undefined ? null : requirementRef(better),
    },
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
  return Object.entries(candidate.signals).map(([name, value]) => ({ name, value: roundShare(value) }))
}

function requirementRef({ id, key, title }: RequirementFacts): z.input<typeof Ref> {
  return { id, key, title }
}

function testRef({ id, key, title, areNamesKnown }: TestFacts): z.input<typeof NamedRef> {
  return { id, key, title, known: areNamesKnown }
}
