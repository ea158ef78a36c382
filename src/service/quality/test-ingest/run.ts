import type { Selectable } from 'kysely'
import * as z from 'zod'
import type { InputOf } from '../../../contract/index.ts'
import type { TokenKind } from '../../../contract/products.ts'
import type { TestRun } from '../../../contract/test-ingest.ts'
import type { Call } from '../../shared/context.ts'
import { ensureEnvironment } from '../../workspace/releases/environments.ts'
import { ensureRelease } from '../../workspace/releases/releases.ts'
import { defaultEnvironmentName } from '../../workspace/releases/rules.ts'
import type { Prepare, Rows } from '../../sql/database.ts'
import type { TestRunRow } from '../../sql/schema-quality.ts'
import { timestampOrNull } from '../../shared/times.ts'
import { readJson } from '../../sql/json.ts'
import type { ReadDraft } from './decode.ts'

export type StoredRun = Selectable<TestRunRow>

/** Schema of the JSON column `test_run.shards`: the indexes of the shards that have arrived. */
export const Shards = z.array(z.int())

export interface RunFacts {
  productId: number
  run: InputOf<'ingestTests'>['run']
  draft: Pick<ReadDraft, 'contentKey' | 'started_at' | 'finished_at'>
}

/**
 * Creates or joins the run of a report: reports with the same key are one run (contract §4.1). A named environment or
 * release is created if missing; a release without an environment belongs to production. Values of an earlier report
 * stay; those it omitted are filled in.
 */
export async function ensureRun(
  rows: Rows,
  prepare: Prepare,
  call: Sending,
  { productId, run = {}, draft }: RunFacts,
): Promise<{ run: StoredRun; differs: boolean }> {
  const { environmentId, releaseId } = await ensureRunLocation(rows, call, productId, run)
  const startedAt = run.started_at === undefined ? draft.started_at : Date.parse(run.started_at)
  const sender = senderKind(call)
  const givenKey = run.run_key === undefined || run.run_key === '' ? draft.contentKey : run.run_key
  const runKey = await ownKey(prepare, { productId, runKey: givenKey, sender })
  const find = prepare('SELECT environment_id, release_id FROM test_run WHERE product_id = ? AND run_key = ?')
  const before = await find.get<RunLocation>(productId, runKey)
  await prepare(
    `INSERT INTO test_run (id, product_id, run_key, commit_sha, git_branch, environment_id, release_id, started_at,
       finished_at, ci_url, created_at, sender, shard_total) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (product_id, run_key) DO UPDATE SET
       commit_sha = CASE test_run.commit_sha WHEN '' THEN excluded.commit_sha ELSE test_run.commit_sha END,
       git_branch = CASE test_run.git_branch WHEN '' THEN excluded.git_branch ELSE test_run.git_branch END,
       environment_id = CASE test_run.environment_id WHEN '' THEN excluded.environment_id ELSE test_run.environment_id END,
       release_id = CASE test_run.release_id WHEN '' THEN excluded.release_id ELSE test_run.release_id END,
       ci_url = CASE test_run.ci_url WHEN '' THEN excluded.ci_url ELSE test_run.ci_url END,
       started_at = CASE WHEN excluded.started_at < test_run.started_at THEN excluded.started_at
         ELSE coalesce(test_run.started_at, excluded.started_at) END,
       finished_at = CASE WHEN excluded.finished_at > test_run.finished_at THEN excluded.finished_at
         ELSE coalesce(test_run.finished_at, excluded.finished_at) END,
       shard_total = CASE excluded.shard_total WHEN 0 THEN test_run.shard_total ELSE excluded.shard_total END`,
  ).run(
    call.newId(),
    productId,
    runKey,
    run.commit_sha ?? '',
    run.git_branch ?? '',
    environmentId,
    releaseId,
    startedAt,
    draft.finished_at,
    run.ci_url ?? '',
    call.now(),
    sender,
    run.shard_total ?? 0,
  )
  const stored = await rows
    .selectFrom('test_run')
    .selectAll()
    .where('product_id', '=', productId)
    .where('run_key', '=', runKey)
    .executeTakeFirstOrThrow()
  if (before !== undefined) await placeResults(prepare, stored.id, before, stored)
  const { commit_sha = '', git_branch = '' } = run
  const said = { commit_sha, git_branch, environment_id: environmentId, release_id: releaseId }
  const names = Object.keys(said) as (keyof typeof said)[]
  return { run: stored, differs: names.some((name) => said[name] !== '' && said[name] !== stored[name]) }
}

type RunLocation = Pick<StoredRun, 'environment_id' | 'release_id'>

/** Gives results of a run the environment and release that it did not have when they were stored. */
async function placeResults(prepare: Prepare, runId: string, before: RunLocation, after: RunLocation): Promise<void> {
  const { environment_id: environment, release_id: release } = after
  if (before.environment_id === environment && before.release_id === release) return
  await prepare(
    `UPDATE test_result SET environment_id = CASE environment_id WHEN '' THEN ? ELSE environment_id END,
       release_id = CASE release_id WHEN '' THEN ? ELSE release_id END WHERE run_id = ?`,
  ).run(environment, release, runId)
}

/** Who sends a report, and when. */
export type Sending = Pick<Call, 'now' | 'newId' | 'principal' | 'byAgent'>

/** The kind of token behind a report; what comes through a tool is an agent's. */
function senderKind({ principal, byAgent }: Sending): z.output<typeof TokenKind> {
  return byAgent ? 'agent' : principal.tokenKind
}

