import type * as z from 'zod'
import type { MergePreview } from '../../../contract/branches.ts'
import { ServiceError } from '../../../errors.ts'
import type { Call } from '../../shared/context.ts'
import { createTruncationNotes } from '../../shared/truncation-notes.ts'
import { rolledBack } from '../../sql/rolled-back.ts'
import type { Applying } from '../apply/types.ts'
import { readEntityNames } from '../names.ts'
import { requireOpenBranch, type StoredBranch } from '../store/branches.ts'
import { applyMerge } from './apply.ts'
import { findDuplicates } from './duplicates.ts'
import { measure, viewEffect } from './effect.ts'
import { findOverlaps } from './overlaps.ts'
import { isEmpty, planMerge, previewed, readSources, type Plan } from './plan.ts'
import { previewToken } from './token.ts'
import { viewChange, viewConflicts } from './view.ts'

type Preview = z.input<typeof MergePreview>

const CHANGES_SHOWN = 200

/**
 * What a merge with the default policy would do: the merge itself, with each conflict settled as suggested, in a transaction
 * that is rolled back. Throws `BRANCH_NOT_OPEN`.
 */
export function previewMerge(call: Call, id: string): Promise<Preview> {
  return rolledBack(call.db, async (rows, prepare) => {
    const { branch, product } = await requireOpenBranch(rows, call.principal, id)
    const plan = planMerge(await readSources(rows, branch), previewed)
    const facts = await describe({ rows, prepare, product }, branch, plan)
    const { effect, problems, notes } = await predict({ rows, prepare, product }, call, plan)
    const { conflicts } = plan.result
    return {
      ...facts,
      mergeable: conflicts.length === 0 && problems.length === 0 && !isEmpty(plan),
      ...effect,
      warnings: [...plan.result.notes, ...notes, ...problems],
    }
  })
}

type Effects = 'mergeable' | 'coverage_effect' | 'gate_effect' | 'warnings'

async function describe(
  { rows, product }: Applying,
  branch: StoredBranch,
  plan: Plan,
): Promise<Omit<Preview, Effects>> {
  const { result, changes, proposals } = plan
  const names = await readEntityNames(rows, changes, changes)
  const notes = createTruncationNotes()
  notes.noteCut('changes', 'limit', Math.min(changes.length, CHANGES_SHOWN), changes.length)
  const count = (state: string) =>
    proposals.filter((proposal) => proposal.state === `LINK_PROPOSAL_STATE_${state}`).length
  return {
    branch_id: branch.id,
    preview_token: previewToken({ branch, product }, plan),
    base_revision: branch.base_revision,
    main_revision: product.tree_revision,
    head_revision: branch.head_revision,
    changes: result.changes.slice(0, CHANGES_SHOWN).map((one) => viewChange(one, names)),
    conflicts: viewConflicts(result, names),
    link_proposals: { pending: count('PENDING'), approved: count('APPROVED'), rejected: count('REJECTED') },
    duplicates: await findDuplicates(rows, product.id, result.changes),
    also_changed_in: await findOverlaps(rows, branch, changes),
    truncation_signals: notes.list(),
  }
}

/** Coverage and gate before and after the merge; the problem if it cannot be written. */
async function predict(applying: Applying, call: Call, plan: Plan) {
  const before = await measure(applying, call)
  const problems: Preview['warnings'] = []
  let notes: Preview['warnings'] = []
  try {
    ;({ notes } = await applyMerge(applying, call, plan, { approve: false }))
  } catch (thrown) {
    if (!(thrown instanceof ServiceError)) throw thrown
    problems.push({ code: thrown.reason, message: thrown.message })
  }
  const after = problems.length === 0 ? await measure(applying, call) : before
  return { effect: viewEffect(before, after), problems, notes }
}
