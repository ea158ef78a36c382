import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { OpenDatabase } from '../sql/database.ts'

/** How long the database may take to answer a probe. */
const LONGEST_MS = 2_000

/** Whether a process can serve requests, for probes of a balancer. */
export interface Readiness {
  /** Resolves to why it cannot, in words without anything confidential; undefined if it can. */
  problem(this: void): Promise<string | undefined>
  /** From here on it cannot: a balancer sends new requests elsewhere while the last ones end. */
  stop(this: void): void
}

export function createReadiness(db: Pick<OpenDatabase, 'read' | 'problem'>): Readiness {
  let isStopping = false
  return {
    async problem() {
      if (isStopping) return 'the service is stopping'
      const answered = sql`SELECT 1`.execute(db.read).then(
        () => true,
        () => false,
      )
      const isReady = await Promise.race([answered, sleep(LONGEST_MS, false, { ref: false })])
      return isReady ? db.problem?.() : 'the database does not answer'
    },
    stop: () => void (isStopping = true),
  }
}
