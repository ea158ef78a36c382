import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Database, Prepare, Statement } from '../../sql/database.ts'
import { chunks } from '../../sql/chunks.ts'
import { inSteps, PAUSE_MS, STEP } from '../../sql/in-steps.ts'
import { dayMs, hourMs } from '../../shared/times.ts'
import { removeDictionaries } from './bodies/remove.ts'
import { activityKeptMs } from '../../workspace/activity.ts'
import { resolutions } from './buckets.ts'
import { readJson } from '../../sql/json.ts'
import { StoredSettings } from '../../workspace/settings.ts'

/** Page tokens (decision 010) and repeated deliveries need recent occurrences. */
const SPARED_MS = hourMs
/** Rows per read. */
const PAGE = 5_000
/** Issues whose rollups are removed in one transaction. */
const ISSUES_PER_STEP = 50

export interface Removed {
  occurrences: number
  /** Of occurrences that stay. */
  bodies: number
  rollups: number
}

/**
 * Removes occurrences beyond their product's `retention_days` and `max_events_per_issue`, and fine-grained rollups past
 * their time (contract §13); `now` is epoch milliseconds. Every issue keeps its first and its newest occurrence,
 * without their bodies once they are past `retention_days`; above the cap an evenly spread sample stays, so that after
 * repeated runs older occurrences are sparser. Dictionaries go with the last body that needs them. Counters are never reduced. Runs in small transactions with pauses;
 * `signal` ends the run after the current transaction.
 */
export async function runRetention(
  db: Database,
  now: number,
  signal: AbortSignal = new AbortController().signal,
): Promise<Removed> {
  const run: RetentionRun = { db, now, signal }
  const removed: Removed = { occurrences: 0, bodies: 0, rollups: 0 }
  const products = await db.read.selectFrom('product').select(['id', 'settings']).execute()
  for (const { id, settings } of products) {
    const { retention_days, max_events_per_issue } = readJson(StoredSettings, settings)
    const old = await removeOld(run, id, now - Math.max(retention_days * dayMs, SPARED_MS))
    removed.bodies += old.bodies
    removed.occurrences += old.occurrences + (await thinLoudIssues(run, id, max_events_per_issue))
  }
  await removeDictionaries(run)
  for (const { seconds, keptMs } of resolutions) {
    if (!Number.isFinite(keptMs)) continue
    removed.rollups += await removeRollups(run, seconds, now - keptMs)
  }
  removed.rollups += await inSteps(run, (prepare) => removeActivity(prepare, now - activityKeptMs))
  return removed
}

interface RetentionRun {
  db: Database
  now: number
  signal: AbortSignal
}

interface OldOccurrence {
  seq: number
  received_at: number
  /** 1 for an issue's first or newest occurrence. */
  spared: number
  /** 1 while the body is there. */
  whole: number
}

/** Goes through everything older than `olderThan`, in the order of arrival. */
async function removeOld({ db, signal }: RetentionRun, productId: number, olderThan: number) {
  const removed = { occurrences: 0, bodies: 0 }
  let after: Pick<OldOccurrence, 'seq' | 'received_at'> | undefined = { seq: 0, received_at: Number.MIN_SAFE_INTEGER }
  while (after !== undefined && !signal.aborted) {
    const from: Pick<OldOccurrence, 'seq' | 'received_at'> = after
    const old = await db.batch(async (prepare) => {
      const found = await oldAfter(prepare, productId, olderThan, from)
      const doomed = found.filter(({ spared }) => spared === 0)
      const occurrences = await removeOccurrences(prepare, doomed)
      removed.occurrences += occurrences
      const bodies = await removeBodies(prepare, found)
      removed.bodies += bodies
      return found
    })
    after = old.length < STEP ? undefined : old.at(-1)
    if (after !== undefined) await sleep(PAUSE_MS)
  }
  return removed
}

