import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { environments, type Plan } from './plan.ts'

/** An issue that the service has stored with one occurrence, which is the pattern of its others. */
export interface Pattern {
  issueId: string
  productId: number
}

/**
 * Writes what is planned as a narrow temporary table, `fact`, and the pattern of each issue as `pattern`; `occurrence` is
 * empty afterwards.
 */
export function writeFacts(db: DatabaseSync, plan: Plan, patterns: readonly Pattern[]): void {
  db.exec(`CREATE TEMP TABLE pattern AS SELECT * FROM occurrence
    WHERE seq IN (SELECT min(seq) FROM occurrence GROUP BY issue_id);
    CREATE UNIQUE INDEX temp.pattern_issue ON pattern (issue_id);
    DELETE FROM occurrence;
    CREATE TEMP TABLE fact (seq INTEGER PRIMARY KEY, id TEXT, sdk_event_id TEXT, issue_id TEXT, timestamp INTEGER,
      environment_id TEXT, environment TEXT, release_id TEXT, version TEXT, user_hash TEXT, first_before INTEGER,
      last_before INTEGER, times_before INTEGER)`)
  const place = createPlaces(db)
  const insert = db.prepare(`INSERT INTO fact VALUES (${Array(13).fill('?').join(', ')})`)
  const seen = patterns.map(() => ({ first: 0, last: 0, times: 0 }))
  for (const [index, time] of plan.time.entries()) {
    const issue = plan.issue[index] ?? 0
    const { issueId, productId } = patterns[issue]!
    const before = seen[issue]!
    const isFirst = before.times === 0
    insert.run(
      index + 1,
      uuid7(time, index),
      eventId(index),
      issueId,
      time,
      ...place(productId, plan.environment[index] ?? 0, plan.release[index] ?? -1),
      userHash(plan.user[index] ?? -1),
      isFirst ? null : before.first,
      isFirst ? null : before.last,
      before.times,
    )
    if (isFirst) before.first = time
    before.last = time
    before.times += 1
  }
}

/** The name of the release of a day, from 0. */
export function versionOf(product: number, day: number): string {
  return `${product === 0 ? 'shop' : `app${String(product)}`}@2.${String(day)}.0`
}

/** Ids and names of environments and releases: of a day -1, and of a release that does not exist, both are empty. */
function createPlaces(db: DatabaseSync) {
  const rows = db
    .prepare(
      `SELECT environment.product_id, environment.name, environment.id, release.id AS release_id, release.version
       FROM environment LEFT JOIN release ON release.environment_id = environment.id`,
    )
    .all()
  const ids = new Map<string, SQLInputValue[]>()
  for (const { product_id: product, name, id, release_id: releaseId, version } of rows) {
    const key = `${String(product)} ${String(name)}`
    ids.set(`${key} -1`, [id!, name!, '', ''])
    const day = /@2\.(\d+)\.0$/.exec(String(version))?.[1]
    if (day !== undefined) ids.set(`${key} ${day}`, [id!, name!, releaseId!, version!])
  }
  return (productId: number, environment: number, day: number): SQLInputValue[] => {
    const found = ids.get(`${String(productId)} ${environments[environment] ?? ''} ${String(day)}`)
    if (found === undefined) throw new Error(`no release of day ${String(day)} in product ${String(productId)}`)
    return found
  }
}

/** A UUID of version 7 of the time, different for each index. */
function uuid7(time: number, index: number): string {
  const at = time.toString(16).padStart(12, '0')
  const mixed = mix(index)
  const tail = index.toString(16).padStart(12, '0')
  return `${at.slice(0, 8)}-${at.slice(8)}-7${mixed.slice(0, 3)}-8${mixed.slice(3, 6)}-${tail}`
}

/** 32 hex in no order, as SDKs choose them. */
function eventId(index: number): string {
  return mix(index) + mix(index + 0x5bd1e995) + mix(index ^ 0x1b873593) + index.toString(16).padStart(8, '0')
}

function userHash(user: number): string {
  return user < 0 ? '' : mix(user) + mix(~user) + user.toString(16).padStart(16, '0')
}

/** 8 hex that spread over the range. */
function mix(value: number): string {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return ((mixed ^ (mixed >>> 16)) >>> 0).toString(16).padStart(8, '0')
}
