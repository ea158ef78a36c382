import type { App } from '../../../app.ts'

/** Requests at a time: their events share a commit. */
const IN_FLIGHT = 128

/** Sends so many envelopes of one event each through the ingest of an app. Throws when one is not stored. */
export async function sendEvents(
  app: App,
  { count, event }: { count: number; event: () => Record<string, unknown> },
): Promise<void> {
  let left = count
  const sender = async () => {
    while (left-- > 0) {
      const { status, body } = await app.ingest(event())
      if (status !== 200) throw new Error(`an event was answered with ${String(status)}: ${JSON.stringify(body)}`)
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, sender))
}

/** Takes the rate limit off all keys. */
export async function unlimit({ db }: App): Promise<void> {
  await db.batch((prepare) => prepare('UPDATE dsn_key SET rate_per_second = 0').run())
}