/**
 * The next occurrences in the order of arrival. Two queries, each read straight from the index, however many arrived at
 * the same time.
 */
async function oldAfter(
  prepare: Prepare,
  productId: number,
  olderThan: number,
  after: Pick<OldOccurrence, 'seq' | 'received_at'>,
): Promise<OldOccurrence[]> {
  const select = `SELECT seq, received_at, body IS NOT NULL AS whole,
      seq IN ((SELECT seq FROM occurrence WHERE issue_id = old.issue_id ORDER BY timestamp, seq LIMIT 1),
        (SELECT seq FROM occurrence WHERE issue_id = old.issue_id ORDER BY timestamp DESC, seq DESC LIMIT 1)) AS spared
    FROM occurrence AS old WHERE product_id = ?1`
  const sameTime = prepare(`${select} AND received_at = ?2 AND seq > ?3 ORDER BY seq LIMIT ?4`)
  const later = prepare(`${select} AND received_at > ?2 AND received_at < ?3 ORDER BY received_at, seq LIMIT ?4`)
  const found = await sameTime.all<OldOccurrence>(productId, after.received_at, after.seq, STEP)
  return [...found, ...(await later.all<OldOccurrence>(productId, after.received_at, olderThan, STEP - found.length))]
}

function removeBodies(prepare: Prepare, old: readonly OldOccurrence[]): Promise<number> {
  const statement = prepare('UPDATE occurrence SET body = NULL, dictionary_id = NULL WHERE seq = ?')
  const kept = old.filter(({ spared, whole }) => spared === 1 && whole === 1)
  return runForEach(statement, kept)
}

/** Thins out every issue with more occurrences than the cap, the loudest first. */
async function thinLoudIssues(run: RetentionRun, productId: number, cap: number): Promise<number> {
  const { db, now, signal } = run
  const spared = await newestSeqBefore(db, productId, now - SPARED_MS)
  const issues = await db.read
    .selectFrom('issue')
    .select('id')
    .where('product_id', '=', productId)
    // Only an issue that was seen more often than that can have too many.
    .where('times_seen', '>', cap)
    .orderBy('times_seen', 'desc')
    .execute()
  let total = 0
  for (const { id } of issues) {
    if (signal.aborted) break
    const surplus = await findSurplus(db, id, cap)
    const doomed = surplus.filter(({ seq }) => seq <= spared)
    if (doomed.length === 0) continue
    total += await inSteps(run, (prepare) => removeSurplus(prepare, { issueId: id, cap, doomed }))
  }
  return total
}

/** Not below the cap: another process may have chosen others since, and removed them. */
async function removeSurplus(
  prepare: Prepare,
  { issueId, cap, doomed }: { issueId: string; cap: number; doomed: { seq: number }[] },
): Promise<number> {
  const found = await prepare('SELECT count(*) AS total FROM occurrence WHERE issue_id = ?').get<{ total: number }>(
    issueId,
  )
  const surplus = Math.max(0, (found?.total ?? 0) - cap)
  return removeOccurrences(prepare, doomed.splice(0, Math.min(STEP, surplus)))
}

async function newestSeqBefore(db: Database, productId: number, time: number): Promise<number> {
  const row = await db.read
    .selectFrom('occurrence')
    .select('seq')
    .where('product_id', '=', productId)
    .where('received_at', '<', time)
    .orderBy('received_at', 'desc')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.seq ?? 0
}

/**
 * Occurrences beyond the cap: all but the first, the last and evenly spread ones in between. Those that came with a server
 * key stay before any other, so that strangers cannot displace them.
 */
async function findSurplus(db: Database, issueId: string, cap: number): Promise<{ seq: number }[]> {
  await nextTurn()
  const { total } = await db.read
    .selectFrom('occurrence')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('issue_id', '=', issueId)
    .executeTakeFirstOrThrow()
  if (total <= cap) return []
  const all = await listOccurrences(db, issueId)
  const vouched = keepEvenly(
    all.filter((one) => one.vouched === 1),
    cap,
  )
  const others = all.filter((one) => one.vouched === 0)
  const kept = new Set([...vouched, ...keepEvenly(others, cap - vouched.length), all[0], all.at(-1)])
  return all.filter((one) => !kept.has(one))
}

