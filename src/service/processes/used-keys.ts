import type { Database } from '../sql/database.ts'

/** Keys that count once, in all processes on the database. */
export interface UsedKeys {
  has(this: void, key: string): Promise<boolean>
  /** Marks a key as used; resolves to false if it was used before. It may be forgotten some time after `expiresAt`. */
  take(this: void, key: string, expiresAt: number, now: number): Promise<boolean>
  /** Lets it be used again, for whoever took it. */
  giveBack(this: void, key: string): Promise<void>
}

/** Longer than the clocks of two machines differ: a key that has ended here may still be valid there. */
const KEPT_AFTER_MS = 60 * 60_000

/** Keeps the keys in the database; those that nobody would accept any more are deleted with the next one. */
export function createUsedKeys(db: Database): UsedKeys {
  return {
    async has(key) {
      const row = await db.read.selectFrom('used_key').select('key').where('key', '=', key).executeTakeFirst()
      return row !== undefined
    },
    take(key, expiresAt, now) {
      return db.write(async (rows) => {
        const ended = now - KEPT_AFTER_MS
        await rows.deleteFrom('used_key').where('expires_at', '<', ended).execute()
        const taken = await rows
          .insertInto('used_key')
          .values({ key, expires_at: expiresAt })
          .onConflict((conflict) => conflict.doNothing())
          .returning('key')
          .executeTakeFirst()
        return taken !== undefined
      })
    },
    async giveBack(key) {
      await db.write((rows) => rows.deleteFrom('used_key').where('key', '=', key).execute())
    },
  }
}
