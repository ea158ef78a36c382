import type { Rows } from '../../sql/database.ts'
import { remembered } from '../../sql/remembered.ts'
import { requirementsOfPaths, type PathClaim } from '../requirements/match.ts'

/** A file of an issue's in-app frames and its distance to the crash: 0 is the crash. */
export interface CrashFile {
  path: string
  distance: number
}

export interface CrashFiles {
  /** The files of each issue by its id, each file once, by path. */
  files: ReadonlyMap<string, readonly CrashFile[]>
  /** The requirements that claim one of the files, by path. */
  claims: ReadonlyMap<string, readonly PathClaim[]>
}

/** The files of all issues of a product, and the requirements that claim them. */
export function crashFiles(rows: Rows, productId: number): Promise<CrashFiles> {
  return remembered(rows, `crash files ${productId}`, async () => {
    const files = await filesOfIssues(rows, productId)
    const paths = new Set<string>()
    for (const own of files.values()) for (const { path } of own) paths.add(path)
    return { files, claims: await requirementsOfPaths(rows, productId, [...paths]) }
  })
}

/** The files of these issues, as many as one statement can bind (`chunks`), or of all. */
export async function filesOfIssues(
  rows: Rows,
  productId: number,
  issueIds?: readonly string[],
): Promise<Map<string, readonly CrashFile[]>> {
  const found = await rows
    .selectFrom('issue_frame')
    .select(['issue_id', 'path', 'distance'])
    .where('product_id', '=', productId)
    .$if(issueIds !== undefined, (query) => query.where('issue_id', 'in', issueIds ?? []))
    .orderBy('path')
    .execute()
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
