import { basename, dirname } from 'node:path/posix'
import type { Prepare } from '../../sql/database.ts'
import { readOwnJson } from '../../sql/json.ts'
import { DEPRECATED_BY, MISSING } from '../cases/columns.ts'
import type { PlacedCase } from './cases.ts'
import { KNOWN_COLUMNS, type KnownTest } from './known-test.ts'

export interface MatchedReport {
  cases: readonly PlacedCase[]
  direct: readonly (KnownTest | undefined)[]
  /** The identities in the report. */
  present: ReadonlySet<string>
  /** Ids of tests that a case of the report has become; grows while cases are matched. */
  taken: ReadonlySet<string>
  /** The folders that the reports with files are of; '' for the whole repository. */
  folders: readonly string[]
  /** The run of the report and others of its commit. */
  runIds: readonly string[]
}

/**
 * Finds the former test of a case without a match: the only one with that name in its file, under another suite; or the
 * only one with that suite and name in a file that is missing from the report and was renamed to this file: in the same
 * folder, with the same base name, or with most of its cases found here. What the report of a package does not have is missing
 * only in that package.
 */
export function createRenames(prepare: Prepare, productId: number, report: MatchedReport) {
  const { cases, direct, taken, folders } = report
  const files = new Set(cases.map(({ file_path }) => file_path))
  const gone = goneCases(prepare, productId, report)
  const isSameFile = sameFile(
    prepare,
    productId,
    cases.filter((_, index) => direct[index] === undefined),
  )
  const isFree = (test: KnownTest) => !taken.has(test.id)
  return async (one: PlacedCase): Promise<KnownTest | undefined> => {
    const siblings = (await gone.inFile(one)).filter(isFree)
    if (siblings.length === 1) return siblings[0]
    // The next report of a folder is another script.
    if (one.isFileOfReport) return undefined
    const suite = await gone.inSuite(one)
    const moved = suite
      .filter(isFree)
      .filter((test) => test.file_path !== '' && one.file_path !== '' && !files.has(test.file_path))
      .filter((test) => folders.some((folder) => isOfFolder(test.file_path, one.file_path, folder)))
    const same: KnownTest[] = []
    for (const test of moved) if (await isSameFile(test.file_path, one.file_path)) same.push(test)
    return same.length === 1 ? same[0] : undefined
  }
}

/** Whether a file is in a folder, or is the other one under the path that reports gave it before they named their folder. */
function isOfFolder(file: string, now: string, folder: string): boolean {
  return folder === '' || file.startsWith(`${folder}/`) || now === `${folder}/${file}`
}

/**
 * The cases that neither the report nor another one of its run or commit has, by file and by name. Each file and each name is
 * read once: reading them again for every case takes minutes when thousands are new.
 */
function goneCases(prepare: Prepare, productId: number, { present, runIds }: MatchedReport) {
  const inRuns = prepare(
    `SELECT 1 AS found FROM test_result WHERE test_id = ? AND run_id IN (${runIds.map(() => '?').join(', ')}) LIMIT 1`,
  )
  const whole = prepare(`SELECT ${KNOWN_COLUMNS} FROM test WHERE id = ?`)
  const read = (column: 'file_path' | 'name') => {
    const casesIn = readCases<Pick<KnownTest, 'id' | 'identity'>>(prepare, 'id, identity', column)
    return async (value: string) => {
      const gone: KnownTest[] = []
      for (const { id, identity } of await casesIn(productId, value)) {
        if (identity === null || present.has(identity)) continue
        if (runIds.length > 0 && (await inRuns.get(id, ...runIds)) !== undefined) continue
        const test = await whole.get<KnownTest>(id)
        if (test !== undefined) gone.push(test)
      }
      return gone
    }
  }
  const [readFile, readName] = [read('file_path'), read('name')]
  const byFile = remembered(async (file) => Map.groupBy(await readFile(file), nameKey))
  const byName = remembered(async (name) => Map.groupBy(await readName(name), caseKey))
  return {
    inFile: async (one: PlacedCase) => (await byFile(one.file_path)).get(nameKey(one)) ?? [],
    inSuite: async (one: PlacedCase) => (await byName(one.name)).get(caseKey(asStored(one))) ?? [],
  }
}

/** Whether a missing file was renamed to the new file. */
function sameFile(prepare: Prepare, productId: number, unmatched: readonly PlacedCase[]) {
  const newCases = Map.groupBy(unmatched, ({ file_path }) => file_path)
  const casesIn = readCases<CaseName>(prepare, 'suite_path, name, project', 'file_path')
  const keysBefore = remembered(async (file) => (await casesIn(productId, file)).map(caseKey))
  const keysNow = remembered((file: string) => new Set((newCases.get(file) ?? []).map(asStored).map(caseKey)))
  // Cases come file by file, so only the answers for one new file are kept.
  let newest = ''
  let haveMostMoved = mostMovedTo(newest)
  return async (before: string, now: string) => {
    if (dirname(before) === dirname(now) || basename(before) === basename(now)) return true
    if (now !== newest) haveMostMoved = mostMovedTo(now)
    newest = now
    return haveMostMoved(before)
  }

  function mostMovedTo(now: string) {
    return remembered(async (before) => {
      const known = await keysBefore(before)
      const found = known.filter((key) => keysNow(now).has(key)).length
      return found >= 2 && found * 2 > known.length
    })
  }
}

/**
 * Reads the cases of a product by file or name that are in use or only missing: a new case must not become one that a person
 * deprecated, where its failures count for nothing. The kind is excluded rather than given: with three equalities SQLite
 * prefers the index of all cases of the product.
 */
function readCases<Columns>(prepare: Prepare, columns: string, by: 'file_path' | 'name') {
  const select = prepare(
    `SELECT ${columns}, status, labels FROM test
     WHERE product_id = ? AND ${by} = ? AND kind <> 'TEST_KIND_SUITE' AND deleted_at IS NULL`,
  )
  return async (productId: number, value: string): Promise<Columns[]> => {
    const found = await select.all<Columns & Pick<KnownTest, 'status' | 'labels'>>(productId, value)
    return found.filter(({ status, labels }) => status !== 'TEST_STATUS_DEPRECATED' || isMissing(labels))
  }
}

function isMissing(labels: string): boolean {
  return readOwnJson<Record<string, string>>(labels)[DEPRECATED_BY] === MISSING
}

type CaseName = Pick<KnownTest, 'suite_path' | 'name' | 'project'>

function asStored({ suite_path, name, project }: PlacedCase): CaseName {
  return { suite_path: JSON.stringify(suite_path), name, project }
}

function caseKey({ suite_path, name, project }: CaseName): string {
  return `${suite_path}\n${name}\n${project}`
}

function nameKey({ name, project }: Pick<CaseName, 'name' | 'project'>): string {
  return `${name}\n${project}`
}

function remembered<T>(read: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>()
  return (key) => {
    const value = known.get(key) ?? read(key)
    known.set(key, value)
    return value
  }
}
