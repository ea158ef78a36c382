import type { Call } from '../../shared/context.ts'
import type { Pause, Prepare } from '../../sql/database.ts'
import { readOwnJson, readTexts } from '../../sql/json.ts'
import { DEPRECATED_BY, MISSING } from '../cases/columns.ts'
import type { ReportCase } from '../reports/model/report.ts'
import {
  findReaching,
  isOutsideError,
  isRed,
  isRunAgain,
  isWholeRun,
  runError,
  syntheticNames,
  UNREADABLE,
  type Reach,
} from '../reports/model/synthetic.ts'
import type { Applied, AppliedCase, ApplyFacts, RecordingPause } from './apply.ts'
import { recordResult, type RecordedRun } from './results.ts'
import { findAnswers, isSamePlace, readPlacedResults, readPlacedRun } from './run-places.ts'

interface KnownCase extends Omit<Reach, 'suite_path'> {
  id: string
  suite_path: string
}

const PLACE = 'id, file_path, suite_path, project'

/**
 * Records BLOCKED for the known cases that passed last of a file or suite that failed outside of its cases, where this report does not
 * have them: what they did in an earlier run proves nothing of this one (contract §4.3). Returns their ids.
 */
export async function blockUnreported(
  prepare: Prepare,
  call: Pick<Call, 'now' | 'newId'>,
  { cases }: Applied,
  { productId, run, options, pause }: ApplyFacts & { pause: RecordingPause },
): Promise<string[]> {
  if (run === undefined) return []
  const failed = cases.filter(hasOutsideError).map(({ placed }) => placed)
  // Which cases a failed run would have had is unknown when it names no file and no suite.
  const placed = failed.filter((one) => !isWholeRun(one))
  if (placed.length === 0) return []
  const reaching = findReaching(placed)
  const present = new Set(cases.map(({ testId }) => testId))
  const known = await casesIn(prepare, productId, new Set(placed.map(({ file_path }) => file_path)))
  const absent = known.filter((one) => !present.has(one.id) && reaching(readPlace(one)).length > 0)
  const newestStatus = await findNewest(prepare, productId, run.run)
  const { started_at = null, source = '' } = failed[0]?.reports[0] ?? {}
  const reported: ReportCase = {
    ...runError({}, { message: NOT_RUN }),
    status: 'RESULT_STATUS_BLOCKED',
    started_at,
    source,
  }
  const recorded: { testId: string }[] = []
  for (const one of absent) {
    await pause(recorded)
    if (!passing.has(await newestStatus(one))) continue
    await recordResult(prepare, call, { productId, testId: one.id, run, reported, options })
    recorded.push({ testId: one.id })
  }
  return recorded.map(({ testId }) => testId)
}

const passing: ReadonlySet<string> = new Set(['RESULT_STATUS_PASSED', 'RESULT_STATUS_FLAKY'])

const NOT_RUN = 'It did not run: its file or suite failed outside of the test cases.'

function hasOutsideError({ placed }: AppliedCase): boolean {
  return placed.reports.some(isOutsideError)
}

interface CaseInUse extends KnownCase {
  name: string
  last_status: string
}

/** The cases of the files that are in use. */
async function casesIn(prepare: Prepare, productId: number, files: ReadonlySet<string>): Promise<CaseInUse[]> {
  const find = prepare(
    `SELECT ${PLACE}, name, last_status FROM test WHERE product_id = ? AND file_path = ? AND kind <> 'TEST_KIND_SUITE'
       AND last_status <> '' AND status <> 'TEST_STATUS_DEPRECATED' AND deleted_at IS NULL`,
  )
  const known: CaseInUse[] = []
  for (const file of files) for (const one of await find.all<CaseInUse>(productId, file)) known.push(one)
  return known.filter(({ name }) => !syntheticNames.includes(name))
}

/**
 * Returns a function that finds the newest status of a case on the git branch of the run; where it has no result there, in
 * runs without a branch, or anywhere. The query for a branch reads every result of a case when none is on it, so it is left out
 * for a branch that no other run has, which is true of most new branches.
 */
