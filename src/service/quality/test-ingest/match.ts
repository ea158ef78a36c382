import type { Pause, Prepare } from '../../sql/database.ts'
import { caseIdentity } from '../cases/identity.ts'
import type { PlacedCase } from './cases.ts'
import { KNOWN_COLUMNS, type KnownTest } from './known-test.ts'
import { createRenames } from './renames.ts'

export interface Matched {
  test: KnownTest | undefined
  renamed: boolean
}

interface MatchOptions {
  mayRename: boolean
  folders: readonly string[]
  /** The run of the report and others of its commit. */
  runIds: readonly string[]
  pause: Pause
}

/**
 * Finds the known test of each case (contract §4.2): by the key it names, by its location, by a former location, and
 * finally as a renamed case. Renames are only considered when the report is complete (`mayRename`): a case that is in
 * another shard, in another report of the run or commit, or outside of the `folders` of the reports with files is not missing.
 */
export async function matchCases(
  prepare: Prepare,
  productId: number,
  cases: readonly PlacedCase[],
  { mayRename, folders, runIds, pause }: MatchOptions,
): Promise<Matched[]> {
  const present = new Set(cases.map(({ identity }) => identity))
  const taken = new Set<string>()
  const direct: (KnownTest | undefined)[] = []
  for (const one of cases) {
    await pause()
    direct.push(await directMatch(prepare, productId, one, { present, runIds }))
  }
  for (const test of direct) if (test !== undefined) taken.add(test.id)
  await adoptFileless(prepare, productId, { cases, direct, taken, pause })
  const rename = createRenames(prepare, productId, { cases, direct, present, taken, folders, runIds })
  const matches: Matched[] = []
  for (const [index, one] of cases.entries()) {
    await pause()
    const found = direct[index]
    const test = found ?? (mayRename ? await rename(one) : undefined)
    if (test !== undefined) taken.add(test.id)
    matches.push({ test, renamed: test !== found })
  }
  return matches
}

/** The test at the place of a case that was unknown when the cases were matched, if somebody has created it since. */
export function findCreatedMeanwhile(
  prepare: Prepare,
  productId: number,
  { identity }: PlacedCase,
): Promise<KnownTest | undefined> {
  return prepare(
    `SELECT ${KNOWN_COLUMNS} FROM test WHERE product_id = ? AND identity = ? AND deleted_at IS NULL`,
  ).get<KnownTest>(productId, identity)
}

async function directMatch(
  prepare: Prepare,
  productId: number,
  { testKey, identity }: PlacedCase,
  { present, runIds }: { present: ReadonlySet<string>; runIds: readonly string[] },
): Promise<KnownTest | undefined> {
  if (testKey !== undefined) {
    const byKey = await prepare(
      `SELECT ${KNOWN_COLUMNS} FROM test WHERE product_id = ? AND number = ? AND kind = 'TEST_KIND_CASE' AND deleted_at IS NULL`,
    ).get<KnownTest>(productId, Number(testKey.slice('TC-'.length)))
    if (byKey !== undefined) return byKey
  }
  const byPlace = await prepare(
    `SELECT ${KNOWN_COLUMNS} FROM test WHERE product_id = ? AND identity = ? AND deleted_at IS NULL`,
  ).get<KnownTest>(productId, identity)
  if (byPlace !== undefined) return byPlace
  const former = await prepare(
    `SELECT ${KNOWN_COLUMNS} FROM test WHERE deleted_at IS NULL AND id = (
       SELECT test_id FROM test_former_identity WHERE product_id = ? AND identity = ?)`,
  ).get<KnownTest>(productId, identity)
  if (former?.identity == null) return former
  // Both locations are in one report or one commit, so they are two cases after all.
  if (present.has(former.identity) || (await ranIn(prepare, former, runIds))) {
    await prepare('DELETE FROM test_former_identity WHERE product_id = ? AND identity = ?').run(productId, identity)
    return undefined
  }
  return former
}

/** Whether the latest result of a test is of one of the runs. */
async function ranIn(prepare: Prepare, test: KnownTest, runIds: readonly string[]): Promise<boolean> {
  const last = await prepare('SELECT run_id FROM test_result WHERE id = ?').get<{ run_id: string }>(test.last_result_id)
  return last !== undefined && runIds.includes(last.run_id)
}

/**
 * A report that has a name today, or the folder that it is of, may have been sent without one: its cases are then known
 * without a file, or without a project. The first case of a suite and name takes over such a test.
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
  const find = prepare(`SELECT ${KNOWN_COLUMNS} FROM test WHERE product_id = ? AND identity = ? AND deleted_at IS NULL`)
  for (const [index, one] of cases.entries()) {
    const isOfFolder = one.file_path === '' && one.project.endsWith('/')
    if (direct[index] !== undefined || (!one.isFileOfReport && !isOfFolder)) continue
    await pause()
    const before = isOfFolder ? { ...one, project: '' } : { ...one, file_path: '' }
    const test = await find.get<KnownTest>(productId, caseIdentity(before))
    if (test === undefined || taken.has(test.id)) continue
    taken.add(test.id)
    direct[index] = test
  }
}
