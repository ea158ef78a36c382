import { mkdirSync, readFileSync } from 'node:fs'
import { EntryDefect, withBundle, type BundleFile } from './bundle.ts'
import { normalDebugId } from './comments.ts'
import { linkDebugIds } from './link-debug-ids.ts'
import type { ManifestFile } from './manifest.ts'
import { guessArtifact } from './paths.ts'
import { UploadDefect, type FileReport, type Processed, type UploadJob } from './processed.ts'
import {
  emptyReport,
  readMapFile,
  readMinifiedFile,
  readSourceFile,
  type FoundFile,
  type FileFacts,
  type Sink,
} from './read-file.ts'
import { createSourcePaths } from './team-sources.ts'
import { createTableWriter } from './tables.ts'

/** A manifest beyond this names more files than a bundle may have. */
const LARGEST_MANIFEST_BYTES = 16 * 1024 ** 2

/**
 * Reads an upload file by file and writes a table for each file that frames can use. Problems of one file are in its
 * report; `error` says why the upload as a whole cannot be used. Takes seconds for a large upload, so it runs in the
 * worker.
 */
export async function processUpload(job: UploadJob): Promise<Processed> {
  mkdirSync(job.tables, { recursive: true, mode: 0o700 })
  mkdirSync(job.staging, { recursive: true, mode: 0o700 })
  const sink = { tables: createTableWriter(job), sources: createSourcePaths(job.roots) }
  try {
    const found = job.artifact === 'ARTIFACT_BUNDLE' ? await readBundle(job, sink) : readSingle(job, sink)
    linkDebugIds(found)
    return finish(found, job, sink)
  } catch (thrown) {
    if (!(thrown instanceof UploadDefect)) throw thrown
    return { files: [], artifacts: [], sources: [], error: { code: thrown.code, message: thrown.message } }
  }
}

function readSingle(job: UploadJob, sink: Sink): FoundFile[] {
  const facts = { path: job.urlPrefix + job.fileName, debugId: job.debugId, sourceMap: '' }
  const bytes = readFileSync(job.file)
  if (bytes.byteLength === 0) throw new UploadDefect('EMPTY', 'It is empty.')
  if (job.artifact === 'ARTIFACT_SOURCE_MAP') return [readMapFile(bytes, facts, sink)]
  if (job.artifact === 'ARTIFACT_MINIFIED_SOURCE') return readMinifiedFile(bytes, facts, sink)
  return [readSourceFile(bytes, facts, sink)]
}

async function readBundle(job: UploadJob, sink: Sink): Promise<FoundFile[]> {
  return withBundle(job.file, async (files) => {
    const manifest = await findManifest(files)
    const found: FoundFile[] = []
    for (const file of files) found.push(...(await readEntry(file, manifest?.get(file.path), job, sink)))
    const wanted = new Set(found.flatMap(({ lacking = [] }) => lacking.flat()))
    for (const file of wanted.size === 0 ? [] : files) {
      found.push(...(await readWanted(file, { listed: manifest?.get(file.path), wanted, job, sink })))
    }
    if (found.length > 0) return found
    throw new UploadDefect(
      'NOTHING_INSIDE',
      'The bundle holds no file that ends in .map, .js, .mjs, .cjs, .bundle or .jsbundle.',
    )
  })
}

