import type { ReceivedResult, Api } from '../../client/api.ts'
import type { Upload } from '../../client/upload.ts'
import type { ResultOf } from '../../contract/index.ts'
import { maxUploadBytes } from '../../contract/sourcemaps.ts'
import { ServiceError } from '../../errors.ts'
import type { Listed, LocalFiles } from './local-files.ts'
import {
  MAX_BUNDLE_FILES,
  prepareBundle,
  prepareFile,
  type Prepared,
  type PrepareOptions,
  type UnmatchedMap,
} from './source-map-bundle.ts'
import { isNotOffered, notOffered } from '../resolve/offered.ts'
import { describeValue, TeachingError } from '../result/teach.ts'

/** The source and the destination of an upload. */
export interface UploadContext {
  api: Api
  upload: Upload
  files: LocalFiles
  signal: AbortSignal
  onProgress?: (progress: UploadProgress) => void
}

/** Progress of one step, in bytes; `index` is done by the service and has none. */
export interface UploadProgress {
  step: 'read' | 'send' | 'index'
  done: number
  total: number
}

export interface UploadRequest {
  productId: string
  /** A file or a folder. */
  path: string
  release: string
  dist?: string | undefined
  /** The prefix of the minified files' paths in stack frames; the service's default is `~/`. */
  urlPrefix?: string | undefined
  /** The name under which a single file is served, if it differs from its own. */
  fileName?: string | undefined
}

export type ReceivedSourceMap = ReceivedResult<ResultOf<'confirmSourceMap'>>['sourcemap']

export interface UploadOutcome {
  sourceMap: ReceivedSourceMap
  /** The service already had the same bytes, so nothing was sent. */
  known: boolean
  /** Number of issues whose frames now show original code; undefined if the service does not say. */
  resymbolicated: number | undefined
  /** Numbers of source maps and JavaScript files. */
  maps: number
  scripts: number
  sizeBytes: number
  /** Numbers of files and links of a folder that were not sent. */
  others: number
  links: number
  unmatched: readonly UnmatchedMap[]
  /** The service's own sentence when a limit of the product is near. */
  limitsWarning: string | undefined
}

/**
 * Sends a file, or a folder as one zip, and has it indexed: create, upload, confirm (contract §11). Bytes that the
 * service already has are not sent again. Rejects with `ServiceError`, or with a `TeachingError` if there is nothing to
 * upload.
 */
export async function uploadSourceMaps(request: UploadRequest, context: UploadContext): Promise<UploadOutcome> {
  const listed = await listSourceMaps(request.path, context.files)
  await using prepared = await prepare(listed, context)
  const { sizeBytes, sha256, unmatched } = prepared
  const created = await context.api
    .createSourceMap(
      {
        product_id: request.productId,
        file_name: listed.isFolder ? `${listed.name}.zip` : (request.fileName ?? listed.name),
        release: request.release,
        ...(request.dist !== undefined && { dist: request.dist }),
        ...(request.urlPrefix !== undefined && { url_prefix: request.urlPrefix }),
        size_bytes: sizeBytes,
        sha256,
      },
      { signal: context.signal },
    )
    .catch(tellNotCreated)
  const sent = await send(created, { prepared, listed }, context)
  const maps = mapsIn(listed).length
  return {
    sourceMap: sent?.sourcemap ?? created.sourcemap,
    known: sent === undefined,
    resymbolicated: sent?.resymbolicated_issues,
    maps,
    scripts: listed.files.length - maps,
    sizeBytes,
    others: listed.others,
    links: listed.links,
    unmatched,
    limitsWarning: sent?.limits_warning || undefined,
  }
}

/**
 * Scripts and maps, those of React Native included (`index.android.bundle`, `main.jsbundle`). Style sheets and type
 * declarations have maps too, but no stack frames. Some names cannot be stored in a zip.
 */
function isSourceMap(path: string): boolean {
  // oxlint-disable-next-line no-control-regex -- the rule is about exactly these characters
  if (/[\\\u0000-\u001f\u007f]|^[a-z]:/i.test(path)) return false
  return /\.(?:map|[cm]?js|bundle|jsbundle)$/.test(path) && !/\.(?:css|d\.[cm]?ts)\.map$/.test(path)
}

function isBytecode(path: string): boolean {
  return path.endsWith('.hbc')
}

const onlyBytecode = 'Hermes bytecode (.hbc) is of no use without the composed source map of the build'

async function listSourceMaps(path: string, files: LocalFiles): Promise<Listed> {
  let bytecode = 0
  const wanted = (file: string) => {
    if (isBytecode(file)) bytecode += 1
    return isSourceMap(file)
  }
  const listed = await files.list(path, { maxFiles: MAX_BUNDLE_FILES, wanted })
  const [first] = listed.files
  if (!listed.isFolder && first !== undefined) {
    if (isBytecode(first.path)) throw nothingToUpload(onlyBytecode)
    if (!isSourceMap(first.path)) throw nothingToUpload('the file is neither a source map nor JavaScript')
    if (first.sizeBytes <= maxUploadBytes) return listed
    throw new TeachingError('payload_too_large', `the file is larger than ${String(maxUploadBytes)} bytes`, {})
  }
  if (listed.files.some((file) => file.path.endsWith('.map'))) return listed
  const scripts = `${String(listed.files.length)} JavaScript and ${String(listed.others)} other files`
  const hermes = bytecode === 0 ? '' : `; ${onlyBytecode}`
  throw nothingToUpload(`no source map is below the folder, which holds ${scripts}${hermes}`)
}

