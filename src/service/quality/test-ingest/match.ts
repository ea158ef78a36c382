import { dirname, basename } from 'node:path/posix'
import type { Pause, Prepare } from '../../sql/database.ts'
import type { StoredTest } from '../cases/access.ts'
import { caseIdentity } from '../cases/identity.ts'
import type { PlacedCase } from './cases.ts'

export type KnownTest = Pick<
  StoredTest,
  | 'id'
  | 'seq'
  | 'number'
  | 'identity'
  | 'parent_id'
  | 'title'
  | 'names_known'
  | 'status'
  | 'framework'
  | 'level'
  | 'file_path'
  | 'suite_path'
  | 'name'
  | 'project'
  | 'line'
  | 'tags'
  | 'labels'
  | 'issue_id'
  | 'issue_reported'
  | 'last_result_id'
>

const COLUMNS = `id, seq, number, identity, parent_id, title, names_known, status, framework, level, file_path, suite_path, name, project,
  line, tags, labels, issue_id, issue_reported, last_result_id`

export interface Matched {
  test: KnownTest | undefined
  renamed: boolean
}

/**
 * Finds the known test of each case (contract §4.2): by the key it names, by its location, by a former location, and
 * finally as a renamed case. Renames are only considered when the report is complete (`mayRename`): a case that is in
 * another shard, or in an earlier report of the run, is not missing.
 */
export async function matchCases(
  prepare: Prepare,
  productId: number,
  cases: readonly PlacedCase[],
  { mayRename, runId, pause }: { mayRename: boolean; runId: string; pause: Pause },
): Promise<Matched[]> {
  const present = new Set(cases.map(({ identity }) => identity))
  const taken = new Set<string>()
  const direct: (KnownTest | undefined)[] = []
  for (const one of cases) {
    await pause()
    direct.push(directMatch(prepare, productId, one, present))
  }
  for (const test of direct) if (test !== undefined) taken.add(test.id)
  await adoptFileless(prepare, productId, { cases, direct, taken, pause })
  const rename = renames(prepare, productId, { cases, direct, present, taken, runId })
  const matches: Matched[] = []
  for (const [index, one] of cases.entries()) {
    await pause()
    const found = direct[index]
    const test = found ?? (mayRename ? rename(one) : undefined)
    if (test !== undefined) taken.add(test.id)
    matches.push({ test, renamed: test !== found })
  }
  return matches
}

/** The test at the place of a case that was unknown when the cases were matched, if somebody has created it since. */
export function findCreatedMeanwhile(prepare: Prepare, productId: number, { identity }: PlacedCase) {
  return prepare(
    `SELECT ${COLUMNS} FROM test WHERE product_id = ? AND identity = ? AND deleted_at IS NULL`,
  ).get<KnownTest>(productId, identity)
}

function directMatch(
  prepare: Prepare,
  productId: number,
  { testKey, identity }: PlacedCase,
  present: ReadonlySet<string>,
): KnownTest | undefined {
  if (testKey !== undefined) {
    const byKey = prepare(
      `SELECT ${COLUMNS} FROM test WHERE product_id = ? AND number = ? AND kind = 'TEST_KIND_CASE' AND deleted_at IS NULL`,
    ).get<KnownTest>(productId, Number(testKey.slice('TC-'.length)))
    if (byKey !== undefined) return byKey
  }
  const byPlace = prepare(
    `SELECT ${COLUMNS} FROM test WHERE product_id = ? AND identity = ? AND deleted_at IS NULL`,
  ).get<KnownTest>(productId, identity)
  if (byPlace !== undefined) return byPlace
  const former = prepare(
    `SELECT ${COLUMNS} FROM test WHERE deleted_at IS NULL AND id = (
       SELECT test_id FROM test_former_identity WHERE product_id = ? AND identity = ?)`,
  ).get<KnownTest>(productId, identity)
  // Both locations are in one report, so they are two cases after all.
  if (former?.identity != null && present.has(former.identity)) {
    prepare('DELETE FROM test_former_identity WHERE product_id = ? AND identity = ?').run(productId, identity)
    return undefined
  }
  return former
}

/**
 * A report that has a name today may have been sent without one: its cases are then known without a file. The first
 * case of a suite and name takes over such a test.
 */