/**
 * The key of the sender's run: a run has one kind of sender, so that nobody adds to the results of CI. What another kind
 * sends with the same key is a run of its own.
 */
async function ownKey(
  prepare: Prepare,
  { productId, runKey, sender }: { productId: number; runKey: string; sender: string },
): Promise<string> {
  const find = prepare('SELECT sender FROM test_run WHERE product_id = ? AND run_key = ?')
  let key = runKey
  for (;;) {
    const taken = await find.get<{ sender: string }>(productId, key)
    if (taken === undefined || taken.sender === sender) return key
    key = `${key} (${sender})`
  }
}

/** Marks a run while a report is being stored, so that a report that is cut off can be told from a complete one. */
export async function beginRun(
  prepare: Prepare,
  run: StoredRun,
  { contentKey }: Pick<ReadDraft, 'contentKey'>,
): Promise<void> {
  await prepare(`UPDATE test_run SET incomplete = ? WHERE id = ? AND incomplete = ''`).run(contentKey, run.id)
}

export async function finishRun(
  prepare: Prepare,
  run: StoredRun,
  { contentKey, shardIndex }: Pick<ReadDraft, 'contentKey'> & { shardIndex: number | undefined },
): Promise<void> {
  await prepare(`UPDATE test_run SET incomplete = '' WHERE id = ? AND incomplete = ?`).run(run.id, contentKey)
  await addShard(prepare, run, shardIndex)
  // Another report may have named them while this one was being stored.
  const location = prepare('SELECT environment_id, release_id FROM test_run WHERE id = ?')
  await placeResults(prepare, run.id, run, (await location.get<RunLocation>(run.id)) ?? run)
}

/** Notes that a shard has arrived whole. A report without an index is a part of one, which counts with its last part. */
async function addShard(prepare: Prepare, { id }: StoredRun, index: number | undefined): Promise<void> {
  const row = await prepare('SELECT shards, shard_total FROM test_run WHERE id = ?').get<{
    shards: string
    shard_total: number
  }>(id)
  if (row === undefined) return
  const arrived = new Set([...readJson(Shards, row.shards), ...(index === undefined ? [] : [index])])
  const shards = [...arrived].toSorted((a, b) => a - b)
  const missing = Math.max(0, row.shard_total - shards.length)
  await prepare('UPDATE test_run SET shards = ?, shards_missing = ? WHERE id = ?').run(
    JSON.stringify(shards),
    missing,
    id,
  )
}

const MOST_RUNS = 100

/** The ids of a run and of the newest others of its commit: all of them found the same files. */
export async function runsOfCommit(prepare: Prepare, run: StoredRun): Promise<string[]> {
  const { id, product_id: productId, commit_sha: commit } = run
  if (commit === '') return [id]
  const found = await prepare(
    `SELECT id FROM test_run WHERE product_id = ? AND lower(commit_sha) = lower(?) AND id <> ?
     ORDER BY created_at DESC LIMIT ${String(MOST_RUNS)}`,
  ).all<{ id: string }>(productId, commit, id)
  return [id, ...found.map((one) => one.id)]
}

/** Whether another report than this one was cut off. */
export function isCutOff({ incomplete }: StoredRun, contentKey: string): boolean {
  return incomplete !== '' && incomplete !== contentKey
}

async function ensureRunLocation(
  rows: Rows,
  call: Pick<Call, 'now' | 'newId'>,
  productId: number,
  { environment = '', release = '', commit_sha, git_branch }: NonNullable<RunFacts['run']>,
) {
  const [name, version] = [environment.trim(), release.trim()]
  if (name === '' && version === '') return { environmentId: '', releaseId: '' }
  const origin = 'ORIGIN_TEST_RUN'
  const made = await ensureEnvironment(rows, call, { productId, name: name || defaultEnvironmentName, origin })
  const environmentId = made.environment.id
  if (version === '') return { environmentId, releaseId: '' }
  const details = { commit_sha: commit_sha || undefined, git_branch: git_branch || undefined }
  const { release: row } = await ensureRelease(rows, call, { productId, environmentId, version, origin, details })
  return { environmentId, releaseId: row.id }
}

/** Converts a row to the contract's run, with the totals of all its results so far. */
export async function viewRun(prepare: Prepare, run: StoredRun): Promise<z.input<typeof TestRun>> {
  const counts = await prepare(
    'SELECT status, count(*) AS count FROM test_result WHERE run_id = ? GROUP BY status',
  ).all<{
    status: string
    count: number
  }>(run.id)
  const of = (...statuses: string[]) =>
    counts.reduce((sum, { status, count }) => (statuses.includes(status) ? sum + count : sum), 0)
  return {
    id: run.id,
    run_key: run.run_key,
    commit_sha: run.commit_sha,
    git_branch: run.git_branch,
    environment_id: run.environment_id,
    release_id: run.release_id,
    started_at: timestampOrNull(run.started_at),
    finished_at: timestampOrNull(run.finished_at),
    totals: {
      tests: counts.reduce((sum, { count }) => sum + count, 0),
      passed: of('RESULT_STATUS_PASSED'),
      failed: of('RESULT_STATUS_FAILED'),
      skipped: of('RESULT_STATUS_SKIPPED', 'RESULT_STATUS_BLOCKED'),
      flaky: of('RESULT_STATUS_FLAKY'),
      errors: of('RESULT_STATUS_ERROR'),
    },
    ci_url: run.ci_url,
  }
}
