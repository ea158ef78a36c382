import type { Writing } from '../../shared/context.ts'
import type { Prepare, Rows } from '../../sql/database.ts'
import { endExclusions, linkItem, recordExclusion, repeatExclusion, type Ended } from '../../workspace/exclusions.ts'
import { requirementsOfTests } from '../coverage/refresh.ts'
import type { StoredTest } from './access.ts'
import { noteAddition, undoesAddition } from '../coverage/additions.ts'
import { isQuarantined } from '../coverage/quarantine.ts'

/** What a request says that decides exclusions. */
interface Requested {
  quarantined?: boolean | undefined
  status?: string | undefined
  reason?: string | undefined
}

const members = ['quarantined_until', 'quarantine_reason', 'quarantine_owner'] as const

/** Records which exclusions a change of a test makes and ends (contract §7.2). */
export async function noteTestChange(
  rows: Rows,
  call: Writing,
  { before, after }: { before: StoredTest | undefined; after: StoredTest },
  { quarantined, status, reason }: Requested,
): Promise<void> {
  const item = testItem(after)
  const now = call.now()
  const ended: Ended[] = []
  const quarantine = { ...item, kind: 'quarantined' } as const
  if (!isQuarantined(after, now)) ended.push(...(await endExclusions(rows, call, { ...item, kinds: ['quarantined'] })))
  else if (before === undefined || members.some((name) => before[name] !== after[name])) {
    const endsAt = after.quarantined_until ?? undefined
    await recordExclusion(rows, call, { ...quarantine, reason: after.quarantine_reason, endsAt })
  } else if (quarantined === true) await repeatExclusion(rows, call, quarantine)
  const deprecation = { ...item, kind: 'test_deprecated' } as const
  if (after.status !== 'TEST_STATUS_DEPRECATED')
    ended.push(...(await endExclusions(rows, call, { ...item, kinds: ['test_deprecated'] })))
  else if (before?.status !== after.status) await recordExclusion(rows, call, { ...deprecation, reason })
  else if (status !== undefined) await repeatExclusion(rows, call, deprecation)
  // An agent that takes back what it did itself restores what was there before.
  if (ended.some(({ isReviewed }) => isReviewed))
    await noteAddition(rows, call, { ...item, kind: 'test_restored' }, after.id, { isNew: false })
}

/**
 * Records that a test was moved out of suites that count for requirements, or into them. Resolves to the requirements that it
 * counts for where it is now; to none if it was not moved.
 */
export async function noteMove(
  rows: Rows,
  prepare: Prepare,
  call: Writing,
  test: StoredTest,
  before: { requirements: readonly string[]; parentId: string },
): Promise<string[]> {
  if (test.parent_id === before.parentId) return []
  const after = await requirementsOfTests(prepare, [test.id])
  const left = await requirementsOfTests(prepare, [before.parentId])
  const entered = await requirementsOfTests(prepare, [test.parent_id])
  const link = (id: string) => ({
    productId: test.product_id,
    itemType: 'link' as const,
    itemId: linkItem(test.id, id),
  })
  for (const id of before.requirements.filter((one) => !after.includes(one))) {
    if (await undoesAddition(rows, call, link(id), test.id)) continue
    const reason = 'moved out of the suite that is linked'
    await recordExclusion(rows, call, { ...link(id), kind: 'link_removed', reason })
  }
  // Linked itself, perhaps for one criterion, it now counts for all that the suite is linked for.
  for (const id of entered.filter((one) => before.requirements.includes(one) && !left.includes(one)))
    await noteAddition(rows, call, { ...link(id), kind: 'link_added' }, test.id, { isNew: false })
  for (const id of after.filter((one) => !before.requirements.includes(one))) {
    const ended = await endExclusions(rows, call, { ...link(id), kinds: ['link_removed'] })
    const isNew = ended.length === 0
    if (isNew) await noteAddition(rows, call, { ...link(id), kind: 'link_added' }, test.id, { isNew })
  }
  return after
}

/** A test as an excluded item. */
export function testItem({ id, product_id }: Pick<StoredTest, 'id' | 'product_id'>) {
  return { productId: product_id, itemType: 'test' as const, itemId: id }
}
