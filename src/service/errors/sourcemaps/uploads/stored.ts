import type { Selectable } from 'kysely'
import * as z from 'zod'
import { SourceMap } from '../../../../contract/sourcemaps.ts'
import { notFound } from '../../../../errors.ts'
import type { Principal } from '../../../shared/context.ts'
import type { Rows } from '../../../sql/database.ts'
import type { ProductRow } from '../../../sql/schema.ts'
import type { SourceMapRow } from '../../../sql/schema-sourcemaps.ts'
import { isKnownEnvironment, isKnownRelease, nameKey } from '../../../workspace/releases/rules.ts'
import { timestamp, timestampOrNull } from '../../../shared/times.ts'
import type { State } from './states.ts'
import { readJson } from '../../../sql/json.ts'

/** A row of `sourcemap`. */
export type StoredUpload = Selectable<SourceMapRow>

/** The column `files`: the answer of the confirm besides the upload itself, so that it can be repeated. */
const Outcome = z.object({
  files: SourceMap.shape.files,
  /** Null until the issues are updated. */
  resymbolicated_issues: z.int().nullable(),
})
export type Outcome = z.input<typeof Outcome>

export const noOutcome: Outcome = { files: [], resymbolicated_issues: null }

/** Reads the column `files`. */
export function readOutcome({ files }: Pick<StoredUpload, 'files'>): Outcome {
  return readJson(Outcome, files)
}

const StoredError = SourceMap.shape.error.unwrap()

/** Reads the column `error`. */
export function readError({ error }: Pick<StoredUpload, 'error'>): z.input<typeof StoredError> | null {
  return error === null ? null : readJson(StoredError, error)
}

/** The upload and its product; `not_found` also when the principal is not a member of its workspace (contract §0.4). */
export async function requireUpload(
  rows: Rows,
  principal: Principal,
  id: string,
): Promise<{ upload: StoredUpload; product: Selectable<ProductRow> }> {
  const upload = await rows.selectFrom('sourcemap').selectAll().where('id', '=', id).executeTakeFirst()
  const product = await rows
    .selectFrom('product')
    .selectAll()
    .where('id', '=', upload?.product_id ?? 0)
    .executeTakeFirst()
  if (upload === undefined || product === undefined || !principal.workspaceIds.includes(product.workspace_id)) {
    throw notFound('source map', id, 'create the upload again')
  }
  return { upload, product }
}

/** An upload as the contract shows it. */
export async function viewUpload(rows: Rows, upload: StoredUpload): Promise<z.input<typeof SourceMap>> {
  const { release, environment } = upload
  return {
    id: upload.id,
    product_id: String(upload.product_id),
    // Written only by this folder; the contract has checked the artifact at creation.
    state: upload.state as State,
    artifact: upload.artifact as z.input<typeof SourceMap>['artifact'],
    release,
    release_known: await knowsRelease(rows, upload),
    dist: upload.dist,
    environment,
    environment_known: environment !== '' && (await knowsEnvironment(rows, upload)),
    file_name: upload.file_name,
    url_prefix: upload.url_prefix,
    debug_id: upload.debug_id,
    size_bytes: upload.size_bytes,
    sha256: upload.sha256,
    content_type: upload.content_type,
    files: readOutcome(upload).files,
    error: readError(upload),
    created_by: readJson(SourceMap.shape.created_by, upload.created_by),
    created_at: timestamp(upload.created_at),
    confirmed_at: timestampOrNull(upload.confirmed_at),
    expires_at: timestampOrNull(upload.expires_at),
  }
}

/** A release that a READY map names is known; before that, one that was not created by an event (contract §6). */
async function knowsRelease(rows: Rows, { release, state, product_id: productId }: StoredUpload): Promise<boolean> {
  if (release === '') return false
  if (state === ('SOURCEMAP_STATE_READY' satisfies State)) return true
  const found = await rows
    .selectFrom('release')
    .select('origin')
    .distinct()
    .where('product_id', '=', productId)
    .where('version', '=', release)
    .execute()
  return found.some(isKnownRelease)
}

async function knowsEnvironment(rows: Rows, { environment, product_id: productId }: StoredUpload): Promise<boolean> {
  const found = await rows
    .selectFrom('environment')
    .select('origin')
    .where('product_id', '=', productId)
    .where('name_key', '=', nameKey(environment))
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return isKnownEnvironment({ name: environment, origin: found?.origin ?? 'ORIGIN_EVENT' })
}
