import { isDeepStrictEqual } from 'node:util'
import type { InputOf } from '../../../contract/index.ts'
import type { TestGenerationContext } from '../../../contract/retrieval.ts'
import type * as z from 'zod'
import { notFound, ServiceError } from '../../../errors.ts'
import { compileGlob, isLiteral } from '../../workspace/components/glob.ts'
import type { Call } from '../../shared/context.ts'
import { viewComponents } from '../../workspace/components/component-view.ts'
import type { StoredRequirement } from '../../quality/requirements/access.ts'
import { audit } from '../../workspace/audit.ts'
import type { StoredProduct } from '../../workspace/products.ts'
import { CodeRefs } from '../../quality/requirements/columns.ts'
import type { Rows } from '../../sql/database.ts'
import { dayMs, timestamp } from '../../shared/times.ts'
import { gapId } from '../../quality/gaps/scan.ts'
import { estimateTokens } from './budget.ts'
import { buildTestContext, readShared, type SharedContext } from './build.ts'
import { environmentRefs } from './environments.ts'
import { readJson } from '../../sql/json.ts'

type Input = InputOf<'prepareTestContext'>

const COMPONENTS_SHOWN = 50

/**
 * Prepares the contexts of several requirements in one answer (contract §9.3): the token budget is split by the scores
 * of their gaps, and globs are resolved against the working tree that the caller sends. Only its paths are stored, once
 * all that the caller named was found.
 */
export async function prepareContexts(
  call: Call,
  product: StoredProduct,
  input: Input,
): Promise<z.input<typeof TestGenerationContext>> {
  const { repository, max_tokens: maxTokens = 40_000, framework } = input
  const rows = call.db.read
  const now = call.now()
  const read = await readShared(rows, product, now)
  const conventions =
    framework === undefined ? read.conventions : { ...read.conventions, dominant_framework: framework }
  const shared: SharedContext = { ...read, conventions }
  const chosen = await chosenRequirements(rows, product, input, shared)
  await storePaths(call, product.id, repository)
  const scores = chosen.map(({ id }) => 1 + (shared.gaps.find((gap) => gap.requirementId === id)?.score ?? 0))
  const total = scores.reduce((sum, score) => sum + score, 0)
  const contexts = []
  for (const [index, requirement] of chosen.entries()) {
    const share = Math.floor((maxTokens * scores[index]!) / total)
    const options = { now, symbolicator: call.symbolicator, maxTokens: share, shared }
    contexts.push(await buildTestContext(rows, product, requirement, options))
  }
  const components = await rows
    .selectFrom('component')
    .selectAll()
    .where('product_id', '=', product.id)
    .orderBy('position')
    .limit(COMPONENTS_SHOWN)
    .execute()
  return {
    id: call.newId(),
    contexts: contexts.map((context) => withExports(context, repository)),
    shared: {
      conventions,
      components: await viewComponents(rows, { now }, components),
      environments: await environmentRefs(rows, product.id),
    },
    unresolved_globs: unresolvedGlobs(chosen, repository),
    token_estimate: estimateTokens(contexts),
    truncation_signals: [...new Set(contexts.flatMap(({ truncation_signals }) => truncation_signals))],
    created_at: timestamp(now),
    expires_at: timestamp(now + dayMs),
  }
}

async function chosenRequirements(
  rows: Rows,
  product: StoredProduct,
  { requirement_ids, gap_ids, top_gaps }: Input,
  { gaps }: SharedContext,
): Promise<StoredRequirement[]> {
  const given = [requirement_ids, gap_ids, top_gaps].filter((one) => one !== undefined)
  if (given.length !== 1) {
    const message = 'pass exactly one of requirement_ids, gap_ids and top_gaps'
    throw new ServiceError('invalid_argument', message, {
      reason: 'FIELD_INVALID',
      violations: [{ field: 'requirement_ids', description: 'pass this, gap_ids or top_gaps, exactly one of them' }],
    })
  }
  const ofGaps = gaps.flatMap(({ requirementId, ...gap }) =>
    requirementId === undefined ? [] : [{ ...gap, requirementId }],
  )
  const ids =
    requirement_ids ??
    gap_ids?.map((id) => {
      const gap = ofGaps.find((one) => gapId(one) === id)
      if (gap === undefined)
        throw notFound('gap', id, 'list the coverage gaps; a gap for a file has no requirement to prepare')
      return gap.requirementId
    }) ??
    ofGaps.slice(0, top_gaps).map(({ requirementId }) => requirementId)
  const distinct = [...new Set(ids)]
  if (distinct.length === 0) return []
  const found = await rows
    .selectFrom('requirement')
    .selectAll()
    .where('product_id', '=', product.id)
    .where('id', 'in', distinct)
    .where('deleted_at', 'is', null)
    .execute()
  return distinct.map((id) => {
    const row = found.find((one) => one.id === id)
    if (row === undefined) throw notFound('requirement', id, 'list the requirements of the product')
    return row
  })
}

/** Replaces the stored working tree by the one that the caller has now, if it says what that has. */
export async function storePaths(call: Call, productId: number, repository: Input['repository']): Promise<void> {
  if (repository === undefined) return
  const given = repository.files.map(({ path }) => path.replaceAll('\\', '/').replace(/^(?:\.?\/)+/, ''))
  const after = [...new Set(given)].toSorted()
  await call.db.write(async (rows, prepare) => {
    const stored = await rows.selectFrom('repository_path').select('path').where('product_id', '=', productId).execute()
    const before = stored.map(({ path }) => path).toSorted()
    if (isDeepStrictEqual(before, after)) return
    await prepare('DELETE FROM repository_path WHERE product_id = ?').run(productId)
    const insert = prepare('INSERT INTO repository_path (product_id, path) VALUES (?, ?) ON CONFLICT DO NOTHING')
    for (const path of after) await insert.run(productId, path)
    const resource = { resourceType: 'repository_paths', resourceId: String(productId) }
    await audit(rows, call, { verb: 'update', ...resource, before, after })
  })
}

/** The globs of the requirements that match no file of the working tree; empty without a working tree. */
function unresolvedGlobs(chosen: readonly StoredRequirement[], repository: Input['repository']): string[] {
  if (repository === undefined) return []
  const globs = chosen.flatMap(({ code_refs }) => readJson(CodeRefs, code_refs).map(({ path }) => path))
  return [...new Set(globs)].filter((glob) => {
    if (isLiteral(glob)) return !repository.files.some(({ path }) => path === glob)
    const matches = compileGlob(glob)
    return !repository.files.some(({ path }) => matches(path))
  })
}

/** Adds the exports that the caller lists for its files to the symbols of the same files. */
function withExports<C extends { code_files: { path: string; symbols: string[] }[] }>(
  context: C,
  repository: Input['repository'],
): C {
  const exported = new Map(repository?.files.map(({ path, exports = [] }) => [path, exports]))
  if (exported.size === 0) return context
  const code_files = context.code_files.map((file) => ({
    ...file,
    symbols: [...new Set([...file.symbols, ...(exported.get(file.path) ?? [])])].slice(0, 20),
  }))
  return { ...context, code_files }
}
