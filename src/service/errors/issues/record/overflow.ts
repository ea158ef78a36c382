import { hash } from 'node:crypto'
import type { Grouping } from '../../grouping/index.ts'
import type { Prepare, Rows } from '../../../sql/database.ts'
import { hourMs } from '../../../shared/times.ts'

/**
 * New issues of a product in an hour (decision 011): more than a bad release makes, and few enough that a stranger with
 * the public key leaves a list that can be read.
 */
export const newIssuesPerHour = 200

/** The hash that leads to the issue of a product that collects events; no event has it. */
const overflowHash = hash('sha256', 'the issue for events beyond the limit of new issues', 'hex')

/** The grouping of the issue that collects events. */
export interface OverflowGrouping extends Omit<Grouping, 'basis'> {
  basis: 'overflow'
}

/**
 * Whether an event may start an issue; reads one row, so that the cost does not depend on how many there are. Issues that
 * were started more than an hour from now are from a time when the clock was ahead: they would take all room until then.
 */
export async function hasRoomForIssue(
  prepare: Prepare,
  productId: number,
  { now, mostPerHour }: { now: number; mostPerHour: number },
): Promise<boolean> {
  if (mostPerHour === 0) return true
  const earlier = await prepare(
    'SELECT created_at FROM issue WHERE product_id = ? ORDER BY number DESC LIMIT 1 OFFSET ?',
  ).get<{ created_at: number }>(productId, mostPerHour - 1)
  return earlier === undefined || Math.abs(now - earlier.created_at) >= hourMs
}

/**
 * The same for an event with a server key: only issues that such events started count, so that strangers cannot use up
 * the room.
 */
export async function hasRoomForVouchedIssue(
  prepare: Prepare,
  productId: number,
  { now, mostPerHour }: { now: number; mostPerHour: number },
): Promise<boolean> {
  if (mostPerHour === 0) return true
  const earlier = await prepare(
    `SELECT started_at FROM vouched_issue WHERE product_id = ? AND started_at IS NOT NULL AND started_at < ?
     ORDER BY started_at DESC LIMIT 1 OFFSET ?`,
  ).get<{ started_at: number }>(productId, now + hourMs, mostPerHour - 1)
  return earlier === undefined || earlier.started_at <= now - hourMs
}

/**
 * The grouping of an event that starts no issue: that of the one issue of its product that collects such events. The
 * hashes of the event stay unknown, so that it starts an issue when there is room again.
 */
export function overflowGrouping({ algorithm }: Pick<Grouping, 'algorithm'>, mostPerHour: number): OverflowGrouping {
  return {
    algorithm,
    basis: 'overflow',
    hash: overflowHash,
    other_hashes: [],
    loose_hashes: [],
    title: `More than ${mostPerHour} new issues in an hour: further errors are collected in this issue`,
    type: '',
    value: '',
    culprit: '',
    frames: [],
    explanation: [
      `The product had ${mostPerHour} new issues within an hour, so these events started none of their own.`,
      'Its events are different errors: each has its own title and stack. None is lost; all are counted here.',
      'Issues that existed before go on to receive their events.',
      'When there is room again, the next event of an error starts its own issue.',
      'The operator of the service raises the limit with TRACEGATE_NEW_ISSUES_PER_HOUR.',
    ],
  }
}

/** The id of the issue of a product that collects events, '' without one. */
export async function findOverflowIssue(rows: Rows, productId: number): Promise<string> {
  const found = await rows
    .selectFrom('issue_hash')
    .select('issue_id')
    .where('product_id', '=', productId)
    .where('hash', '=', overflowHash)
    .executeTakeFirst()
  return found?.issue_id ?? ''
}
