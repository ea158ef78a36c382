import type { ReportCase } from './report.ts'

/**
 * Names of the cases that stand for something that failed outside of every case, the same in every format (contract
 * §4.3): a file that could not be loaded, and a file, suite or run that failed or ended early.
 */
export const LOAD_ERROR = '<load error>'
const RUN_ERROR = '<run error>'
/** A whole file that its author skipped. */
const FILE_SKIPPED = '<file skipped>'
/** A case that failed and whose report gives it no name. */
export const UNNAMED = '<unnamed>'
/** A report among others that is cut off or malformed: nobody knows what failed in it. */
export const UNREADABLE = '<unreadable report>'

export const syntheticNames: readonly string[] = [LOAD_ERROR, RUN_ERROR, FILE_SKIPPED, UNNAMED, UNREADABLE]

/** A file, a suite in it or in no known file, or (with neither) the whole report. */
export type Reach = Pick<ReportCase, 'file_path' | 'project'> & { suite_path: readonly string[] }

/** Builds the case of a failure outside of every case; its place is what failed (contract §4.3). */
export function runError(
  place: Partial<Reach>,
  { message, trace = '' }: { message: string; trace?: string },
): ReportCase {
  return synthetic(RUN_ERROR, place, { status: 'RESULT_STATUS_ERROR', message, trace })
}

/** Builds the case of a report that cannot be read; its place is the report, by its name. */
export function unreadableReport(name: string, message: string): ReportCase {
  const said = `${message}. What its tests did in this run is unknown.`
  const one = synthetic(UNREADABLE, { file_path: name }, { status: 'RESULT_STATUS_ERROR', message: said, trace: '' })
  return { ...one, isFileOfReport: name !== '' }
}

/** Builds the case of a file that was skipped as a whole; `message` is the reason. */
export function skippedFile(file_path: string, message: string): ReportCase {
  return synthetic(FILE_SKIPPED, { file_path }, { status: 'RESULT_STATUS_SKIPPED', message, trace: '' })
}

function synthetic(
  name: string,
  { file_path = '', suite_path = [], project = '' }: Partial<Reach>,
  outcome: Pick<ReportCase, 'status' | 'message' | 'trace'>,
): ReportCase {
  return {
    file_path,
    suite_path: [...suite_path],
    name,
    project,
    ...outcome,
    attempts: 1,
    duration_ms: 0,
    line: 0,
    tags: [],
    labels: {},
    external_id: '',
    references: [],
    started_at: null,
  }
}

/** Whether this case says that its file, suite or run failed outside of the other cases. */
export function isOutsideError({ name, status }: Pick<ReportCase, 'name' | 'status'>): boolean {
  return (name === LOAD_ERROR || name === RUN_ERROR || name === UNREADABLE) && isRed({ status })
}

/** Returns a function that finds which of the files, suites or runs that failed a place is in. */
export function findReaching<T extends Reach>(failed: readonly T[]): (place: Reach) => T[] {
  const known = Map.groupBy(failed, (one) => reachKey(one, one.suite_path.length))
  return (place) => {
    const found: T[] = []
    const files = new Set([place.file_path, ''])
    const projects = new Set([place.project, ''])
    for (let depth = 0; depth <= place.suite_path.length; depth += 1)
      for (const file_path of files)
        for (const project of projects)
          for (const one of known.get(reachKey({ ...place, file_path, project }, depth)) ?? []) found.push(one)
    return found
  }
}

function reachKey({ file_path, project, suite_path }: Reach, depth: number): string {
  return JSON.stringify([file_path, project, ...suite_path.slice(0, depth)])
}

/** Whether what failed names no file and no suite. */
export function isWholeRun({ file_path, suite_path }: Reach): boolean {
  return file_path === '' && suite_path.length === 0
}

/** A case without a file as that of one folder of the repository, which its project names: other runs are not about it. */
export function ofFolder(one: ReportCase, folder: string): ReportCase {
  return { ...one, project: `${folder}/` }
}

/** Whether a run of these folders, '' for the whole repository, is one of those that the case of a whole run is about. */
export function isRunAgain({ project }: Pick<Reach, 'project'>, folders: readonly string[]): boolean {
  return !project.endsWith('/') || folders.some((folder) => folder === '' || project === `${folder}/`)
}

/** Whether the case failed. */
export function isRed({ status }: Pick<ReportCase, 'status'>): boolean {
  return status === 'RESULT_STATUS_FAILED' || status === 'RESULT_STATUS_ERROR'
}

/** The case without its pass: what failed around it may have made it pass, or kept it from its end (contract §4.3). */
export function withheld(one: ReportCase): ReportCase {
  if (one.status !== 'RESULT_STATUS_PASSED' && one.status !== 'RESULT_STATUS_FLAKY') return one
  return { ...one, status: 'RESULT_STATUS_BLOCKED', message: WITHHELD }
}

const WITHHELD = 'It passed, but its file, suite or run failed outside of the test cases.'

/** Withholds every pass that a failure outside of the cases reaches. */
export function withholdPasses(cases: readonly ReportCase[]): readonly ReportCase[] {
  const failed = cases.filter(isOutsideError)
  if (failed.length === 0) return cases
  const reaching = findReaching(failed)
  return cases.map((one) => (reaching(one).length > 0 ? withheld(one) : one))
}