async function findNewest(
  prepare: Prepare,
  productId: number,
  { id: runId, git_branch: branch }: RecordedRun['run'],
): Promise<(one: CaseInUse) => Promise<string>> {
  const others = await prepare(
    `SELECT DISTINCT git_branch FROM test_run WHERE product_id = ? AND git_branch IN (?, '') AND id <> ?`,
  ).all<{ git_branch: string }>(productId, branch, runId)
  const known = new Set(others.map((run) => run.git_branch))
  const own = prepare('SELECT status FROM test_result WHERE run_id = ? AND test_id = ?')
  const newest = prepare(
    `SELECT result.status FROM test_result AS result JOIN test_run AS run ON run.id = result.run_id
     WHERE result.test_id = ? AND run.git_branch = ? ORDER BY result.executed_at DESC, result.id DESC LIMIT 1`,
  )
  return async ({ id, last_status }) => {
    const onBranch = known.has(branch) ? await newest.get<Status>(id, branch) : await own.get<Status>(runId, id)
    const found = onBranch ?? (known.has('') ? await newest.get<Status>(id, '') : undefined)
    return found?.status ?? last_status
  }
}

interface Status {
  status: string
}

/**
 * Ends the errors of reports, files, suites and runs that this report has without their failure; returns the ids of their
 * synthetic cases. A case all of whose errors are of the same place as this run is deprecated until an error comes back.
 * Else it gets a pass in this run, so that its errors stay in the scopes of other branches, senders, environments,
 * releases and commits. `reportFiles` are the places of the reports that could be read. In a shard of a run, what failed
 * in another shard of it stays.
 */
export async function retireOutsideErrors(
  prepare: Prepare,
  call: Pick<Call, 'now' | 'newId'>,
  { cases }: Applied,
  facts: Pick<ApplyFacts, 'productId' | 'framework' | 'options' | 'run'> & {
    isShard: boolean
    reportFiles: ReadonlySet<string>
    /** The folders that the reports are of. */
    folders: readonly string[]
    /** The digest of the reports. */
    source: string
    pause: Pause
  },
): Promise<string[]> {
  const { productId, framework, options, run, isShard, reportFiles, folders, source, pause } = facts
  if (run === undefined) return []
  const names = syntheticNames.map(() => '?').join(', ')
  const known = await prepare(
    `SELECT ${PLACE}, name, framework, labels FROM test WHERE product_id = ? AND name IN (${names}) AND kind <> 'TEST_KIND_SUITE'
       AND status <> 'TEST_STATUS_DEPRECATED' AND deleted_at IS NULL`,
  ).all<KnownCase & { name: string; framework: string; labels: string }>(productId, ...syntheticNames)
  const present = new Set(cases.map(({ testId }) => testId))
  const absent = known
    .filter((one) => !present.has(one.id))
    .map((one) => ({ ...one, suite_path: readTexts(one.suite_path) }))
  const isReadNow = (one: { name: string; file_path: string }) =>
    one.name === UNREADABLE && reportFiles.has(one.file_path)
  const isRunNow = (one: Reach & { framework: string }) =>
    isWholeRun(one) && one.framework === framework && isRunAgain(one, folders)
  const over = new Set(absent.filter((one) => isReadNow(one) || isRunNow(one)))
  const reaching = findReaching(absent.filter((one) => !isWholeRun(one)))
  for (const { placed } of cases) {
    await pause()
    if (syntheticNames.includes(placed.name)) continue
    for (const one of reaching(placed)) over.add(one)
  }
  const own = await readPlacedRun(prepare, run.run.id)
  const pass: ReportCase = { ...runError({}, { message: '' }), status: 'RESULT_STATUS_PASSED', source }
  const ended: string[] = []
  for (const { id, labels } of over) {
    await pause()
    const results = await readPlacedResults(prepare, id)
    const errors = results.filter(isRed)
    if (isShard && errors.some(({ run_id }) => run_id === run.run.id)) continue
    if (errors.every((error) => isSamePlace(error, own))) await deprecate(prepare, call, id, labels)
    else if (!errors.every(findAnswers(results, own)))
      await recordResult(prepare, call, { productId, testId: id, run, reported: pass, options })
    else continue
    ended.push(id)
  }
  return ended
}

async function deprecate(prepare: Prepare, call: Pick<Call, 'now'>, id: string, labels: string): Promise<void> {
  const marked = { ...readOwnJson<Record<string, string>>(labels), [DEPRECATED_BY]: MISSING }
  await prepare(
    `UPDATE test SET status = 'TEST_STATUS_DEPRECATED', labels = ?, etag_version = etag_version + 1, updated_at = ? WHERE id = ?`,
  ).run(JSON.stringify(marked), call.now(), id)
}

function readPlace({ file_path, project, suite_path }: KnownCase): Reach {
  return { file_path, project, suite_path: readTexts(suite_path) }
}
