import type { EndpointName } from '../../../contract/index.ts'
import { invalid } from '../../quality/requirements/content.ts'
import { requireTest } from '../../quality/cases/access.ts'
import { linkTest, listLinkRows, requireLinkedRequirement, unlinkTest } from '../../quality/cases/link-store.ts'
import { viewLinks } from '../../quality/cases/link-view.ts'
import { readPage } from '../../shared/paging.ts'
import type { Handlers } from '../../shared/context.ts'

const WHY = 'is required with confirm: say how it is known that the test still proves the requirement'

export const linkHandlers = {
  async linkTest(input, call) {
    const { role, criterion_ids: criterionIds, confidence, confirm, reason } = input
    if (confirm === true && (reason ?? '') === '') throw invalid([{ field: 'reason', description: WHY }])
    return call.db.write(async (rows, prepare) => {
      const { test } = await requireTest(rows, call.principal, input.test_id)
      const requirement = await requireLinkedRequirement(rows, call, test.product_id, input)
      const origin = call.principal.tokenKind === 'agent' ? 'LINK_ORIGIN_AGENT' : 'LINK_ORIGIN_MANUAL'
      const link = await linkTest(rows, prepare, call, {
        test,
        requirement,
        origin,
        role,
        criterionIds,
        confidence,
        confirm,
        reason,
      })
      const [body] = await viewLinks(rows, [link])
      return { link: body!, proposal: null }
    })
  },

  async unlinkTest({ test_id, requirement_id, reason }, call) {
    return call.db.write(async (rows, prepare) => {
      const { test } = await requireTest(rows, call.principal, test_id)
      await unlinkTest(rows, prepare, call, { test, requirementId: requirement_id, reason })
      return {}
    })
  },

  async listTestLinks(input, call) {
    const { db, principal } = call
    await requireTest(db.read, principal, input.test_id)
    const query = { testId: input.test_id, state: input.state, page: readPage(call, input) }
    const { rows, paging } = await listLinkRows(db.read, query)
    return { links: await viewLinks(db.read, rows), ...paging }
  },
} satisfies Partial<Handlers<EndpointName>>
