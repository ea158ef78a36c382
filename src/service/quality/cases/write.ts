import { requireComponents } from '../../workspace/access.ts'
import { takeNumber } from '../../workspace/numbers.ts'
import type { Selectable } from 'kysely'
import type { InputOf } from '../../../contract/index.ts'
import { notFound, ServiceError } from '../../../errors.ts'
import type { Writing } from '../../shared/context.ts'
import { parseRepositoryRoots } from '../../workspace/components/repo-path.ts'
import { refreshCoverage, requirementsOfTests } from '../coverage/refresh.ts'
import { invalid } from '../requirements/content.ts'
import type { StoredOnBranch } from '../requirements/write.ts'
import type { Prepare, Rows } from '../../sql/database.ts'
import type { ProductRow } from '../../sql/schema.ts'
import type { StoredTest } from './access.ts'
import { testKey } from '../keys.ts'
import { DEPRECATED_BY } from './columns.ts'
import { noteMove, noteTestChange, testItem } from './exclusions.ts'
import { quarantineColumns } from './quarantine.ts'
import { recordExclusion } from '../../workspace/exclusions.ts'
import { caseIdentity, repositoryPath } from './identity.ts'
import { indexTest } from './text-index.ts'
import { testTitle } from './title.ts'
import { readOwnJson, readTexts } from '../../sql/json.ts'

type Product = Selectable<ProductRow>
type Input = InputOf<'createTest'>

/** The members that a request may set; absent ones stay unchanged. */
export type TestFields = Partial<
  Omit<
    Input,
    | 'product_id'
    | 'branch_id'
    | 'request_id'
    | 'validate_only'
    | 'kind'
    | 'requirement_ids'
    | 'automation_ref'
    | 'quarantined_until'
  >
> & {
  automation_ref?: Input['automation_ref'] | null
  quarantined_until?: string | null | undefined
  /** Why, where the change takes the test out of the gate. */
  reason?: string | undefined
}

