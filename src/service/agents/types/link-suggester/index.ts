import * as z from 'zod'
import { Id } from '../../../../contract/base/common.ts'
import { team } from '../../../../contract/base/text.ts'
import { createTruncationNotes } from '../../../shared/truncation-notes.ts'
import { keepFitting } from '../../output-size.ts'
import { defineAgent, type AgentContext, type AgentResult } from '../../define.ts'
import { requireNamedBranch } from '../../named.ts'
import { createChooser, cutFairly, type Choice } from './choose.ts'
import { compareAll, type Candidate } from './compare.ts'
import { readRequirements, readTests, type RequirementFacts } from './facts.ts'
import { chooseTargets } from './request.ts'
import { readSettled } from './settled.ts'
import { Suggestion, Unmatched, viewSuggestion, viewUnmatched } from './view.ts'
import { describeFinding, summarise } from './words.ts'
import { draftProposals, type Drafted } from './write.ts'

/** Requirements without a proposal that the output lists. */
const UNMATCHED_LISTED = 200

const input = z.strictObject({
  requirement_ids: z
    .array(z.string().min(1).max(128))
    .min(1)
    .max(500)
    .optional()
    .describe('Keys such as REQ-12, or ids, of the main tree. Default: all that demand a test and have none.'),
  min_confidence: z.number().min(0).max(1).default(0.6).describe('Links below it are not proposed.'),
  limit: z.int().min(1).max(500).default(100).describe('Most links to propose.'),
  branch: z
    .string()
    .trim()
    .min(1)
    .max(128)
    .optional()
    .describe('Id or name of an open quality branch. Default: an untouched one of an earlier run, else a new one.'),
})

const output = z.object({
  branch: z
    .object({ id: Id, name: team(z.string()), is_new: z.boolean() })
    .nullable()
    .describe('The quality branch with the proposals; null without any.'),
  min_confidence: z.number(),
  counts: z.object({
    requirements: z.int().describe('Looked at.'),
    tests: z.int().describe('Compared: not deleted, deprecated or in quarantine.'),
    proposals: z.int(),
    matched: z.int().describe('Requirements with a proposal.'),
    unmatched: z.int().describe('Requirements without one.'),
    left_out: z
      .object({ rejected: z.int(), removed: z.int(), proposed: z.int() })
      .describe(
        'Pairs that would be proposed, but the proposal was rejected, the link was removed, or an open branch has it.',
      ),
  }),
  proposals: z.array(Suggestion).describe('The most confident first.'),
  unmatched: z.array(Unmatched).describe('By key, with the test that comes closest.'),
})

type Input = z.output<typeof input>

/**
 * Proposes links between requirements and tests, for a person to review. Four signals from 0 to 1 are combined as
 * independent evidence, 1 − Π(1 − weight × signal) (`confidence.ts`):
 *
 * - annotation (0.95): the test names the key of the requirement in a way that report ingest does not link.
 * - name_similarity (0.8): rare words and quantities in common, by the vocabulary that compares requirements.
 * - path_overlap (0.3): the test's file is named after the code of the requirement, or is near it.
 * - history (0.3): the test reproduces an issue in that code, or its file has the tests of sibling requirements.
 *
 * A test is proposed for the requirement that it fits best. With these weights nothing reaches 0.6 without a key or words
 * in common. Precision matters more than recall, because each proposal costs a person's time: the labelled projects of the
 * tests have a precision of at least 0.9 at 0.6.
 */
export const linkSuggester = defineAgent({
  id: 'link_suggester',
  title: 'Link suggester',
  description:
    'Finds tests that seem to verify requirements without a test, and proposes the links on a quality branch for review. ' +
    'Each proposal says by which words, files and history it was found.',
  version: '1.0.0',
  reads: ['requirements', 'tests', 'links', 'branches', 'issues'],
  writes: ['branches'],
  input,
  output,

  async run(context, given) {
    const { rows, product } = context
    if (given.branch !== undefined) await requireNamedBranch(context, given.branch)
    const requirements = await readRequirements(context)
    const targets = chooseTargets(requirements, given.requirement_ids)
    const { tests, total } = await readTests(context)
    const notes = createTruncationNotes()
    notes.noteCut('tests', 'max_items', tests.length, total)
    if (tests.length < total)
      await context.warn(`Only the newest ${String(tests.length)} of ${String(total)} tests are compared.`)
    const settled = await readSettled(rows, product.id, tests)
    const chooser = createChooser({
      settled,
      targets: new Set(targets.map(({ id }) => id)),
      minConfidence: given.min_confidence,
    })
    if (targets.length > 0) await compareAll(context, { requirements, tests, settled }, chooser.add)
    const choice = chooser.end()
    const chosen = cutFairly(choice.proposals, given.limit)
    notes.noteCut('proposals', 'max_items', chosen.length, choice.proposals.length)
    await reportFindings(context, chosen)
    const found = { given, targets, tests: tests.length, choice, notes }
    if (chosen.length === 0) return report(found, undefined)
    return {
      commit: async (write) => report(found, await draftProposals(write, context, { chosen, branch: given.branch })),
    }
  },
})

async function reportFindings({ finding }: AgentContext, chosen: readonly Candidate[]): Promise<void> {
  for (const [requirement, candidates] of Map.groupBy(chosen, ({ requirement }) => requirement)) {
    await finding(describeFinding(requirement, candidates), {
      requirement_id: requirement.id,
      requirement_key: requirement.key,
      tests: candidates.map(({ test, confidence }) => ({ id: test.id, key: test.key, confidence })),
    })
  }
}

interface Found {
  given: Input
  targets: readonly RequirementFacts[]
  tests: number
  choice: Choice
  notes: ReturnType<typeof createTruncationNotes>
}

function report(
  { given, targets, tests, choice, notes }: Found,
  drafted: Drafted | undefined,
): AgentResult<typeof output> {
  const proposals = drafted?.proposals ?? []
  const reached = new Set(choice.proposals.map(({ requirement }) => requirement))
  const unmatched = targets.filter((target) => !reached.has(target))
  const counts = {
    requirements: targets.length,
    tests,
    proposals: proposals.length,
    matched: new Set(proposals.map(({ requirement }) => requirement)).size,
    unmatched: unmatched.length,
    left_out: choice.leftOut,
  }
  const branch = drafted && { id: drafted.branch.id, name: drafted.branch.name, is_new: drafted.isNew }
  const closest = unmatched.map((target) => viewUnmatched(target, choice.shortfalls.get(target.id)))
  return {
    summary: summarise(counts, { minConfidence: given.min_confidence, branch: branch?.name }),
    output: {
      branch: branch ?? null,
      min_confidence: given.min_confidence,
      counts,
      // The branch has them all.
      proposals: keepFitting(notes, 'proposals', proposals.map(viewSuggestion), { share: 0.6 }),
      unmatched: keepFitting(notes, 'unmatched', closest, { share: 0.3, max: UNMATCHED_LISTED }),
    },
    branchId: branch?.id,
    truncationSignals: notes.list(),
  }
}