function nothingToUpload(why: string): TeachingError {
  return new TeachingError('invalid_argument', why, {
    expected: 'path: a .map, .js, .mjs, .cjs, .bundle or .jsbundle file, or a folder with .map files',
    hint: 'build with source maps, then name the folder that the build writes to.',
  })
}

function prepare(listed: Listed, { files, signal, onProgress }: UploadContext): Promise<Prepared> {
  const total = listed.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const options: PrepareOptions = { files, signal, onRead: (done) => onProgress?.({ step: 'read', done, total }) }
  const [first] = listed.files
  return listed.isFolder || first === undefined ? prepareBundle(listed.files, options) : prepareFile(first, options)
}

/** Uploads and confirms; resolves to undefined where the service has the bytes already. */
async function send(
  created: ReceivedResult<ResultOf<'createSourceMap'>>,
  { prepared, listed }: { prepared: Prepared; listed: Listed },
  { api, upload, signal, onProgress }: UploadContext,
) {
  const { sourcemap, upload_url: url = '', upload_headers: headers = {} } = created
  if (url === '') {
    if (sourcemap.state === 'SOURCEMAP_STATE_READY') return undefined
    throw new ServiceError('upstream_shape_unknown', 'the deployment gave no address to upload to')
  }
  const { sizeBytes, sha256 } = prepared
  const onSent = (done: number) => onProgress?.({ step: 'send', done, total: sizeBytes })
  await upload({ url, headers }, prepared, { signal, onSent }).catch(tellUnconfirmed)
  onProgress?.({ step: 'index', done: 0, total: 0 })
  return api
    .confirmSourceMap({ id: sourcemap.id, sha256, size_bytes: sizeBytes }, { signal })
    .catch((error: unknown) => tellUnusable(error, listed))
}

const AGAIN = 'upload it again: what was not confirmed is not used.'

/** For `catch` of the transfer: nothing uses the upload yet, so that it may always be repeated. */
function tellUnconfirmed(error: unknown): never {
  if (!(error instanceof ServiceError) || error instanceof TeachingError) throw error
  const { code, message, reason, retryAfterSeconds } = error
  const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
  throw new TeachingError(code, message, { hint: AGAIN }, { reason, ...wait, cause: error })
}

/** For `catch` of the first step, which is sent once: an upload that may exist is not used unless it is confirmed. */
function tellNotCreated(error: unknown): never {
  if (isNotOffered(error)) {
    const hint = 'ask the user to upload source maps as this deployment expects it; error issues can still be read.'
    throw notOffered('source-map uploads', { hint }, error)
  }
  if (!(error instanceof ServiceError) || error.code !== 'outcome_unknown') throw error
  throw new TeachingError(error.code, error.message, { hint: AGAIN }, { reason: error.reason, cause: error })
}

const AFTER_CONFIRM =
  'check whether frames of the release show original code, in get_fix_context of one of its issues; the same upload may be repeated.'

/** The service's own sentences do not come over with a failure; the rule that was broken does. */
function tellUnusable(error: unknown, listed: Listed): never {
  if (isNotOffered(error))
    throw notOffered('the confirmation of uploads', { hint: 'tell the user; nothing uses the upload.' }, error)
  if (!(error instanceof ServiceError)) throw error
  const { code: failure, reason, metadata } = error
  if (failure === 'outcome_unknown' || failure === 'unavailable') {
    const message = `the files were sent; whether they are used is unknown: ${error.message}`
    throw new TeachingError('outcome_unknown', message, { hint: AFTER_CONFIRM }, { reason, cause: error })
  }
  if (reason !== 'INVALID_SOURCE_MAP') throw error
  const { rule, error_code: code } = metadata
  const maps = mapsIn(listed)
  const breaks = `${maps.length > 1 ? 'the first' : 'it'} breaks the rule ${rule ?? ''} of ECMA-426`
  const why = rule === undefined ? code?.toLowerCase().replaceAll('_', ' ') : breaks
  throw new TeachingError(
    'invalid_argument',
    `the service cannot use ${uploadWords(maps)}${why === undefined ? '' : `: ${why}`}`,
    { hint: 'build the source maps again, then upload them.' },
    { reason, metadata, cause: error },
  )
}

function mapsIn({ files }: Listed): Listed['files'] {
  return files.filter(({ path }) => path.endsWith('.map'))
}

function uploadWords([first, ...others]: Listed['files']): string {
  if (first === undefined) return 'the upload'
  if (others.length > 0) return `any of the ${String(others.length + 1)} source maps`
  return `the source map ${describeValue(first.path.slice(first.path.lastIndexOf('/') + 1))}`
}
