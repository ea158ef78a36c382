import { ServiceError } from '../../../errors.ts'
import { linkChange } from '../../quality/cases/link-store.ts'
import { entityKey } from '../../quality/keys.ts'
import type { Writing } from '../../shared/context.ts'
import { audit } from '../../workspace/audit.ts'
import { takeNumber } from '../../workspace/numbers.ts'
import { applyChanges } from '../apply/apply.ts'
import type { AppliedChange, Applying } from '../apply/types.ts'
import type { Members } from '../members.ts'
import type { MergedChange, MergeNote } from '../merge/index.ts'
import { applyProposal } from '../proposals/apply.ts'
import type { Plan } from './plan.ts'
import { restore } from './restore.ts'

export interface Applied {
  /** Final numbers by the id of what was created. */
  numbers: Map<string, number>
  /** Ids of the link proposals that were applied. */
  links: Set<string>
  /** Links that were proposed and left as the main tree has them. */
  notes: MergeNote[]
}

/** Writes a merge into the main tree with the ordinary write functions, as the caller; throws if a part of it is impossible. */
export async function applyMerge(
  applying: Applying,
  call: Writing,
  plan: Plan,
  { approve }: { approve: boolean },
): Promise<Applied> {
  const { changes, lifts } = plan.result
  const numbers = await takeNumbers(applying, changes)
  for (const one of changes) if (one.action === 'restore') await restore(applying, call, one)
  const toApply = changes.flatMap((one) => {
    const main = plan.main[one.change.entityType].get(one.targetId)?.members ?? {}
    return appliedChange(one, { call, main, approve, number: numbers.get(one.targetId) })
  })
  const lifted = lifts.map(({ entityType, id: entityId, parentId }): AppliedChange => {
    const fields = { parent_id: parentId }
    return { entityType, entityId, operation: 'CHANGE_OPERATION_MODIFY', fields, number: undefined, writing: call }
  })
  const all = [...toApply, ...lifted]
  // A code location is free for another test once its test is deleted.
  const parents = new Set([...plan.main.test.values()].map(({ parentId }) => parentId))
  const freesLocation = ({ entityType, entityId, operation }: AppliedChange) =>
    entityType === 'test' && operation === 'CHANGE_OPERATION_DELETE' && !parents.has(entityId)
  await applyChanges(applying, all.filter(freesLocation))
  await applyChanges(
    applying,
    all.filter((one) => !freesLocation(one)),
  )
  await checkPlaces(applying, all)
  for (const one of all) {
    await auditChange(applying, call, one, plan.main[one.entityType].get(one.entityId)?.members)
  }
  return { numbers, ...(await applyLinks(applying, call, plan)) }
}

/** Final numbers, in the order of the provisional ones. */
async function takeNumbers(
  { prepare, product }: Applying,
  changes: readonly MergedChange[],
): Promise<Map<string, number>> {
  const created = changes
    .filter(({ action }) => action === 'create')
    .toSorted((a, b) => a.change.provisionalNumber - b.change.provisionalNumber)
  const numbers = new Map<string, number>()
  for (const { change, targetId } of created)
    numbers.set(targetId, await takeNumber(prepare, product.id, change.entityType))
  return numbers
}

function appliedChange(
  { change, targetId, action, members }: MergedChange,
  { call, main, approve, number }: { call: Writing; main: Members; approve: boolean; number: number | undefined },
): AppliedChange[] {
  if (action === 'none') return []
  const operations = {
    create: 'CHANGE_OPERATION_CREATE',
    change: 'CHANGE_OPERATION_MODIFY',
    restore: 'CHANGE_OPERATION_MODIFY',
    delete: 'CHANGE_OPERATION_DELETE',
  } as const
  const { entityType } = change
  const fields = approve && entityType === 'requirement' && action !== 'delete' ? approved(main, members) : members
  if (action === 'change' && Object.keys(fields).length === 0) return []
  return [{ entityType, entityId: targetId, operation: operations[action], fields, number, writing: call }]
}

function approved(main: Members, members: Members): Members {
  const status = members['status'] ?? main['status']
  const isOpen = status === 'REQUIREMENT_STATUS_DRAFT' || status === 'REQUIREMENT_STATUS_PROPOSED'
  return isOpen ? { ...members, status: 'REQUIREMENT_STATUS_APPROVED' } : members
}

/** Throws for a requirement or test that was written without its place, because the tree would be too deep there. */
async function checkPlaces({ rows }: Applying, changes: readonly AppliedChange[]): Promise<void> {
  for (const { entityType, entityId, fields } of changes) {
    const wanted = fields['parent_id']
    if (wanted === undefined) continue
    const row = await rows
      .selectFrom(entityType)
      .select(['number', 'parent_id'])
      .where('id', '=', entityId)
      .executeTakeFirst()
    if (row === undefined || row.parent_id === wanted) continue
    const key = entityKey(entityType, row.number)
    throw new ServiceError(
      'failed_precondition',
      `${key} cannot be where the branch puts it: the tree would be too deep`,
      {
        reason: 'DEPTH_EXCEEDED',
      },
    )
  }
}

async function auditChange(
  { rows }: Applying,
  call: Writing,
  change: AppliedChange,
  before: Members | undefined,
): Promise<void> {
  const verbs = {
    CHANGE_OPERATION_CREATE: 'create',
    CHANGE_OPERATION_MODIFY: 'update',
    CHANGE_OPERATION_MOVE: 'update',
    CHANGE_OPERATION_DELETE: 'delete',
  } as const
  const { entityType: resourceType, entityId: resourceId, operation, fields } = change
  const after = operation === 'CHANGE_OPERATION_DELETE' ? undefined : { ...before, ...fields }
  await audit(rows, call, { verb: verbs[operation], resourceType, resourceId, before, after })
}

async function applyLinks(
  applying: Applying,
  call: Writing,
  { result, proposals, changedLinks: changed, main }: Plan,
): Promise<Pick<Applied, 'links' | 'notes'>> {
  const sameTests = new Map(result.changes.map(({ change, targetId }) => [change.entityId, targetId]))
  const wanted = new Set(result.links.map(({ id }) => id))
  const links = new Set<string>()
  const notes: MergeNote[] = []
  for (const proposal of proposals.filter(({ id }) => wanted.has(id))) {
    const outcome = await applyProposal(applying, call, proposal, { sameTests, changed })
    if (typeof outcome === 'object') {
      links.add(proposal.id)
      await audit(applying.rows, call, linkChange(outcome.before, outcome.after))
    }
    if (outcome !== 'kept') continue
    const test = main.test.get(sameTests.get(proposal.test_id) ?? proposal.test_id)?.key ?? ''
    const requirement = main.requirement.get(proposal.requirement_id)?.key ?? ''
    const message = `Main changed the link of ${test} and ${requirement} since the branch proposed another one, and it stays as main has it.`
    notes.push({ code: 'LINK_CHANGED', message })
  }
  return { links, notes }
}
