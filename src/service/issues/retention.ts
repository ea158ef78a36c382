import type { Database, Statement } from '../sql/database.ts'
import { dayMs, hourMs } from '../times.ts'
import { resolutions } from './buckets.ts'
import { Settings } from './columns.ts'

type Prepare = (sql: string) => Statement

/** Page tokens (decision 010) and repeated deliveries need what came just now. */
const SPARED_MS = hourMs
/** Rows per transaction: events that arrive meanwhile wait for it. */
const STEP = 1_000
/** Transactions per run; the rest is for the next one. */
const LARGEST_RUN = 50

export interface Removed {
  occurrences: number
  rollups: number
}

/**
 * Removes occurrences beyond their product's `retention_days` and `max_events_per_issue`, and fine-grained rollups past
 * their time (CONTRACT §13); `now` is epoch milliseconds. Every issue keeps its first and its newest occurrence; above
 * the cap an even sample stays, so that repeated runs leave fewer the older they are. Counters are never reduced. One
 * run does a bounded amount of work in small transactions; call it hourly.
 */
export async function runRetention(db: Database, now: number): Promise<Removed> {
  const removed: Removed = { occurrences: 0, rollups: 0 }
  const budget = { steps: LARGEST_RUN }
  const products = await db.read.selectFrom('product').select(['id', 'settings']).execute()
  for (const { id, settings } of products) {
    const { retention_days, max_events_per_issue } = Settings.parse(JSON.parse(settings))
    const olderThan = now - Math.max(retention_days * dayMs, SPARED_MS)
    removed.occurrences += await repeat(db, budget, (prepare) => removeOld(prepare, id, olderThan))
    removed.occurrences += await thinLoudIssues(db, budget, { productId: id, cap: max_events_per_issue, now })
  }
  for (const { seconds, keptMs } of resolutions) {
    if (!Number.isFinite(keptMs)) continue
    removed.rollups += await repeat(db, budget, (prepare) => removeRollups(prepare, seconds, now - keptMs))
  }
  return removed
}

interface Budget {
  steps: number
}

/** Repeats a step until it finds less than it may take, or the run's budget is used up; the sum of what it removed. */
async function repeat(db: Database, budget: Budget, step: (prepare: Prepare) => number): Promise<number> {
  let total = 0
  let changes = STEP
  while (changes >= STEP && budget.steps > 0) {
    budget.steps -= 1
    changes = await db.batch(step)
    total += changes
  }
  return total
}

function removeOld(prepare: Prepare, productId: number, olderThan: number): number {
  const { changes } = prepare(
    `DELETE FROM occurrence WHERE seq IN (
       SELECT seq FROM occurrence AS old WHERE product_id = ?1 AND received_at < ?2
         AND id <> (SELECT id FROM occurrence WHERE issue_id = old.issue_id ORDER BY timestamp, id LIMIT 1)
         AND id <> (SELECT id FROM occurrence WHERE issue_id = old.issue_id ORDER BY timestamp DESC, id DESC LIMIT 1)
       LIMIT ?3)`,
  ).run(productId, olderThan, STEP)
  return changes
}

/** Thins out every issue with more occurrences than the cap, the loudest first. */
async function thinLoudIssues(
  db: Database,
  budget: Budget,
  { productId, cap, now }: { productId: number; cap: number; now: number },
): Promise<number> {
  const spared = await newestSeqBefore(db, productId, now - SPARED_MS)
  const issues = await db.read
    .selectFrom('issue')
    .select('id')
    .where('product_id', '=', productId)
    // Only an issue that was seen more often can have too many.
    .where('times_seen', '>', cap)
    .orderBy('times_seen', 'desc')
    .execute()
  let total = 0
  for (const { id } of issues) {
    if (budget.steps <= 0) break
    const surplus = await surplusOf(db, id, cap)
    const doomed = surplus.filter((seq) => seq <= spared)
    if (doomed.length === 0) continue
    total += await repeat(db, budget, (prepare) => removeOccurrences(prepare, doomed.splice(0, STEP)))
  }
  return total
}

async function newestSeqBefore(db: Database, productId: number, time: number): Promise<number> {
  const row = await db.read
    .selectFrom('occurrence')
    .select('seq')
    .where('product_id', '=', productId)
    .where('received_at', '<', time)
    .orderBy('received_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.seq ?? 0
}

/** `seq` of what exceeds the cap: all but the first, the last and evenly spread ones between. */
async function surplusOf(db: Database, issueId: string, cap: number): Promise<number[]> {
  const { total } = await db.read
    .selectFrom('occurrence')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('issue_id', '=', issueId)
    .executeTakeFirstOrThrow()
  if (total <= cap) return []
  const all = await db.read
    .selectFrom('occurrence')
    .select('seq')
    .where('issue_id', '=', issueId)
    .orderBy('timestamp')
    .orderBy('id')
    .execute()
  const sample = sampleOf(all.length, cap)
  return all.filter((_, index) => !sample.has(index)).map(({ seq }) => seq)
}

/** `size` positions of 0 … count-1, the first and the last among them, the others evenly between (two at least). */
export function sampleOf(count: number, size: number): Set<number> {
  const gaps = Math.max(1, size - 1)
  return new Set(Array.from({ length: gaps + 1 }, (_, index) => Math.round((index * (count - 1)) / gaps)))
}

function removeOccurrences(prepare: Prepare, seqs: readonly number[]): number {
  const statement = prepare('DELETE FROM occurrence WHERE seq = ?')
  return seqs.reduce((changes, seq) => changes + statement.run(seq).changes, 0)
}

function removeRollups(prepare: Prepare, resolution: number, before: number): number {
  const { changes } = prepare(
    `DELETE FROM occurrence_rollup WHERE (issue_id, resolution, bucket, environment_id, release_id) IN (
       SELECT issue_id, resolution, bucket, environment_id, release_id FROM occurrence_rollup
       WHERE resolution = ?1 AND resolution < 3600 AND bucket < ?2 LIMIT ?3)`,
  ).run(resolution, before, STEP)
  return changes
}
