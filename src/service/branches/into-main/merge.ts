import type * as z from 'zod'
import type { Branch, Merge } from '../../../contract/branches.ts'
import type { InputOf } from '../../../contract/index.ts'
import { ServiceError } from '../../../errors.ts'
import { entityKey } from '../../quality/keys.ts'
import { nextTreeRevision } from '../../quality/tree-changes.ts'
import type { Call } from '../../shared/context.ts'
import type { Rows } from '../../sql/database.ts'
import { audit } from '../../workspace/audit.ts'
import type { Applying } from '../apply/types.ts'
import { isPlace } from '../members.ts'
import type { MergedChange, MergeResult } from '../merge/index.ts'
import { requireOpenBranch, type StoredBranch } from '../store/branches.ts'
import { viewBranches } from '../store/view.ts'
import { applyMerge, type Applied } from './apply.ts'
import { measure, viewEffect } from './effect.ts'
import { isEmpty, planMerge, previewed, readSources, type Plan } from './plan.ts'
import { checkToken } from './token.ts'

type Input = Omit<InputOf<'mergeBranch'>, 'request_id' | 'validate_only'>
type Merged = { branch: z.input<typeof Branch>; merge: z.input<typeof Merge> }

/**
 * Merges a branch into the main tree in one transaction, as the caller (contract §5.3). Throws `BRANCH_NOT_OPEN`,
 * `PREVIEW_STALE`, `NOTHING_TO_MERGE`, and `MERGE_CONFLICTS` with the ids of the conflicts that have no resolution.
 */
export function mergeBranch(call: Call, input: Input): Promise<Merged> {
  const resolutions = new Map(
    (input.resolutions ?? []).map(({ conflict_id: id, resolution, value }) => [id, { resolution, value }]),
  )
  const { link_proposal_policy: policy = previewed.policy, approve_requirements: approve = false } = input
  return call.db.write(async (rows, prepare) => {
    const { branch, product } = await requireOpenBranch(rows, call.principal, input.id)
    const sources = await readSources(rows, branch)
    if (input.preview_token !== undefined) {
      await checkToken(rows, { branch, product }, planMerge(sources, previewed), input.preview_token)
    }
    const plan = planMerge(sources, { resolutions, policy })
    if (isEmpty(plan)) throw nothingToMerge()
    if (plan.result.unresolved.length > 0) throw mergeConflicts(plan.result)
    const { applied, effect } = await applyAndMeasure({ rows, prepare, product }, call, plan, { approve })
    const revision = await nextTreeRevision(rows, product.id)
    const dropped = await closeProposals(rows, plan, applied)
    const merged = await closeBranch(rows, call, branch, { revision, note: input.note ?? '' })
    const [view] = await viewBranches(rows, { ...product, tree_revision: revision }, [merged])
    return { branch: view!, merge: { ...summarise(plan, applied, { revision, dropped }), ...effect } }
  })
}

/** Applies the merge; its effect on coverage and gate is computed only for a dry run. */
async function applyAndMeasure(applying: Applying, call: Call, plan: Plan, options: { approve: boolean }) {
  const before = call.validateOnly ? await measure(applying, call) : undefined
  const applied = await applyMerge(applying, call, plan, options)
  const effect =
    before === undefined
      ? { coverage_effect: null, gate_effect: null }
      : viewEffect(before, await measure(applying, call))
  return { applied, effect }
}

function nothingToMerge(): ServiceError {
  const message = 'the branch changes nothing; write on it first, or close it'
  return new ServiceError('failed_precondition', message, { reason: 'NOTHING_TO_MERGE' })
}

function mergeConflicts({ unresolved }: MergeResult): ServiceError {
  const shown = unresolved.slice(0, 5).map(({ key, field }) => `${key} ${field}`.trim())
  const more = unresolved.length > shown.length ? ` and ${String(unresolved.length - shown.length)} more` : ''
  const count = unresolved.length === 1 ? '1 conflict has' : `${String(unresolved.length)} conflicts have`
  const message = `${count} no resolution: ${shown.join(', ')}${more}; preview the merge, and resolve each by its id`
  const metadata = { conflict_ids: unresolved.map(({ id }) => id).join(',') }
  return new ServiceError('failed_precondition', message, { reason: 'MERGE_CONFLICTS', metadata })
}

/** Ends the proposals of a merged branch; returns how many were rejected or not applied. */
async function closeProposals(rows: Rows, { proposals }: Plan, { links }: Applied): Promise<number> {
  let dropped = 0
  for (const { id, state } of proposals) {
    if (!links.has(id)) dropped += 1
    if (state !== 'LINK_PROPOSAL_STATE_PENDING' && state !== 'LINK_PROPOSAL_STATE_APPROVED') continue
    const ended = links.has(id) ? 'LINK_PROPOSAL_STATE_APPLIED' : 'LINK_PROPOSAL_STATE_OBSOLETE'
    await rows.updateTable('link_proposal').set({ state: ended }).where('id', '=', id).execute()
  }
  return dropped
}

async function closeBranch(
  rows: Rows,
  call: Call,
  before: StoredBranch,
  { revision, note }: { revision: number; note: string },
): Promise<StoredBranch> {
  const now = call.now()
  const after = await rows
    .updateTable('branch')
    .set({
      state: 'BRANCH_STATE_MERGED',
      merged_revision: revision,
      merged_by: JSON.stringify(call.actor),
      merged_at: now,
      updated_at: now,
    })
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  await audit(rows, call, {
    verb: 'merge',
    resourceType: 'branch',
    resourceId: before.id,
    before,
    after: { ...after, note },
  })
  return after
}

function summarise(
  plan: Plan,
  { numbers, links }: Applied,
  { revision, dropped }: { revision: number; dropped: number },
) {
  const { changes } = plan.result
  const count = (is: (one: MergedChange) => boolean) => changes.filter(is).length
  const isChanged = ({ action, members }: MergedChange) => action === 'change' && Object.keys(members).length > 0
  return {
    revision,
    created: count(({ action }) => action === 'create'),
    modified: count((one) => one.action === 'restore' || (isChanged(one) && !isPlace(one.members))),
    deleted: count(({ action }) => action === 'delete'),
    moved: count((one) => isChanged(one) && isPlace(one.members)),
    links_applied: links.size,
    proposals_rejected_or_dropped: dropped,
    id_map: changes.flatMap((one) => finalKey(plan, one, numbers.get(one.targetId))),
  }
}

/** What the branch created, with the key that it has now: a new one, or that of the test that main had already. */
function finalKey({ main }: Plan, { change, targetId }: MergedChange, number: number | undefined) {
  if (change.operation !== 'CHANGE_OPERATION_CREATE') return []
  const { entityType } = change
  const key = number === undefined ? main[entityType].get(targetId)?.key : entityKey(entityType, number)
  return key === undefined ? [] : [{ provisional_key: change.key, id: targetId, key }]
}