async function adoptFileless(
  prepare: Prepare,
  productId: number,
  {
    cases,
    direct,
    taken,
    pause,
  }: {
    cases: readonly PlacedCase[]
    direct: (KnownTest | undefined)[]
    taken: Set<string>
    pause: Pause
  },
): Promise<void> {
  const find = prepare(`SELECT ${COLUMNS} FROM test WHERE product_id = ? AND identity = ? AND deleted_at IS NULL`)
  for (const [index, one] of cases.entries()) {
    if (direct[index] !== undefined || !one.isFileOfReport) continue
    await pause()
    const test = find.get<KnownTest>(productId, caseIdentity({ ...one, file_path: '' }))
    if (test === undefined || taken.has(test.id)) continue
    taken.add(test.id)
    direct[index] = test
  }
}

interface MatchedReport {
  cases: readonly PlacedCase[]
  direct: readonly (KnownTest | undefined)[]
  present: ReadonlySet<string>
  taken: ReadonlySet<string>
  /** The run of the report; '' for none. */
  runId: string
}

/**
 * Finds the former test of a case without a match: the only one with that name in its file, under another suite; or the
 * only one with that suite and name in a file that is missing from the report and was renamed to this file: in the same
 * folder, with the same base name, or with most of its cases found here.
 */
function renames(prepare: Prepare, productId: number, { cases, direct, present, taken, runId }: MatchedReport) {
  const files = new Set(cases.map(({ file_path }) => file_path))
  const unmatched = cases.filter((_, index) => direct[index] === undefined)
  // An earlier report of this run had the case: it is not gone.
  const inRun = prepare('SELECT 1 AS found FROM test_result WHERE run_id = ? AND test_id = ?')
  const isFree = (test: KnownTest) =>
    test.identity !== null &&
    !present.has(test.identity) &&
    !taken.has(test.id) &&
    inRun.get(runId, test.id) === undefined
  const inFile = prepare(
    `SELECT ${COLUMNS} FROM test WHERE product_id = ? AND file_path = ? AND name = ? AND kind = 'TEST_KIND_CASE' AND deleted_at IS NULL`,
  )
  const anywhere = prepare(
    `SELECT ${COLUMNS} FROM test WHERE product_id = ? AND name = ? AND kind = 'TEST_KIND_CASE' AND deleted_at IS NULL`,
  )
  const isSameFile = sameFile(prepare, productId, unmatched)
  return (one: PlacedCase): KnownTest | undefined => {
    const siblings = inFile
      .all<KnownTest>(productId, one.file_path, one.name)
      .filter((test) => isFree(test) && test.project === one.project)
    if (siblings.length === 1) return siblings[0]
    // The next report of a folder is another script.
    if (one.isFileOfReport) return undefined
    const suite = JSON.stringify(one.suite_path)
    const moved = anywhere
      .all<KnownTest>(productId, one.name)
      .filter((test) => isFree(test) && test.project === one.project && test.suite_path === suite)
      .filter((test) => test.file_path !== '' && one.file_path !== '' && !files.has(test.file_path))
    const [only, ...others] = moved.filter((test) => isSameFile(test.file_path, one.file_path))
    return others.length === 0 ? only : undefined
  }
}

/** Whether a missing file was renamed to the new file; computed once per pair. */
function sameFile(prepare: Prepare, productId: number, unmatched: readonly PlacedCase[]) {
  const newCases = Map.groupBy(unmatched, ({ file_path }) => file_path)
  const answers = new Map<string, boolean>()
  const selectCases = prepare(
    `SELECT suite_path, name, project FROM test WHERE product_id = ? AND file_path = ? AND kind = 'TEST_KIND_CASE' AND deleted_at IS NULL`,
  )
  function ask(before: string, now: string): boolean {
    if (dirname(before) === dirname(now) || basename(before) === basename(now)) return true
    const known = selectCases.all<Pick<KnownTest, 'suite_path' | 'name' | 'project'>>(productId, before)
    const here = new Set(
      (newCases.get(now) ?? []).map((one) => caseKey({ ...one, suite_path: JSON.stringify(one.suite_path) })),
    )
    const found = known.filter((test) => here.has(caseKey(test))).length
    return found >= 2 && found * 2 > known.length
  }
  return (before: string, now: string) => {
    const pair = `${before}\n${now}`
    const answer = answers.get(pair) ?? ask(before, now)
    answers.set(pair, answer)
    return answer
  }
}

function caseKey({ suite_path, name, project }: Pick<KnownTest, 'suite_path' | 'name' | 'project'>): string {
  return `${suite_path}\n${name}\n${project}`
}
