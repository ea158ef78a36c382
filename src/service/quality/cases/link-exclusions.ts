import type { Writing } from '../../shared/context.ts'
import type { Prepare, Rows } from '../../sql/database.ts'
import { endExclusions, linkItem, NEXT_REVISION, recordExclusion, repeatExclusion } from '../../workspace/exclusions.ts'
import { readTexts } from '../../sql/json.ts'
import { noteAddition, noteReportedAddition, undoesAddition } from '../coverage/additions.ts'
import type { StoredLink } from './link-view.ts'

interface Place {
  productId: number
  testId: string
  requirement: { id: string; version: number }
}

type Standing = Pick<StoredLink, 'role' | 'state' | 'requirement_version' | 'criterion_ids'>

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

/**
 * Puts a link that a report made again in the doubt that it was removed with, and ends the exclusion of its removal.
 * Returns how it stood, undefined for a new link.
 */
export async function restoreLink(
  prepare: Prepare,
  { productId, testId, requirement }: Place,
  now: number,
): Promise<Standing | undefined> {
  const item = linkItem(testId, requirement.id)
  const removed = await prepare(
    `UPDATE exclusion SET ended_at = ?, revision = ${NEXT_REVISION}
     WHERE item_id = ? AND kind = 'link_removed' AND product_id = ? AND ended_at IS NULL RETURNING was`,
  ).get<{ was: string }>(now, item, productId)
  if (removed === undefined) return undefined
  const standing = readStanding(removed.was, requirement.version)
  const { state, requirement_version } = standing
  await prepare('UPDATE test_link SET state = ?, requirement_version = ? WHERE test_id = ? AND requirement_id = ?').run(
    state,
    requirement_version,
    testId,
    requirement.id,
  )
  return standing
}

/** Lists the link of an agent's report that proves more than before by results from before (contract §7.2). */
export async function noteReportedLink(
  rows: Rows,
  call: Writing,
  place: Place,
  link: { from: Standing | undefined; isBack: boolean; criterionIds: readonly string[]; runId: string },
): Promise<void> {
  const { from, isBack, criterionIds, runId } = link
  const role = from?.role ?? 'LINK_ROLE_VERIFIES'
  if (!call.byAgent || !counts(role) || !(isBack || grows({ from, role, criterionIds }))) return
  const addition = { ...asItem(place), kind: 'link_added' } as const
  await noteReportedAddition(rows, call, addition, { testId: place.testId, runId, isNew: from === undefined })
}

/** `was` of a removed link: `3 LINK_ROLE_VERIFIES LINK_STATE_ACTIVE ["…"]`, with its criteria. */
function describe({ requirement_version: version, role, state, criterion_ids: criteria }: Standing): string {
  return `${String(version)} ${role} ${state} ${criteria}`
}

function readStanding(was: string, current: number): Standing {
  const [version = '', role = 'LINK_ROLE_VERIFIES', state = 'LINK_STATE_ACTIVE', criterion_ids = '[]'] = was.split(' ')
  const made = version === '' ? current : Number(version)
  return { requirement_version: made, role, state: made < current ? 'LINK_STATE_SUSPECT' : state, criterion_ids }
}

interface LinkChange {
  /** Undefined for a new link. */
  before: StoredLink | undefined
  /** How it stood before, also when it was removed in between. */
  from: Standing | undefined
  role: string
  criterionIds: readonly string[]
  confirm: boolean
  reason: string | undefined
}

/** Records which exclusions a link that was made, changed or confirmed makes and ends (contract §7.2). */
export async function noteLink(rows: Rows, call: Writing, place: Place, change: LinkChange): Promise<void> {
  const { before, from, role, confirm, reason } = change
  const item = asItem(place)
  const confirmed = { ...item, kind: 'link_confirmed' } as const
  if (confirm && from?.state === 'LINK_STATE_SUSPECT')
    await recordExclusion(rows, call, { ...confirmed, reason, was: describe(from) })
  else if (confirm) await repeatExclusion(rows, call, confirmed)
  const isBack = before === undefined && from !== undefined && !counts(from.role)
  if (counts(role) || isBack) {
    const [removed] = await endExclusions(rows, call, { ...item, kinds: ['link_removed'] })
    const earlier = removed === undefined ? from : readStanding(removed.was, place.requirement.version)
    await noteGrowth(rows, call, place, { ...change, from: earlier })
  } else if (from !== undefined && counts(from.role)) {
    await recordExclusion(rows, call, { ...item, kind: 'link_removed', reason, was: describe(from) })
  }
}

/** An agent's link that proves more than before is listed; a person who makes it again has seen it. */
async function noteGrowth(rows: Rows, call: Writing, place: Place, change: LinkChange): Promise<void> {
  if (!call.byAgent) return repeatExclusion(rows, call, { ...asItem(place), kind: 'link_added' })
  if (!counts(change.role) || !grows(change)) return
  await noteAddition(rows, call, { ...asItem(place), kind: 'link_added' }, place.testId, {
    isNew: change.from === undefined,
  })
}

/** Whether a link covers something that it did not cover before. */
function grows({ from, role, criterionIds }: Pick<LinkChange, 'from' | 'role' | 'criterionIds'>): boolean {
  if (from === undefined || !counts(from.role)) return true
  const earlier = readTexts(from.criterion_ids)
  if (from.role === 'LINK_ROLE_VERIFIES' && earlier.length === 0) return false
  const isWhole = role === 'LINK_ROLE_VERIFIES' && criterionIds.length === 0
  return isWhole || criterionIds.some((id) => !earlier.includes(id))
}

/** Records the exclusion that the removal of a link makes, and ends those of its confirmation and its making. */
export async function noteUnlinking(rows: Rows, call: Writing, link: StoredLink, reason?: string): Promise<void> {
  const { product_id: productId, test_id, requirement_id, role, state } = link
  const item = { productId, itemType: 'link' as const, itemId: linkItem(test_id, requirement_id) }
  const confirmations = await endExclusions(rows, call, { ...item, kinds: ['link_confirmed'] })
  if (await undoesAddition(rows, call, item, test_id)) return
  if (!counts(role) && state !== 'LINK_STATE_SUSPECT') return
  // What an agent confirmed and no person has seen is in doubt again when the link is made again.
  const doubted = confirmations.find(({ isReviewed }) => !isReviewed)
  await recordExclusion(rows, call, { ...item, kind: 'link_removed', reason, was: doubted?.was ?? describe(link) })
}

function asItem({ productId, testId, requirement }: Place) {
  return { productId, itemType: 'link' as const, itemId: linkItem(testId, requirement.id) }
}

/** Whether a link of that role counts as coverage. */
function counts(role: string): boolean {
  return role !== 'LINK_ROLE_EXERCISES'
}
