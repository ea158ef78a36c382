import { countRows } from '../../sql/count-rows.ts'
import { sql } from 'kysely'
import { notFound, ServiceError } from '../../../errors.ts'
import type { Call, Writing } from '../../shared/context.ts'
import { cutPage, type Page } from '../../shared/paging.ts'
import type { Prepare, Rows } from '../../sql/database.ts'
import type { AuditEntry } from '../../workspace/audit.ts'
import { refreshCoverage } from '../coverage/refresh.ts'
import { requirementNumber } from '../keys.ts'
import { recordTreeChange } from '../tree-changes.ts'
import { requireRequirement, type StoredRequirement } from '../requirements/access.ts'
import type { StoredTest } from './access.ts'
import { noteUnlinking } from './link-exclusions.ts'
import type { StoredLink } from './link-view.ts'
import { putLink, type LinkFields } from './links.ts'

/** Links a test to a requirement as `putLink` does, and records the change. */
export async function linkTest(
  rows: Rows,
  prepare: Prepare,
  call: Writing,
  ends: LinkFields & { test: StoredTest; requirement: StoredRequirement },
): Promise<StoredLink> {
  const { before, after } = await putLink(rows, prepare, call, ends)
  await recordTreeChange(rows, call, after.product_id, linkChange(before, after))
  return after
}

/** The change of a link, as the audit trail has it; undefined is no link. */
export function linkChange(before: StoredLink | undefined, after: StoredLink | undefined): AuditEntry {
  const { test_id, requirement_id } = (after ?? before)!
  const verb = before === undefined ? 'create' : after === undefined ? 'delete' : 'update'
  return { verb, resourceType: 'test_link', resourceId: `${test_id}/${requirement_id}`, before, after }
}

/** Deletes the link of a test to a requirement; `not_found` when there is none. */
export async function unlinkTest(
  rows: Rows,
  prepare: Prepare,
  call: Writing,
  { test, requirementId, reason }: { test: StoredTest; requirementId: string; reason: string | undefined },
): Promise<void> {
  const removed = await rows
    .deleteFrom('test_link')
    .where('test_id', '=', test.id)
    .where('requirement_id', '=', requirementId)
    .where('archived_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
  if (removed === undefined) throw notFound('link', requirementId, 'list the links of the test')
  await noteUnlinking(rows, call, removed, reason)
  await refreshCoverage(rows, prepare, { productId: test.product_id, now: call.now() }, [requirementId])
  await recordTreeChange(rows, call, test.product_id, linkChange(removed, undefined))
}

/** One page of the links of a test, oldest first. */
export async function listLinkRows(
  rows: Rows,
  { testId, state, page }: { testId: string; state: string | undefined; page: Page },
) {
  const { after } = page
  const all = rows
    .selectFrom('test_link')
    .where('test_id', '=', testId)
    .where('archived_at', 'is', null)
    .$if(state !== undefined, (query) => query.where('state', '=', state ?? ''))
  const finding = all
    .selectAll()
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(created_at, requirement_id) > (${after?.sortValue}, ${after?.id})`),
    )
    .orderBy('created_at')
    .orderBy('requirement_id')
    .limit(page.size + 1)
    .execute()
  const [total, found] = await Promise.all([countRows(all), finding])
  return cutPage(page, found, total, (row) => ({ sortValue: row.created_at, id: row.requirement_id }))
}

/** All links of a test, or all of a requirement, oldest first. */
export function readLinks(rows: Rows, end: { test_id: string } | { requirement_id: string }): Promise<StoredLink[]> {
  const all = rows.selectFrom('test_link').selectAll().where('archived_at', 'is', null).orderBy('created_at')
  return 'test_id' in end
    ? all.where('test_id', '=', end.test_id).orderBy('requirement_id').execute()
    : all.where('requirement_id', '=', end.requirement_id).orderBy('test_id').execute()
}

/** The requirement that a link names by its id, or by its key in the product of the test. */
export async function requireLinkedRequirement(
  rows: Rows,
  { principal }: Pick<Call, 'principal'>,
  productId: number,
  named: { requirement_id?: string | undefined; requirement_key?: string | undefined },
): Promise<StoredRequirement> {
  const { requirement_id: id, requirement_key: key } = named
  if ((id === undefined) === (key === undefined)) {
    const message = 'pass either requirement_id or requirement_key'
    throw new ServiceError('invalid_argument', message, {
      reason: 'FIELD_INVALID',
      violations: [{ field: 'requirement_id', description: 'is required unless requirement_key is given' }],
    })
  }
  if (id !== undefined) return (await requireRequirement(rows, principal, id)).requirement
  const found = await rows
    .selectFrom('requirement')
    .selectAll()
    .where('product_id', '=', productId)
    .where('number', '=', requirementNumber(key ?? ''))
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (found === undefined) throw notFound('requirement', key ?? '', 'list the requirements of the product')
  return found
}
