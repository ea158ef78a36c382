import type { Rows } from '../../../sql/database.ts'
import { minifiedPath } from '../process/paths.ts'
import type { ArtifactKind, ProcessedArtifact } from '../process/processed.ts'
import { readOutcome, type Outcome, type StoredUpload } from './stored.ts'
import type { State } from './states.ts'

/** The columns of an upload that are set at creation. */
export type UploadFacts = Pick<
  StoredUpload,
  | 'artifact'
  | 'file_name'
  | 'url_prefix'
  | 'debug_id'
  | 'release'
  | 'dist'
  | 'environment'
  | 'size_bytes'
  | 'sha256'
  | 'content_type'
>

type ArtifactNaming = Pick<UploadFacts, 'artifact' | 'file_name' | 'url_prefix' | 'debug_id' | 'release'>

/** An upload with the same bytes that is READY, and its artifacts. */
export interface ReusableUpload {
  upload: StoredUpload
  artifacts: ProcessedArtifact[]
}

/** The upload with the same bytes and the same names, release, dist and environment; undefined without one. */
export async function findEqualUpload(
  rows: Rows,
  productId: number,
  facts: UploadFacts,
): Promise<StoredUpload | undefined> {
  if (facts.sha256 === '') return undefined
  return readyWith(rows, productId, facts)
    .where('file_name', '=', facts.file_name)
    .where('url_prefix', '=', facts.url_prefix)
    .where('debug_id', '=', facts.debug_id)
    .where('release', '=', facts.release)
    .where('dist', '=', facts.dist)
    .where('environment', '=', facts.environment)
    .executeTakeFirst()
}

/** The newest upload with these bytes, undefined when they have to be sent (contract §11). */
export async function findReusableUpload(
  rows: Rows,
  productId: number,
  facts: UploadFacts,
): Promise<ReusableUpload | undefined> {
  if (facts.sha256 === '') return undefined
  const upload = await readyWith(rows, productId, facts).executeTakeFirst()
  if (upload === undefined) return undefined
  return { upload, artifacts: await readArtifacts(rows, upload.id) }
}

/** The artifacts of an upload, in its order. */
export async function readArtifacts(rows: Rows, uploadId: string): Promise<ProcessedArtifact[]> {
  const stored = await rows
    .selectFrom('sourcemap_artifact')
    .select(['kind', 'content', 'debug_id', 'path', 'counterpart'])
    .where('sourcemap_id', '=', uploadId)
    .orderBy('id')
    .execute()
  // Only these are written.
  return stored.map(({ kind, debug_id: debugId, ...row }) => ({ ...row, kind: kind as ArtifactKind, debugId }))
}

function readyWith(rows: Rows, productId: number, { sha256, artifact }: UploadFacts) {
  return rows
    .selectFrom('sourcemap')
    .selectAll()
    .where('product_id', '=', productId)
    .where('sha256', '=', sha256)
    .where('artifact', '=', artifact)
    .where('state', '=', 'SOURCEMAP_STATE_READY' satisfies State)
    .orderBy('id', 'desc')
    .limit(1)
}

/**
 * The same artifacts under another name, prefix or debug id. Undefined when they cannot be derived from the stored
 * ones: an upload without a release stores only artifacts with a debug id.
 */
export function renameArtifacts(
  { upload, artifacts }: ReusableUpload,
  to: ArtifactNaming,
): { artifacts: ProcessedArtifact[]; outcome: Outcome } | undefined {
  const move = mover(upload, to)
  const chooseDebugId = (own: string) => (to.artifact === 'ARTIFACT_BUNDLE' ? own : to.debug_id || own)
  const moved = artifacts.map((artifact) => ({
    ...artifact,
    path: move(artifact.path),
    counterpart: move(artifact.counterpart),
    debugId: chooseDebugId(artifact.debugId),
  }))
  const { files } = readOutcome(upload)
  const kept = new Set(artifacts.map(({ path }) => path))
  const isComplete = files.every(({ valid, path }) => !valid || kept.has(path))
  const isFound = to.release !== '' || moved.every(({ kind, debugId }) => debugId !== '' || kind === 'source')
  // A debug id that was passed with the other upload does not apply to this one.
  const isOwnId = upload.debug_id === '' || to.debug_id !== ''
  if (!isComplete || !isFound || !isOwnId) return undefined
  const renamed = files.map((file) => ({ ...file, path: move(file.path), debug_id: chooseDebugId(file.debug_id) }))
  return { artifacts: moved, outcome: { files: renamed, resymbolicated_issues: null } }
}

function mover(from: ArtifactNaming, to: ArtifactNaming): (path: string) => string {
  const [oldFile, newFile] = [from.url_prefix + from.file_name, to.url_prefix + to.file_name]
  const isSingle = to.artifact !== 'ARTIFACT_BUNDLE'
  const [oldFolder, newFolder] = [folderPath(oldFile), folderPath(newFile)]
  return (path) => {
    if (isSingle && (path === oldFile || path === `${oldFile}.map`)) return newFile + path.slice(oldFile.length)
    if (isSingle && path !== '' && path === minifiedPath(oldFile, '')) return minifiedPath(newFile, '')
    if (isSingle && path.startsWith(oldFolder)) return newFolder + path.slice(oldFolder.length)
    return path.startsWith(from.url_prefix) ? to.url_prefix + path.slice(from.url_prefix.length) : path
  }
}

/** The folder of a path with its `/`; '' without a folder. */
function folderPath(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}
