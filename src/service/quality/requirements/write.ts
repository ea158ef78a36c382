import { recordExclusion } from '../../workspace/exclusions.ts'
import { takeNumber } from '../../workspace/numbers.ts'
import * as z from 'zod'
import type { InputOf } from '../../../contract/index.ts'
import { ServiceError } from '../../../errors.ts'
import type { Writing } from '../../shared/context.ts'
import { refreshCoverage } from '../coverage/refresh.ts'
import type { Prepare, Rows } from '../../sql/database.ts'
import type { StoredRequirement } from './access.ts'
import type { StoredProduct } from '../../workspace/products.ts'
import { Criteria, Source, type Criterion } from './columns.ts'
import { contentHash, readCodeRefs, readCriteria } from './content.ts'
import { noteRequirementChange, requirementItem } from './exclusions.ts'
import { indexedPath } from './match.ts'
import { checkReferences, findParent } from './references.ts'
import { indexRequirement } from './text-index.ts'
import { below, isWithin, LAST_POSITION, moveSubtree, treePath } from './tree.ts'
import { readJson, readTexts } from '../../sql/json.ts'

/** The members that a request may set; absent ones stay unchanged. */
export type RequirementFields = Partial<
  Omit<InputOf<'createRequirement'>, 'product_id' | 'branch_id' | 'request_id' | 'validate_only' | 'position'>
> & { position?: number | 'end' | undefined }

/** A change of a requirement, with what it says of itself. */
export type RequirementChange = RequirementFields & {
  minor_change?: boolean | undefined
  /** Why, where the change takes the requirement or its links out of the gate. */
  reason?: string | undefined
}

const noSource = { kind: 'REQUIREMENT_SOURCE_MANUAL', uri: '', line_start: 0, line_end: 0, quote: '', agent_run_id: '' }

/** What a branch created, which keeps its id; without a number it takes the next one. */
export interface StoredOnBranch {
  id: string
  number: number | undefined
}

/**
 * Creates a requirement, after its siblings unless `position` is given (contract §3). Criteria that a branch stored keep their
 * ids.
 */
