import type { Writing } from '../../shared/context.ts'
import type { Prepare, Rows } from '../../sql/database.ts'
import { endExclusions, linkItem, recordExclusion, repeatExclusion } from '../../workspace/exclusions.ts'
import type { StoredLink } from './link-view.ts'

interface Place {
  productId: number
  testId: string
  requirement: { id: string; version: number }
}

type Standing = Pick<StoredLink, 'role' | 'state' | 'requirement_version'>

/** How a link stood that was removed and not made again: in doubt if it was, or if the requirement changed since. */
export async function removedLink(
  rows: Rows,
  { productId, testId, requirement }: Place,
): Promise<Standing | undefined> {
  const removed = await rows
    .selectFrom('exclusion')
    .select('was')
    .where('product_id', '=', productId)
    .where('item_id', '=', linkItem(testId, requirement.id))
    .where('kind', '=', 'link_removed')
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return removed && readStanding(removed.was, requirement.version)
}

/** Puts a link that a report made again in the doubt that it was removed with, and ends the exclusion of its removal. */
export function restoreLink(prepare: Prepare, { productId, testId, requirement }: Place, now: number): void {
  const item = linkItem(testId, requirement.id)
  const removed = prepare(
    `UPDATE exclusion SET ended_at = ? WHERE item_id = ? AND kind = 'link_removed' AND product_id = ? AND ended_at IS NULL RETURNING was`,
  ).get<{ was: string }>(now, item, productId)
  if (removed === undefined) return
  const { state, requirement_version } = readStanding(removed.was, requirement.version)
  prepare('UPDATE test_link SET state = ?, requirement_version = ? WHERE test_id = ? AND requirement_id = ?').run(
    state,
    requirement_version,
    testId,
    requirement.id,
  )
}

/** `was` of a removed link: `3 LINK_ROLE_VERIFIES LINK_STATE_ACTIVE`. */
function describe({ requirement_version: version, role, state }: Standing): string {
  return `${String(version)} ${role} ${state}`
}

function readStanding(was: string, current: number): Standing {
  const [version = '', role = 'LINK_ROLE_VERIFIES', state = 'LINK_STATE_ACTIVE'] = was.split(' ')
  const made = version === '' ? current : Number(version)
  return { requirement_version: made, role, state: made < current ? 'LINK_STATE_SUSPECT' : state }
}

interface LinkChange {
  /** Undefined for a new link. */
  before: StoredLink | undefined
  /** How it stood before, also when it was removed in between. */
  from: Standing | undefined
  role: string
  confirm: boolean
  reason: string | undefined
}

/** Records which exclusions a link that was made, changed or confirmed makes and ends (contract §7.2). */
export async function noteLink(rows: Rows, call: Writing, place: Place, change: LinkChange): Promise<void> {
  const { before, from, role, confirm, reason } = change
  const item = {
    productId: place.productId,
    itemType: 'link' as const,
    itemId: linkItem(place.testId, place.requirement.id),
  }
  const confirmed = { ...item, kind: 'link_confirmed' } as const
  if (confirm && from?.state === 'LINK_STATE_SUSPECT') await recordExclusion(rows, call, { ...confirmed, reason })
  else if (confirm) await repeatExclusion(rows, call, confirmed)
  const isBack = before === undefined && from !== undefined && !counts(from.role)
  if (counts(role) || isBack) await endExclusions(rows, call, { ...item, kinds: ['link_removed'] })
  else if (from !== undefined && counts(from.role)) {
    await recordExclusion(rows, call, { ...item, kind: 'link_removed', reason, was: describe(from) })
  }
}

/** Records the exclusion that the removal of a link makes, and ends that of its confirmation. */
export async function noteUnlinking(rows: Rows, call: Writing, link: StoredLink, reason?: string): Promise<void> {
  const { product_id: productId, test_id, requirement_id, role, state } = link
  const item = { productId, itemType: 'link' as const, itemId: linkItem(test_id, requirement_id) }
  await endExclusions(rows, call, { ...item, kinds: ['link_confirmed'] })
  if (!counts(role) && state !== 'LINK_STATE_SUSPECT') return
  await recordExclusion(rows, call, { ...item, kind: 'link_removed', reason, was: describe(link) })
}

/** Whether a link of that role counts as coverage. */
function counts(role: string): boolean {
  return role !== 'LINK_ROLE_EXERCISES'
}
