import { sql } from 'kysely'
import type { EndpointName } from '../../contract/index.ts'
import { notFound, ServiceError } from '../../errors.ts'
import { audit } from '../workspace/audit.ts'
import { refuseBranch } from '../quality/branches/access.ts'
import type { Call, Handlers } from '../shared/context.ts'
import { refreshCoverage } from '../quality/coverage/refresh.ts'
import { cutPage, readPage } from '../shared/paging.ts'
import { requireRequirement } from '../quality/requirements/access.ts'
import type { Rows } from '../sql/database.ts'
import { requireTest } from '../quality/cases/access.ts'
import { viewLinks } from '../quality/cases/link-view.ts'
import { putLink } from '../quality/cases/links.ts'

export const linkHandlers = {
  async linkTest(input, call) {
    refuseBranch(input.branch_id)
    const { role, criterion_ids: criterionIds, confidence } = input
    return call.db.write(async (rows, prepare) => {
      const { test } = await requireTest(rows, call.principal, input.test_id)
      const requirement = await meant(rows, call, test.product_id, input)
      const origin = call.principal.isAgent ? 'LINK_ORIGIN_AGENT' : 'LINK_ORIGIN_MANUAL'
      const link = await putLink(rows, prepare, call, { test, requirement, role, criterionIds, origin, confidence })
      const resourceId = `${test.id}/${requirement.id}`
      await audit(rows, call, { verb: 'create', resourceType: 'test_link', resourceId, after: link })
      const [body] = await viewLinks(rows, [link])
      return { link: body!, proposal: null }
    })
  },

  async unlinkTest({ test_id, requirement_id, branch_id }, call) {
    refuseBranch(branch_id)
    return call.db.write(async (rows, prepare) => {
      const { test } = await requireTest(rows, call.principal, test_id)
      const { changes } = prepare(
        'DELETE FROM test_link WHERE test_id = ? AND requirement_id = ? AND archived_at IS NULL',
      ).run(test_id, requirement_id)
      if (changes === 0) throw notFound('link', requirement_id, 'list the links of the test')
      await refreshCoverage(rows, prepare, { productId: test.product_id, now: call.now() }, [requirement_id])
      await audit(rows, call, { verb: 'delete', resourceType: 'test_link', resourceId: `${test_id}/${requirement_id}` })
      return {}
    })
  },

  async listTestLinks(input, { db, principal }) {
    await requireTest(db.read, principal, input.test_id)
    const page = readPage(input)
    const { after } = page
    const all = db.read
      .selectFrom('test_link')
      .where('test_id', '=', input.test_id)
      .where('archived_at', 'is', null)
      .$if(input.state !== undefined, (query) => query.where('state', '=', input.state ?? ''))
    const { total } = await all.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
    const found = await all
      .selectAll()
      .$if(after !== undefined, (query) =>
        query.where(sql<boolean>`(created_at, requirement_id) > (${after?.sortValue}, ${after?.id})`),
      )
      .orderBy('created_at')
      .orderBy('requirement_id')
      .limit(page.size + 1)
      .execute()
    const { rows, paging } = cutPage(page, found, total, (row) => ({
      sortValue: row.created_at,
      id: row.requirement_id,
    }))
    return { links: await viewLinks(db.read, rows), ...paging }
  },
} satisfies Partial<Handlers<EndpointName>>

/** The requirement by its id, or by its key in the product of the test. */
async function meant(
  rows: Rows,
  call: Call,
  productId: number,
  {
    requirement_id: id,
    requirement_key: key,
  }: { requirement_id?: string | undefined; requirement_key?: string | undefined },
) {
  if ((id === undefined) === (key === undefined)) {
    const message = 'pass requirement_id or requirement_key, one of the two'
    throw new ServiceError('invalid_argument', message, {
      reason: 'FIELD_INVALID',
      violations: [{ field: 'requirement_id', description: 'is needed, unless requirement_key is given' }],
    })
  }
  if (id !== undefined) return (await requireRequirement(rows, call.principal, id)).requirement
  const number = Number(/^req-(\d{1,15})$/i.exec(key ?? '')?.[1] ?? -1)
  const found = await rows
    .selectFrom('requirement')
    .selectAll()
    .where('product_id', '=', productId)
    .where('number', '=', number)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (found === undefined) throw notFound('requirement', key ?? '', 'list the requirements of the product')
  return found
}
