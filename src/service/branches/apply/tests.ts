import { parseRepositoryRoots } from '../../workspace/components/repo-path.ts'
import { ServiceError } from '../../../errors.ts'
import type { StoredTest } from '../../quality/cases/access.ts'
import { caseIdentity, repositoryPath, type CaseLocation } from '../../quality/cases/identity.ts'
import { changeTest, insertTest, removeTests, type TestFields } from '../../quality/cases/write.ts'
import { findLeftBelow, findOrphans, isRemoval, placeChanges, type PlacedChange } from './order.ts'
import { liveIds } from './references.ts'
import type { AppliedChange, Applying } from './types.ts'

/** Applies changes of tests; resolves to the `sameTests` of `Applied`. */
export async function applyTests(applying: Applying, changes: readonly AppliedChange[]): Promise<Map<string, string>> {
  const same = new Map<string, string>()
  if (changes.length === 0) return same
  const removals = changes.filter(isRemoval)
  await moveToRoot(applying, await findLeftBelow(applying, 'test', changes), removals)
  const { ordered, inCycle } = await placeChanges(
    applying,
    'test',
    changes.filter((change) => !isRemoval(change)),
  )
  for (const change of ordered) {
    const existing = await put(applying, change, inCycle.has(change.entityId))
    if (existing !== undefined) same.set(change.entityId, existing)
  }
  await remove(applying, removals)
  return same
}

/** Writes one test, unless another one has the code location of what the branch creates: then resolves to the other's id. */
async function put(applying: Applying, change: PlacedChange, isInCycle: boolean): Promise<string | undefined> {
  const { parent_id: _parent, automation_ref: place, ...rest } = await usableFields(applying, change)
  const fields = {
    ...rest,
    ...(change.parentId !== undefined && !isInCycle && { parent_id: change.parentId }),
  }
  const taken = await findByPlace(applying, place as CaseLocation | null | undefined)
  const isTaken = taken !== undefined && taken !== change.entityId
  if (isTaken && change.operation === 'CHANGE_OPERATION_CREATE') return taken
  const placed = isTaken || place === undefined ? fields : { ...fields, automation_ref: place }
  try {
    await write(applying, change, placed)
  } catch (thrown) {
    if (!(thrown instanceof ServiceError)) throw thrown
    // The parent is no suite any more: without it the test can be written.
    const { parent_id: _above, ...others } = placed as Record<string, unknown>
    await write(applying, change, others)
  }
  return undefined
}

/** The fields that a request would have, without references to things that are gone. */
async function usableFields(applying: Applying, { fields, writing }: AppliedChange): Promise<Record<string, unknown>> {
  const { quarantine, component_ids: components, issue_id: issueId, ...plain } = fields
  const usable: Record<string, unknown> = { ...plain }
  if (quarantine !== undefined) Object.assign(usable, quarantineFields(quarantine as Quarantine | null, writing.now()))
  if (Array.isArray(components)) {
    const live = await liveIds(applying, 'component', components as string[])
    usable['component_ids'] = (components as string[]).filter((id) => live.has(id))
  }
  if (typeof issueId === 'string') {
    usable['issue_id'] = (await hasIssue(applying, issueId)) ? issueId : ''
  }
  return usable
}

async function hasIssue({ rows, product }: Applying, id: string): Promise<boolean> {
  const found = await rows
    .selectFrom('issue')
    .select('id')
    .where('id', '=', id)
    .where('product_id', '=', product.id)
    .executeTakeFirst()
  return found !== undefined
}

interface Quarantine {
  until: string
  reason: string
  owner: string
}

/** The fields of a quarantine; one that has ended meanwhile is lifted. */
function quarantineFields(quarantine: Quarantine | null, now: number): TestFields {
  if (quarantine === null || Date.parse(quarantine.until) <= now) return { quarantined: false }
  const { until, reason, owner } = quarantine
  return { quarantined: true, quarantined_until: until, quarantine_reason: reason, quarantine_owner: owner }
}

async function findByPlace({ rows, product }: Applying, place: CaseLocation | null | undefined) {
  if (place === undefined || place === null) return undefined
  const file_path = repositoryPath(place.file_path, parseRepositoryRoots(product.repository))
  const found = await rows
    .selectFrom('test')
    .select('id')
    .where('product_id', '=', product.id)
    .where('identity', '=', caseIdentity({ ...place, file_path }))
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return found?.id
}

async function write({ rows, prepare, product }: Applying, change: AppliedChange, given: Record<string, unknown>) {
  const { entityId: id, number, writing } = change
  const { kind, ...others } = given
  // Members of a stored change are those of `testMembers`, or were checked when they were written.
  const fields = others as TestFields
  if (change.operation === 'CHANGE_OPERATION_CREATE') {
    const { automation_ref: place, title = '' } = fields
    const created = { ...fields, title, kind: kind as 'TEST_KIND_CASE', automation_ref: place ?? undefined }
    await insertTest(rows, prepare, writing, product, created, { id, number })
    return
  }
  const before = await find(rows, id)
  if (before !== undefined) await changeTest(rows, prepare, writing, { test: before, product }, fields)
}

async function remove(applying: Applying, changes: readonly AppliedChange[]): Promise<void> {
  const { rows, prepare } = applying
  for (const { entityId, writing } of changes) {
    const row = await find(rows, entityId)
    if (row !== undefined) await removeTests(rows, prepare, writing, [row])
  }
  if (changes.length > 0) await moveToRoot(applying, await findOrphans(applying, 'test'), changes)
}

/** As whoever removed what was above them. */
async function moveToRoot(
  { rows, prepare, product }: Applying,
  ids: readonly string[],
  [removal]: readonly AppliedChange[],
) {
  for (const id of ids) {
    const test = await find(rows, id)
    if (test !== undefined && removal !== undefined)
      await changeTest(rows, prepare, removal.writing, { test, product }, { parent_id: '' })
  }
}

function find(rows: Applying['rows'], id: string): Promise<StoredTest | undefined> {
  return rows.selectFrom('test').selectAll().where('id', '=', id).where('deleted_at', 'is', null).executeTakeFirst()
}
