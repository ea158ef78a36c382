import type { InputOf, ResponseOf } from '../../../../contract/index.ts'
import { maxUploadBytes } from '../../../../contract/sourcemaps.ts'
import { ServiceError } from '../../../../errors.ts'
import { audit } from '../../../workspace/audit.ts'
import type { Call, Principal } from '../../../shared/context.ts'
import { requireProduct } from '../../../workspace/access.ts'
import type { Prepare, Rows } from '../../../sql/database.ts'
import { signAddress } from './address.ts'
import { normalDebugId } from '../process/comments.ts'
import { guessArtifact, normalPrefix } from '../process/paths.ts'
import { copySources, insertArtifacts } from './record-artifacts.ts'
import { readArtifacts, renameArtifacts, findEqualUpload, findReusableUpload, type UploadFacts } from './reuse.ts'
import { noOutcome, viewUpload, type Outcome, type StoredUpload } from './stored.ts'
import { unconfirmedMs, type State } from './states.ts'
import { areWhole } from '../process/tables.ts'
import { vouchForRelease } from './vouch.ts'

type Input = InputOf<'createSourceMap'>

/** A new upload, or an existing one with the same content and description. */
export interface Created {
  response: ResponseOf<'createSourceMap'>
  upload: StoredUpload
  /** Whether existing bytes were indexed again for this build. */
  indexed: boolean
}

interface Creating {
  rows: Rows
  prepare: Prepare
  call: Call
  /** Key of the addresses' signatures. */
  secret: string
  /** Folder of the finished tables. */
  tables: string
}

/**
 * Creates an upload inside the caller's transaction: waiting for its bytes at a presigned address, or READY at once if
 * the product has the same bytes and their tables are intact. Throws `invalid_argument`, `not_found`.
 */
export async function createUpload({ rows, prepare, call, secret, tables }: Creating, input: Input): Promise<Created> {
  const product = await requireProduct(rows, call.principal, input.product_id)
  const facts = readFacts(input)
  const answer = (upload: StoredUpload, address = { url: '', expiresAt: call.now() }) =>
    respond(rows, call, upload, address)
  const same = await findEqualUpload(rows, product.id, facts)
  if (same !== undefined && areWhole(tables, await readArtifacts(rows, same.id))) {
    // The caller is told that nothing need be sent: a release that is deployed again keeps its maps as if they had been.
    await rows.updateTable('sourcemap').set({ used_at: call.now() }).where('id', '=', same.id).execute()
    return { response: await answer(same), upload: same, indexed: false }
  }
  const reusable = await findReusableUpload(rows, product.id, facts)
  const renamed = reusable && areWhole(tables, reusable.artifacts) ? renameArtifacts(reusable, facts) : undefined
  if (reusable !== undefined && renamed !== undefined) {
    const upload = await insertReady(rows, call, product.id, facts, reusable.upload.size_bytes, renamed.outcome)
    await insertArtifacts(prepare, upload, renamed.artifacts)
    await copySources(prepare, upload)
    await vouchForRelease(rows, call, upload)
    return { response: await answer(upload), upload, indexed: true }
  }
  const upload = await insert(rows, call, product.id, {
    ...facts,
    state: 'SOURCEMAP_STATE_PENDING_UPLOAD',
    files: JSON.stringify(noOutcome),
    confirmed_at: null,
    expires_at: call.now() + unconfirmedMs,
  })
  const max = largestBody(upload)
  const target = { id: upload.id, max, sha256: facts.sha256, origin: call.origin, now: call.now() }
  return { response: await answer(upload, signAddress(secret, target)), upload, indexed: false }
}

/**
 * The tables that `createUpload` may use again, by name: where they are fetched, that is done before its transaction. Throws
 * as it does.
 */
export async function tablesToReuse(rows: Rows, principal: Principal, input: Input): Promise<string[]> {
  const product = await requireProduct(rows, principal, input.product_id)
  const facts = readFacts(input)
  const same = await findEqualUpload(rows, product.id, facts)
  const reusable = await findReusableUpload(rows, product.id, facts)
  const own = same === undefined ? [] : await readArtifacts(rows, same.id)
  return [...own, ...(reusable?.artifacts ?? [])].map(({ content }) => content)
}