/** Creates a suite or a case. Throws `already_exists` if a case with the same code location exists. */
export async function insertTest(
  rows: Rows,
  prepare: Prepare,
  call: Writing,
  product: Product,
  fields: TestFields & Pick<Input, 'kind' | 'title'>,
  stored?: StoredOnBranch,
): Promise<StoredTest> {
  await checkParent(rows, product.id, fields.parent_id)
  await requireComponents(rows, product.id, fields.component_ids)
  await checkIssue(rows, product.id, fields.issue_id)
  const place = locationColumns(product, fields.automation_ref)
  if (place.identity !== null) await checkFree(rows, product.id, place.identity)
  const now = call.now()
  const row = await rows
    .insertInto('test')
    .values({
      id: stored?.id ?? call.newId(),
      product_id: product.id,
      number: stored?.number ?? (await takeNumber(prepare, product.id, 'test')),
      kind: fields.kind,
      level: 'TEST_LEVEL_UNKNOWN',
      status: 'TEST_STATUS_ACTIVE',
      automation: place.identity === null ? 'AUTOMATION_STATUS_MANUAL' : 'AUTOMATION_STATUS_AUTOMATED',
      ...toColumns({ ...fields, labels: nextLabels(fields, undefined) }),
      ...quarantineColumns(fields, undefined, now),
      title: fields.title,
      names_known: 1,
      ...place,
      created_by: JSON.stringify(call.actor),
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await index(prepare, row)
  await noteTestChange(rows, call, { before: undefined, after: row }, fields)
  return row
}

/** Changes a test and updates the coverage of the requirements it counts for. */
export async function changeTest(
  rows: Rows,
  prepare: Prepare,
  call: Writing,
  { test: before, product }: { test: StoredTest; product: Product },
  fields: TestFields,
): Promise<StoredTest> {
  await checkParent(rows, product.id, fields.parent_id, before)
  await requireComponents(rows, product.id, fields.component_ids)
  await checkIssue(rows, product.id, fields.issue_id)
  const place =
    fields.automation_ref === undefined ? undefined : locationColumns(product, fields.automation_ref, before)
  if (typeof place?.identity === 'string' && place.identity !== before.identity) {
    await checkFree(rows, product.id, place.identity)
  }
  const affected = await requirementsOfTests(prepare, [before.id])
  const row = await rows
    .updateTable('test')
    .set({
      ...toColumns({ ...fields, labels: nextLabels(fields, before) }),
      ...quarantineColumns(fields, before, call.now()),
      ...(fields.title !== undefined && { title: fields.title }),
      ...place,
      names_known: vouchesForNames(before, fields) ? 1 : before.names_known,
      etag_version: before.etag_version + 1,
      updated_at: call.now(),
    })
    .where('id', '=', before.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  await index(prepare, row)
  await noteTestChange(rows, call, { before, after: row }, fields)
  const was = { requirements: affected, parentId: before.parent_id }
  const requirements = [...affected, ...(await noteMove(rows, prepare, call, row, was))]
  await refreshCoverage(rows, prepare, { productId: product.id, now: call.now() }, requirements)
  return row
}

/** Soft-deletes tests and deletes their links; their results stay until retention removes them (contract §4). */
export async function removeTests(
  rows: Rows,
  prepare: Prepare,
  call: Writing,
  removed: readonly StoredTest[],
  reason?: string,
): Promise<void> {
  const ids = removed.map(({ id }) => id)
  const affected = await requirementsOfTests(prepare, ids)
  for (const { id, seq } of removed) {
    await prepare('UPDATE test SET deleted_at = ?, updated_at = ?, etag_version = etag_version + 1 WHERE id = ?').run(
      call.now(),
      call.now(),
      id,
    )
    await prepare('DELETE FROM test_link WHERE test_id = ?').run(id)
    await prepare('DELETE FROM test_former_identity WHERE test_id = ?').run(id)
    await prepare.dialect.textIndex.remove(prepare, 'test', seq)
  }
  for (const test of removed) await recordExclusion(rows, call, { ...testItem(test), kind: 'test_deleted', reason })
  const productId = removed[0]?.product_id ?? 0
  await refreshCoverage(rows, prepare, { productId, now: call.now() }, affected)
}

function toColumns(fields: TestFields) {
  const { parent_id, position, description, level, status, automation, framework, preconditions } = fields
  const plain = { parent_id, position, description, level, status, automation, framework, preconditions }
  const json = {
    steps: fields.steps?.map(({ action, data = '', expected = '' }, at) => ({ position: at, action, data, expected })),
    tags: fields.tags && [...new Set(fields.tags)],
    labels: fields.labels,
    component_ids: fields.component_ids && [...new Set(fields.component_ids)],
  }
  return {
    ...Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined)),
    ...Object.fromEntries(
      Object.entries(json).flatMap(([name, value]) => (value === undefined ? [] : [[name, JSON.stringify(value)]])),
    ),
    ...(fields.issue_id !== undefined && { issue_id: fields.issue_id, issue_reported: 0 }),
  }
}

/**
 * The labels after a change; undefined where they stay. The mark of a case that was missing from its report is of the
 * service: a change of the status ends it, because what a member deprecates stays deprecated.
 */
function nextLabels({ labels, status }: TestFields, before: StoredTest | undefined): TestFields['labels'] {
  const known = before === undefined ? {} : readOwnJson<Record<string, string>>(before.labels)
  const { [DEPRECATED_BY]: mark, ...kept } = known
  if (labels === undefined) return status === undefined || mark === undefined ? undefined : kept
  const { [DEPRECATED_BY]: _given, ...own } = labels
  return { ...own, ...(mark !== undefined && status === undefined && { [DEPRECATED_BY]: mark }) }
}

/** Whether a member's change gives all names of a test that members did not give before (contract §4.4). */
function vouchesForNames(before: StoredTest, { title, automation_ref: place }: TestFields): boolean {
  const givesPlace = place !== undefined || before.identity === null
  // Reports give no other title than the name.
  const isMembers = before.title !== testTitle(before.name) || before.title === testTitle(place?.name ?? '')
  return givesPlace && (title !== undefined || isMembers)
}

/** The columns of a code location; empty values without one. What it leaves out stays as `before` has it. */
function locationColumns(product: Product, place: TestFields['automation_ref'], before?: StoredTest) {
  if (place === undefined || place === null) {
    return { identity: null, file_path: '', suite_path: '[]', name: '', project: '', line: 0 }
  }
  const { suite_path = [], name, project = before?.project ?? '', line = before?.line ?? 0 } = place
  const file_path = repositoryPath(place.file_path, parseRepositoryRoots(product.repository))
  const identity = caseIdentity({ file_path, suite_path, name, project })
  return { identity, file_path, suite_path: JSON.stringify(suite_path), name, project, line }
}

async function checkFree(rows: Rows, productId: number, identity: string): Promise<void> {
  const taken = await rows
    .selectFrom('test')
    .select(['id', 'number'])
    .where('product_id', '=', productId)
    .where('identity', '=', identity)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (taken === undefined) return
  throw new ServiceError('already_exists', `${testKey(taken)} already has this code location; update it instead`, {
    reason: 'TEST_EXISTS',
    metadata: { existing_id: taken.id },
    violations: [{ field: 'automation_ref', description: 'is taken' }],
  })
}

/** Checks that the parent is a suite of the same product and not below the test itself. */
async function checkParent(
  rows: Rows,
  productId: number,
  parentId: string | undefined,
  self?: StoredTest,
): Promise<void> {
  let above = parentId ?? ''
  for (let first = true; above !== ''; first = false) {
    const parent = await rows
      .selectFrom('test')
      .select(['id', 'parent_id', 'kind'])
      .where('id', '=', above)
      .where('product_id', '=', productId)
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    if (parent === undefined) {
      if (first) throw notFound('test', above, 'parent_id must be a suite of the same product')
      return
    }
    if (first && parent.kind !== 'TEST_KIND_SUITE') {
      throw invalid([{ field: 'parent_id', description: 'must be a suite' }])
    }
    if (parent.id === self?.id)
      throw invalid([{ field: 'parent_id', description: 'must not be the suite itself or one in it' }])
    above = parent.parent_id
  }
}

async function checkIssue(rows: Rows, productId: number, issueId: string | undefined): Promise<void> {
  if (issueId === undefined || issueId === '') return
  const found = await rows
    .selectFrom('issue')
    .select('id')
    .where('id', '=', issueId)
    .where('product_id', '=', productId)
    .executeTakeFirst()
  if (found === undefined) throw notFound('issue', issueId, 'issue_id must be an issue of the same product')
}

function index(prepare: Prepare, row: StoredTest): Promise<void> {
  const suite_path = readTexts(row.suite_path)
  return indexTest(prepare, { ...row, suite_path, tags: readTexts(row.tags) })
}
