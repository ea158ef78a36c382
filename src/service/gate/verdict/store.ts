import { sql, type Selectable } from 'kysely'
import type * as z from 'zod'
import { VerdictStatus } from '../../../contract/quality-gate/policy.ts'
import type { Verdict } from '../../../contract/quality-gate/verdict.ts'
import type { Writing } from '../../shared/context.ts'
import { timestamp } from '../../shared/times.ts'
import type { Rows } from '../../sql/database.ts'
import { readOwnJson } from '../../sql/json.ts'
import type { VerdictRow } from '../../sql/schema-gate.ts'
import { audit } from '../../workspace/audit.ts'
import type { EarlierVerdict, Judgement } from '../judge/index.ts'
import type { GateScope } from '../scope.ts'

/** A row of `verdict`. */
export type StoredVerdict = Selectable<VerdictRow>

type VerdictBody = z.input<typeof Verdict>

/** What `verdict.body` holds: the judgement, and who asked for it after which verdict. */
export interface StoredBody extends Omit<Judgement, 'evidenceIdentities'> {
  previous: VerdictBody['previous']
  computed_by: VerdictBody['computed_by']
}

/** Verdicts that are kept per product; those of commits and git branches are counted apart, because each push has one. */
const KEPT = 500

/** A judged scope without what was read for it. */
export type ScopeIds = Pick<GateScope, 'productId' | 'releaseId' | 'environmentId' | 'commitSha' | 'gitBranch'>

/** The newest verdicts of a scope, newest first. */
export function newestVerdicts(rows: Rows, scope: ScopeIds, limit: number): Promise<StoredVerdict[]> {
  return ofScope(rows, scope).selectAll().orderBy('seq', 'desc').limit(limit).execute()
}

/** Earlier verdicts of a scope than one of them, newest first. */
export function earlierVerdicts(rows: Rows, scope: ScopeIds, seq: number, limit: number) {
  return ofScope(rows, scope)
    .select(['id', 'status', 'computed_at'])
    .where('seq', '<', seq)
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute()
}

/** The verdict with that id, if it is the product's. */
export function findVerdict(rows: Rows, productId: number, id: string): Promise<StoredVerdict | undefined> {
  return rows
    .selectFrom('verdict')
    .selectAll()
    .where('product_id', '=', productId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** The newest verdict on a release, whatever else its scope names. */
export async function readReleaseVerdict(rows: Rows, release: { id: string; product_id: number }) {
  const row = await rows
    .selectFrom('verdict')
    .select(['id', 'status', 'computed_at'])
    .where('product_id', '=', release.product_id)
    .where('release_id', '=', release.id)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (row === undefined) return null
  return { id: row.id, status: VerdictStatus.parse(row.status), computed_at: timestamp(row.computed_at) }
}

/** Stores a verdict and removes those that are too many; returns its row. */
export async function storeVerdict(
  rows: Rows,
  call: Writing,
  scope: ScopeIds,
  verdict: { digest: string; judgement: Judgement; body: StoredBody; now: number },
): Promise<StoredVerdict> {
  const { digest, judgement, body, now } = verdict
  const row = await rows
    .insertInto('verdict')
    .values({
      id: call.newId(),
      product_id: scope.productId,
      release_id: scope.releaseId,
      environment_id: scope.environmentId,
      commit_sha: scope.commitSha,
      git_branch: scope.gitBranch,
      status: judgement.status,
      inputs_digest: digest,
      body: JSON.stringify(body),
      evidence: JSON.stringify(groupByTime(judgement.evidenceIdentities)),
      computed_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await audit(rows, call, { verb: 'create', resourceType: 'verdict', resourceId: row.id, after: row })
  await removeOld(rows, row)
  return row
}

/** The column `body`, which only this module writes. */
export function readBody({ body }: Pick<StoredVerdict, 'body'>): StoredBody {
  return readOwnJson<StoredBody>(body)
}

/** An earlier verdict as the judgement reads it. */
export function asEarlier(row: StoredVerdict): EarlierVerdict {
  return { conditions: readBody(row).conditions, evidence: readEvidence(row) }
}

/** Since when each condition lists each of its items, in epoch milliseconds. */
export function readEvidence({ evidence }: Pick<StoredVerdict, 'evidence'>): EarlierVerdict['evidence'] {
  const grouped = readOwnJson<Record<string, Record<string, string[]>>>(evidence)
  return mapValues(grouped, (times) =>
    Object.fromEntries(Object.entries(times).flatMap(([at, items]) => items.map((item) => [item, Number(at)]))),
  )
}

/** Most items of a condition have the same time, which is so stored once. */
function groupByTime(evidence: Judgement['evidenceIdentities']) {
  return mapValues(evidence, (items) =>
    mapValues(
      Object.groupBy(Object.entries(items), ([, at]) => String(at)),
      (same = []) => same.map(([item]) => item),
    ),
  )
}

function mapValues<V, W>(record: Readonly<Record<string, V>>, map: (value: V) => W): Record<string, W> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
}

function ofScope(rows: Rows, { productId, releaseId, environmentId, commitSha, gitBranch }: ScopeIds) {
  return rows
    .selectFrom('verdict')
    .where('product_id', '=', productId)
    .where('release_id', '=', releaseId)
    .where('environment_id', '=', environmentId)
    .where('commit_sha', '=', commitSha)
    .where('git_branch', '=', gitBranch)
}

async function removeOld(rows: Rows, { product_id: productId, commit_sha: commit, git_branch: branch }: StoredVerdict) {
  const isOfPush = commit !== '' || branch !== ''
  const sameKind = sql<boolean>`product_id = ${productId} AND (commit_sha <> '' OR git_branch <> '') = ${isOfPush ? 1 : 0}`
  await rows
    .deleteFrom('verdict')
    .where(sameKind)
    .where('seq', '<=', (eb) =>
      eb.selectFrom('verdict').select('seq').where(sameKind).orderBy('seq', 'desc').limit(1).offset(KEPT),
    )
    .execute()
}