/** The announced size, so that an address takes no more than the confirm would accept; the limit without one. */
function largestBody({ size_bytes }: Pick<StoredUpload, 'size_bytes'>): number {
  return size_bytes === 0 ? maxUploadBytes : size_bytes
}

function readFacts(input: Input): UploadFacts {
  const fileName = readFileName(input.file_name)
  const artifact = input.artifact ?? guessArtifact(fileName)
  if (artifact === undefined) {
    throw invalid(
      'artifact',
      'is required: the ending of file_name is none of .zip, .map, .js, .mjs, .cjs, .bundle and .jsbundle',
    )
  }
  const debugId = normalDebugId(input.debug_id ?? '')
  if (input.debug_id !== undefined && debugId === '') throw invalid('debug_id', 'must have 32 hexadecimal digits')
  return {
    artifact,
    file_name: fileName,
    url_prefix: readPrefix(input.url_prefix ?? ''),
    debug_id: debugId,
    release: plain('release', input.release ?? ''),
    dist: plain('dist', input.dist ?? ''),
    environment: plain('environment', input.environment ?? ''),
    size_bytes: input.size_bytes ?? 0,
    sha256: (input.sha256 ?? '').toLowerCase(),
    content_type: requireMediaType(input.content_type ?? 'application/octet-stream'),
  }
}

/** Relative, with `/`, because it is the end of a path. */
function readFileName(given: string): string {
  const name = plain('file_name', given)
    .replaceAll('\\', '/')
    .replace(/^(?:\.?\/)+/, '')
  if (name === '' || name.endsWith('/')) throw invalid('file_name', 'must end with the name of a file')
  if (name.split('/').includes('..')) throw invalid('file_name', 'must not hold ".."')
  return name
}

function readPrefix(given: string): string {
  return normalPrefix(plain('url_prefix', given))
}

function plain(field: string, text: string): string {
  if (/\p{Cc}/u.test(text)) throw invalid(field, 'must not hold control characters')
  return text
}

/** The value is sent back as a header. */
function requireMediaType(type: string): string {
  if (/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;\s*[\w-]+=[\w.-]+)*$/.test(type)) return type
  throw invalid('content_type', 'must be a media type such as application/json')
}

function invalid(field: string, description: string): ServiceError {
  return new ServiceError('invalid_argument', `${field} ${description}`, {
    reason: 'FIELD_INVALID',
    violations: [{ field, description }],
  })
}

function insertReady(
  rows: Rows,
  call: Call,
  productId: number,
  facts: UploadFacts,
  sizeBytes: number,
  outcome: Outcome,
): Promise<StoredUpload> {
  return insert(rows, call, productId, {
    ...facts,
    size_bytes: sizeBytes,
    state: 'SOURCEMAP_STATE_READY',
    files: JSON.stringify(outcome),
    confirmed_at: call.now(),
    expires_at: null,
  })
}

async function insert(
  rows: Rows,
  call: Call,
  productId: number,
  columns: UploadFacts & { state: State } & Pick<StoredUpload, 'files' | 'confirmed_at' | 'expires_at'>,
): Promise<StoredUpload> {
  const upload = await rows
    .insertInto('sourcemap')
    .values({
      id: call.newId(),
      product_id: productId,
      ...columns,
      error: null,
      created_by: JSON.stringify(call.actor),
      created_at: call.now(),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await audit(rows, call, { verb: 'create', resourceType: 'sourcemap', resourceId: upload.id, after: upload })
  return upload
}

async function respond(
  rows: Rows,
  call: Call,
  upload: StoredUpload,
  { url, expiresAt }: { url: string; expiresAt: number },
): Promise<ResponseOf<'createSourceMap'>> {
  return {
    sourcemap: await viewUpload(rows, upload),
    upload_url: url,
    upload_method: 'PUT',
    upload_headers: { 'Content-Type': upload.content_type },
    max_size_bytes: largestBody(upload),
    expires_at: new Date(expiresAt).toISOString(),
  }
}
