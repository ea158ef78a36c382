import type { RequestOf } from '../../contract/index.ts'
import { ServiceError } from '../../errors.ts'
import { judgedWords, resolveJudged } from '../../mcp/resolve/judged-words.ts'
import { ifOffered } from '../../mcp/resolve/offered.ts'
import type { Product } from '../../mcp/resolve/types.ts'
import { shown } from '../picture/shown.ts'
import { traceabilityPicture } from '../picture/from-matrix.ts'
import { verdictPicture } from '../picture/from-verdict.ts'
import { showsRow, type MatrixFilterName } from '../picture/matrix-picture.ts'
import type { GatePicture, MatrixPicture } from '../picture/types.ts'
import type { Reading } from '../session/reading.ts'
import type { ScopeQuery } from './address.ts'
import { approvals, type Approvals } from './approvals.ts'

export interface GateScope {
  product: Product
  request: RequestOf<'getGate'>
  words: string
}

/** The scope that a query names, by ids; rejects names that mean nothing. */
export async function readScope(query: ScopeQuery, product: Product, { resolve }: Reading): Promise<GateScope> {
  const { commit, git_branch: branch } = query
  const judged = await resolveJudged(query, product.id, resolve)
  const { release, environment } = judged
  const parts = [
    ...judgedWords(judged, query),
    commit && `commit ${(shown(commit) ?? '').slice(0, 12)}`,
    branch && `git branch ${shown(branch) ?? ''}`,
  ]
  return {
    product,
    words: parts.filter(Boolean).join(', ') || 'the whole product',
    request: {
      product_id: product.id,
      ...(release !== undefined && { release_id: release.id }),
      ...(environment !== undefined && { environment_id: environment.id }),
      ...(commit !== undefined && { commit_sha: commit }),
      ...(branch !== undefined && { git_branch: branch }),
    },
  }
}

/** A verdict, and how its pending risks are approved. */
export interface ShownVerdict {
  picture: GatePicture
  approvals: Approvals
}

/** The newest verdict of the scope; `none` if it was never computed, undefined where the deployment has no gate. */
export async function readPicture(
  { product, request, words }: GateScope,
  { reader: { api }, signal }: Reading,
): Promise<ShownVerdict | 'none' | undefined> {
  try {
    const result = await ifOffered(api.getGate(request, { signal }))
    if (result === undefined) return undefined
    const picture = verdictPicture(result.verdict, { product: product.name ?? product.id, scope: words })
    return { picture, approvals: approvals(result.verdict.risks, request) }
  } catch (error) {
    if (error instanceof ServiceError && error.reason === 'VERDICT_NOT_COMPUTED') return 'none'
    throw error
  }
}

/** Requirements on one page. */
const ROWS = 100

/** One page of the matrix; undefined where the deployment has none. */
export async function readMatrix(
  scope: GateScope,
  { filter, pageToken }: { filter: MatrixFilterName; pageToken: string | undefined },
  { reader: { api }, signal }: Reading,
): Promise<{ picture: MatrixPicture; nextPage: string | undefined } | undefined> {
  const request = matrixRequest(scope, filter)
  const paging = { page_size: ROWS, ...(pageToken !== undefined && { page_token: pageToken }) }
  const result = await ifOffered(api.getTraceability({ ...request, ...paging }, { signal }))
  if (result === undefined) return undefined
  const { traceability_matrix: matrix, next_page_token: next } = result
  const picture = traceabilityPicture(matrix)
  // A deployment may ignore the filter.
  const rows = picture.rows.filter((row) => showsRow(filter, row))
  return { picture: { ...picture, rows }, nextPage: next === '' ? undefined : next }
}

/** The rows that the filter chooses, in the scope of the verdict. */
export function matrixRequest({ request }: GateScope, filter: MatrixFilterName): RequestOf<'getTraceability'> {
  return { ...request, ...(filter !== 'all' && { filter: [filter] }) }
}