async function findManifest(files: readonly BundleFile[]): Promise<Map<string, ManifestFile> | undefined> {
  const file = files.find(({ path }) => path === 'manifest.json')
  // A web app's manifest may have the same name.
  if (file === undefined || file.sizeBytes > LARGEST_MANIFEST_BYTES) return undefined
  const text = await file.read().then(
    (bytes) => bytes.toString('utf8'),
    () => '',
  )
  if (!/"files"\s*:\s*\{/.test(text)) return undefined
  // Loading its schema takes longer than reading most uploads.
  const { readManifest } = await import('./manifest.ts')
  return readManifest(text)
}

/** One file of a bundle is in memory at a time. */
async function readEntry(
  file: BundleFile,
  listed: ManifestFile | undefined,
  job: UploadJob,
  sink: Sink,
): Promise<FoundFile[]> {
  const kind = fileKind(file.path, listed)
  if (kind === undefined) return []
  return readAs(kind, file, entryFacts(file, listed, job), sink)
}

/** A file of any kind is a source as well when a map of the bundle lacks its text (errors §3.1). */
async function readWanted(
  file: BundleFile,
  { listed, wanted, job, sink }: { listed: ManifestFile | undefined; wanted: Set<string>; job: UploadJob; sink: Sink },
): Promise<FoundFile[]> {
  const facts = entryFacts(file, listed, job)
  if (!wanted.has(facts.path) || fileKind(file.path, listed) === 'source') return []
  return readAs('source', file, facts, sink)
}

function entryFacts(file: BundleFile, listed: ManifestFile | undefined, job: UploadJob): FileFacts {
  return {
    path: artifactPath(file.path, listed, job.urlPrefix),
    debugId: normalDebugId(listed?.debugId ?? ''),
    sourceMap: listed?.sourceMap ?? '',
  }
}

async function readAs(kind: FileReport['kind'], file: BundleFile, facts: FileFacts, sink: Sink): Promise<FoundFile[]> {
  try {
    const bytes = await file.read()
    if (kind === 'source') return [readSourceFile(bytes, facts, sink)]
    return kind === 'source_map' ? [readMapFile(bytes, facts, sink)] : readMinifiedFile(bytes, facts, sink)
  } catch (thrown) {
    if (!(thrown instanceof EntryDefect)) throw thrown
    return [{ report: { ...emptyReport(facts.path, kind), warnings: [thrown.message] } }]
  }
}

function fileKind(path: string, listed: ManifestFile | undefined): FileReport['kind'] | undefined {
  if (listed?.type === 'source_map' || listed?.type === 'minified_source' || listed?.type === 'source') {
    return listed.type
  }
  const artifact = guessArtifact(path)
  if (artifact === 'ARTIFACT_SOURCE_MAP') return 'source_map'
  return artifact === 'ARTIFACT_MINIFIED_SOURCE' ? 'minified_source' : undefined
}

function artifactPath(path: string, listed: ManifestFile | undefined, urlPrefix: string): string {
  const url = listed?.url ?? ''
  if (url === '') return urlPrefix + path
  return /^(?:~\/|[a-z][\w+.-]*:\/\/)/i.test(url) ? url : urlPrefix + url.replace(/^\/+/, '')
}

function finish(found: readonly FoundFile[], job: UploadJob, sink: Sink): Processed {
  warnOfMissingTexts(found)
  const files = found.map(({ report }) => report)
  const isMapFound = found.some(({ artifact }) => artifact?.kind === 'map' && artifact.debugId !== '')
  const artifacts = found.flatMap(({ artifact, report }) => {
    if (artifact === undefined) return []
    const isAddressed = artifact.debugId !== '' || job.hasRelease
    // The maps of an upload look into it first.
    if (isAddressed || (artifact.kind === 'source' && isMapFound)) return [artifact]
    report.warnings.push('No frame finds it: it has no debug id, and the upload names no release.')
    return []
  })
  if (artifacts.length === 0) {
    return { files, artifacts, sources: [], error: uselessness(found) }
  }
  sink.tables.publish()
  return { files, artifacts, sources: sink.sources.all(), error: null }
}

function warnOfMissingTexts(found: readonly FoundFile[]): void {
  const texts = new Set(found.flatMap(({ artifact }) => (artifact?.kind === 'source' ? artifact.path : [])))
  for (const { report, lacking = [] } of found) {
    const missing = lacking.filter((paths) => !paths.some((path) => texts.has(path))).length
    if (missing > 0) report.warnings.push(missingTexts(missing, report.sources))
  }
}

function missingTexts(missing: number, sources: number): string {
  if (missing === sources) return 'It holds no source text (sourcesContent): frames get no context lines.'
  return `${missing} of ${sources} sources have no text (sourcesContent): their frames get no context lines.`
}

/** Why no artifact is left: the problem of the first file, which usually is the only one. */
function uselessness(found: readonly FoundFile[]): NonNullable<Processed['error']> {
  const [first] = found.filter(({ artifact }) => artifact !== undefined)
  if (first !== undefined) {
    const message =
      'Nothing says which frames it belongs to: create the upload with a release, or build with debug ids.'
    return { code: 'NOT_ADDRESSED', message }
  }
  const [reason = 'Nothing in it can be used.'] = found.flatMap(({ report }) => report.warnings)
  const message = found.length > 1 ? `None of ${found.length} files can be used. The first: ${reason}` : reason
  const [rule] = found.flatMap((file) => file.rule ?? [])
  return { code: 'INVALID_SOURCE_MAP', message, ...(rule !== undefined && { rule }) }
}
