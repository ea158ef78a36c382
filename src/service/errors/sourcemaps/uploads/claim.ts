import type { ExpressionBuilder } from 'kysely'
import { ServiceError } from '../../../../errors.ts'
import type { Platform } from '../../../shared/context.ts'
import { hourMs } from '../../../shared/times.ts'
import type { Database } from '../../../sql/database.ts'
import type { Schema } from '../../../sql/schema.ts'
import type { StoredUpload } from './stored.ts'
import { openStates, type State } from './states.ts'

const RENEWED_EVERY_MS = 60_000
/** A claim that has not been renewed for this long belongs to a process that has ended. */
const claimMs = 3 * 60 * 1000

export interface Claim {
  /** Restores the upload's earlier state, so that its bytes can be sent again or another confirm can run. */
  release(): Promise<void>
  /** Call at the end, whatever the outcome. */
  stop(): void
}

/**
 * Puts an upload into the state PROCESSING, in which no bytes are accepted and which no other process touches as long
 * as the claim is renewed. Throws `unavailable` when another process holds the claim; the claim of a process that died
 * expires after three minutes.
 */
export async function claimUpload(
  { db, platform }: { db: Database; platform: Platform },
  upload: StoredUpload,
): Promise<Claim> {
  const claimed = await db.write((rows) =>
    rows
      .updateTable('sourcemap')
      .set({ state: 'SOURCEMAP_STATE_PROCESSING' satisfies State, confirmed_at: platform.now() })
      .where('id', '=', upload.id)
      .where(unclaimed(platform.now()))
      .executeTakeFirst(),
  )
  if (claimed.numUpdatedRows === 0n) throw busy(upload.id)
  const set = (change: { state?: State; confirmed_at: number | null }) =>
    db.write((rows) =>
      rows
        .updateTable('sourcemap')
        .set(change)
        .where('id', '=', upload.id)
        .where('state', '=', 'SOURCEMAP_STATE_PROCESSING' satisfies State)
        .execute(),
    )
  // If a renewal fails, the next one makes up for it.
  const renew = () => void set({ confirmed_at: platform.now() }).catch(() => undefined)
  const timer = setInterval(renew, RENEWED_EVERY_MS).unref()
  return {
    async release() {
      clearInterval(timer)
      const wasSent = upload.state !== ('SOURCEMAP_STATE_PENDING_UPLOAD' satisfies State)
      await set({
        state: wasSent ? 'SOURCEMAP_STATE_UPLOADED' : 'SOURCEMAP_STATE_PENDING_UPLOAD',
        confirmed_at: null,
      })
    },
    stop: () => clearInterval(timer),
  }
}

/**
 * The condition for uploads that are unconfirmed and not being read, at a time in epoch milliseconds. A claim from more than an
 * hour ahead is from a time when the clock was wrong.
 */
export function unclaimed(now: number) {
  return (eb: ExpressionBuilder<Schema, 'sourcemap'>) =>
    eb.or([
      eb('state', 'in', openStates),
      eb.and([
        eb('state', '=', 'SOURCEMAP_STATE_PROCESSING' satisfies State),
        eb.or([eb('confirmed_at', '<', now - claimMs), eb('confirmed_at', '>', now + hourMs)]),
      ]),
    ])
}

function busy(id: string): ServiceError {
  return new ServiceError(
    'unavailable',
    `source map ${id} is being read by another process; confirm again in a moment`,
    {
      reason: 'CONFIRM_UNDER_WAY',
      retryAfterSeconds: 10,
    },
  )
}