export async function insertRequirement(
  rows: Rows,
  prepare: Prepare,
  call: Writing,
  product: Pick<StoredProduct, 'id'>,
  fields: RequirementFields & { title: string },
  stored?: StoredOnBranch,
): Promise<StoredRequirement> {
  const parent = await findParent(rows, product.id, fields.parent_id)
  await checkReferences(rows, product.id, fields)
  const number = stored?.number ?? (await takeNumber(prepare, product.id, 'requirement'))
  const position =
    typeof fields.position === 'number' ? fields.position : await nextPosition(prepare, product.id, parent?.id ?? '')
  const criteria = criteriaToStore(call, fields, [], stored !== undefined)
  const now = call.now()
  const actor = JSON.stringify(call.actor)
  const row = await rows
    .insertInto('requirement')
    .values({
      id: stored?.id ?? call.newId(),
      product_id: product.id,
      number,
      parent_id: parent?.id ?? '',
      position,
      tree_path: treePath(parent, { position, number }),
      kind: 'REQUIREMENT_KIND_FUNCTIONAL',
      status: 'REQUIREMENT_STATUS_DRAFT',
      priority: 'PRIORITY_MEDIUM',
      risk: 'RISK_LEVEL_MEDIUM',
      source: JSON.stringify(noSource),
      ...toColumns(fields),
      title: fields.title,
      acceptance_criteria: JSON.stringify(criteria),
      content_hash: contentHash({
        title: fields.title,
        statement: fields.statement ?? '',
        acceptance_criteria: criteria,
      }),
      created_by: actor,
      updated_by: actor,
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await keepVersion(prepare, row)
  await index(prepare, row)
  await refreshCoverage(rows, prepare, { productId: product.id, now }, [row.id])
  return row
}

/**
 * Changes a requirement. A change to its content creates a new version and makes its links suspect, unless
 * `minor_change` is set (contract §3). `isStored` says that a branch stored the fields: their criteria keep their ids.
 */
export async function changeRequirement(
  rows: Rows,
  prepare: Prepare,
  call: Writing,
  before: StoredRequirement,
  fields: RequirementChange,
  isStored = false,
): Promise<StoredRequirement> {
  await checkReferences(rows, before.product_id, fields, before.id)
  const known = readJson(Criteria, before.acceptance_criteria)
  const criteria = criteriaToStore(call, fields, known, isStored)
  const hash = contentHash({
    title: fields.title ?? before.title,
    statement: fields.statement ?? before.statement,
    acceptance_criteria: criteria,
  })
  const isRevision = hash !== before.content_hash && fields.minor_change !== true
  const tree = await moveInTree(rows, prepare, before, fields)
  const row = await rows
    .updateTable('requirement')
    .set({
      ...toColumns(fields),
      ...(fields.title !== undefined && { title: fields.title }),
      ...tree,
      acceptance_criteria: JSON.stringify(criteria),
      content_hash: hash,
      version: before.version + (isRevision ? 1 : 0),
      etag_version: before.etag_version + 1,
      updated_by: JSON.stringify(call.actor),
      updated_at: call.now(),
    })
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  if (isRevision) {
    await keepVersion(prepare, row)
    await prepare(
      `UPDATE test_link SET state = 'LINK_STATE_SUSPECT'
       WHERE requirement_id = ? AND requirement_version < ? AND archived_at IS NULL`,
    ).run(row.id, row.version)
  }
  await noteRequirementChange(rows, call, { before, after: row }, fields)
  await index(prepare, row)
  await refreshCoverage(rows, prepare, { productId: row.product_id, now: call.now() }, [row.id])
  return row
}

/** Soft-deletes requirements: their keys stay reserved and their links are archived (contract §3). */
export async function removeRequirements(
  rows: Rows,
  prepare: Prepare,
  call: Writing,
  removed: readonly StoredRequirement[],
  reason?: string,
): Promise<void> {
  const now = call.now()
  for (const { id, seq } of removed) {
    await prepare(
      'UPDATE requirement SET deleted_at = ?, updated_at = ?, updated_by = ?, etag_version = etag_version + 1 WHERE id = ?',
    ).run(now, now, JSON.stringify(call.actor), id)
    await prepare('UPDATE test_link SET archived_at = ? WHERE requirement_id = ?').run(now, id)
    await prepare('DELETE FROM requirement_path WHERE requirement_id = ?').run(id)
    await prepare('DELETE FROM requirement_component WHERE requirement_id = ?').run(id)
    await prepare.dialect.textIndex.remove(prepare, 'requirement', seq)
  }
  for (const one of removed)
    await recordExclusion(rows, call, { ...requirementItem(one), kind: 'requirement_deleted', reason })
  const productId = removed[0]?.product_id ?? 0
  await refreshCoverage(
    rows,
    prepare,
    { productId, now },
    removed.map(({ id }) => id),
  )
}

/** All descendants of a requirement that are not deleted, in tree order. */
export function findDescendants(
  rows: Rows,
  { product_id, tree_path }: StoredRequirement,
): Promise<StoredRequirement[]> {
  const { from, to } = below(tree_path)
  return rows
    .selectFrom('requirement')
    .selectAll()
    .where('product_id', '=', product_id)
    .where('tree_path', '>', from)
    .where('tree_path', '<', to)
    .where('deleted_at', 'is', null)
    .orderBy('tree_path')
    .execute()
}

function criteriaToStore(
  call: Writing,
  { acceptance_criteria: given }: RequirementFields,
  known: readonly Criterion[],
  isStored: boolean,
): Criterion[] {
  if (given === undefined) return [...known]
  const ids = given.flatMap(({ id }) => (id === undefined ? [] : [{ id }]))
  return readCriteria(given, isStored ? ids : known, () => call.newId())
}

/** The columns that store members of a request directly. */
function toColumns(fields: RequirementFields) {
  const { kind, status, statement, rationale, normative, priority, risk, superseded_by_id } = fields
  const plain = { kind, status, statement, rationale, priority, risk, superseded_by_id }
  const json = {
    tags: fields.tags && [...new Set(fields.tags)],
    labels: fields.labels,
    component_ids: fields.component_ids && [...new Set(fields.component_ids)],
    code_refs: fields.code_refs && readCodeRefs(fields.code_refs),
    depends_on_ids: fields.depends_on_ids && [...new Set(fields.depends_on_ids)],
    external_refs: fields.external_refs?.map(({ url = '', ...ref }) => ({ ...ref, url })),
    source: fields.source && Source.parse({ ...noSource, ...definedMembers(fields.source) }),
  }
  return {
    ...definedMembers(plain),
    ...(normative !== undefined && { normative: normative ? 1 : 0 }),
    ...Object.fromEntries(Object.entries(definedMembers(json)).map(([name, value]) => [name, JSON.stringify(value)])),
  }
}

/** The object without its undefined members. */
function definedMembers<T extends object>(members: T): Partial<{ [K in keyof T]: Exclude<T[K], undefined> }> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<{
    [K in keyof T]: Exclude<T[K], undefined>
  }>
}

/**
 * Moves a requirement, with its descendants, to its new place in the tree. Throws `PARENT_CYCLE` and `DEPTH_EXCEEDED`.
 */
async function moveInTree(rows: Rows, prepare: Prepare, before: StoredRequirement, fields: RequirementFields) {
  const parentId = fields.parent_id ?? before.parent_id
  const parent = await findParent(rows, before.product_id, parentId === '' ? undefined : parentId)
  if (parent !== undefined && isWithin(parent.tree_path, before.tree_path)) {
    throw new ServiceError('failed_precondition', 'a requirement cannot be below itself; choose another parent', {
      reason: 'PARENT_CYCLE',
    })
  }
  const isNewPlace = parentId !== before.parent_id
  const given = fields.position ?? (isNewPlace ? 'end' : before.position)
  const position = given === 'end' ? await nextPosition(prepare, before.product_id, parentId) : given
  const path = treePath(parent, { position, number: before.number })
  await moveSubtree(prepare, before.product_id, before.tree_path, path)
  return { parent_id: parentId, position, tree_path: path }
}

async function nextPosition(prepare: Prepare, productId: number, parentId: string): Promise<number> {
  const row = await prepare(
    `SELECT max(position) AS last FROM requirement WHERE product_id = ? AND parent_id = ? AND deleted_at IS NULL`,
  ).get<{ last: number | null }>(productId, parentId)
  return Math.min((row?.last ?? -1) + 1, LAST_POSITION)
}

async function keepVersion(prepare: Prepare, row: StoredRequirement): Promise<void> {
  await prepare(
    `INSERT INTO requirement_version (requirement_id, version, title, statement, acceptance_criteria, actor, at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  ).run(row.id, row.version, row.title, row.statement, row.acceptance_criteria, row.updated_by, row.updated_at)
}

/** Updates the indexes that find the requirement by its words, its files and its components. */
async function index(prepare: Prepare, row: StoredRequirement): Promise<void> {
  await indexRequirement(prepare, row)
  await prepare('DELETE FROM requirement_path WHERE requirement_id = ?').run(row.id)
  const paths = readJson(z.array(z.object({ path: z.string() })), row.code_refs)
  for (const glob of new Set(paths.map(({ path }) => path))) {
    const { prefix, isLiteral } = indexedPath(glob)
    await prepare(
      'INSERT INTO requirement_path (product_id, prefix, requirement_id, glob, is_literal) VALUES (?, ?, ?, ?, ?)',
    ).run(row.product_id, prefix, row.id, glob, isLiteral ? 1 : 0)
  }
  await prepare('DELETE FROM requirement_component WHERE requirement_id = ?').run(row.id)
  for (const id of readTexts(row.component_ids)) {
    await prepare('INSERT INTO requirement_component (product_id, component_id, requirement_id) VALUES (?, ?, ?)').run(
      row.product_id,
      id,
      row.id,
    )
  }
}
