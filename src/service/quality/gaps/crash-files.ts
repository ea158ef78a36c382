import type { Rows } from '../../sql/database.ts'
import { keptByIssue } from '../../workspace/issue-facts/kept-by-issue.ts'

/** A file of an issue's in-app frames and its distance to the crash: 0 is the crash. */
export interface CrashFile {
  path: string
  distance: number
}

/** The files of each issue by its id, each file once, by path. */
export type CrashFiles = ReadonlyMap<string, readonly CrashFile[]>

/** Of one file, with its path. */
const FILE_BYTES = 100

/** The files of all issues of a product; kept in memory. */
export function crashFiles(rows: Rows, productId: number): Promise<CrashFiles> {
  return keptByIssue(rows, productId, {
    name: 'crash files',
    follows: 'facts revision',
    read: (issueIds) => (issueIds === undefined ? filesInProduct(rows, productId) : filesOfIssues(rows, issueIds)),
    size: (files) => files.length * FILE_BYTES,
  })
}

function frames(rows: Rows) {
  return rows.selectFrom('issue_frame').select(['issue_id', 'path', 'distance'])
}

async function filesInProduct(rows: Rows, productId: number): Promise<CrashFiles> {
  return byIssue(await frames(rows).where('product_id', '=', productId).orderBy('path').execute())
}

/** The files of these issues. */
export async function filesOfIssues(rows: Rows, issueIds: readonly string[]): Promise<CrashFiles> {
  return byIssue(await frames(rows).where(rows.dialect.isOneOf('issue_id', issueIds)).orderBy('path').execute())
}

function byIssue(found: readonly { issue_id: string; path: string; distance: number }[]): CrashFiles {
  const files = new Map<string, CrashFile[]>()
  // Rows of one file follow each other: they share one text of its path.
  let path = ''
  for (const row of found) {
    if (row.path !== path) path = row.path
    const own = files.get(row.issue_id)
    const last = own?.at(-1)
    if (own === undefined) files.set(row.issue_id, [{ path, distance: row.distance }])
    else if (last?.path !== path) own.push({ path, distance: row.distance })
    else last.distance = Math.min(last.distance, row.distance)
  }
  return files
}

/** The file nearest to the crash; undefined for an issue without files. */
export function nearestFile(files: readonly CrashFile[]): CrashFile | undefined {
  return files.reduce<CrashFile | undefined>(
    (best, file) => (best === undefined || file.distance < best.distance ? file : best),
    undefined,
  )
}