function keepEvenly<T>(all: readonly T[], most: number): readonly T[] {
  if (all.length <= most) return all
  if (most < 2) return []
  const sample = evenSample(all.length, most)
  return all.filter((_, index) => sample.has(index))
}

/** From the oldest to the newest. Read in pages, between which the process can serve requests. */
async function listOccurrences(db: Database, issueId: string) {
  const all: { seq: number; timestamp: number; vouched: number }[] = []
  for (;;) {
    const { timestamp, seq } = all.at(-1) ?? { timestamp: Number.MIN_SAFE_INTEGER, seq: 0 }
    const page = await db.read
      .selectFrom('occurrence')
      .select(['seq', 'timestamp', 'vouched'])
      .where('issue_id', '=', issueId)
      .where((eb) => eb(eb.refTuple('timestamp', 'seq'), '>', eb.tuple(timestamp, seq)))
      .orderBy('timestamp')
      .orderBy('seq')
      .limit(PAGE)
      .execute()
    for (const row of page) all.push(row)
    if (page.length < PAGE) return all
    await nextTurn()
  }
}

/** `size` positions of 0 … count-1, including the first and the last, the others spread evenly (at least two). */
export function evenSample(count: number, size: number): Set<number> {
  const gaps = Math.max(1, size - 1)
  return new Set(Array.from({ length: gaps + 1 }, (_, index) => Math.round((index * (count - 1)) / gaps)))
}

/** Many in one statement: a server counts them once for each (decision 126). */
async function removeOccurrences(prepare: Prepare, doomed: readonly { seq: number }[]): Promise<number> {
  const removing = [...chunks(doomed)].map((some) => {
    const statement = prepare(`DELETE FROM occurrence WHERE seq IN (${some.map(() => '?').join(', ')})`)
    return statement.run(...some.map(({ seq }) => seq))
  })
  const done = await Promise.all(removing)
  return done.reduce((sum, { changes }) => sum + changes, 0)
}

/** Each without waiting for the one before: a server answers them together. */
async function runForEach(statement: Statement, occurrences: readonly { seq: number }[]): Promise<number> {
  const done = await Promise.all(occurrences.map(({ seq }) => statement.run(seq)))
  return done.reduce((sum, { changes }) => sum + changes, 0)
}

/**
 * Goes through all issues and not through an index by age: counting an occurrence would write that index at a random
 * place, and this runs rarely.
 */
async function removeRollups({ db, signal }: RetentionRun, resolution: number, before: number): Promise<number> {
  let removed = 0
  for (let after = ''; !signal.aborted;) {
    const from = after
    const issues = await db.batch(async (prepare) => {
      const found = await prepare('SELECT id FROM issue WHERE id > ? ORDER BY id LIMIT ?').all<{ id: string }>(
        from,
        ISSUES_PER_STEP,
      )
      const remove = prepare('DELETE FROM occurrence_rollup WHERE issue_id = ? AND resolution = ? AND bucket < ?')
      const done = await Promise.all(found.map(({ id }) => remove.run(id, resolution, before)))
      for (const { changes } of done) removed += changes
      return found
    })
    after = issues.at(-1)?.id ?? ''
    if (issues.length < ISSUES_PER_STEP) break
    await sleep(PAUSE_MS)
  }
  return removed
}

async function removeActivity(prepare: Prepare, before: number): Promise<number> {
  const { changes } = await prepare(
    `DELETE FROM activity WHERE (subject_id, bucket) IN (SELECT subject_id, bucket FROM activity WHERE bucket < ?1 LIMIT ?2)`,
  ).run(before, STEP)
  return changes
}
