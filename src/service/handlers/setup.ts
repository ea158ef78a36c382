import { audit } from '../workspace/audit.ts'
import type { Handlers } from '../shared/context.ts'
import { requireProduct } from '../workspace/access.ts'
import { checkSetup } from '../workspace/setup.ts'
import { timestamp } from '../shared/times.ts'

export const setupHandlers = {
  async verifySetup({ product_id: productId }, call) {
    return call.db.write(async (rows) => {
      const product = await requireProduct(rows, call.principal, productId)
      const now = call.now()
      const checks = await checkSetup(rows, product, now)
      const missing = checks.filter(({ status }) => status === 'SETUP_CHECK_STATUS_MISSING')
      const open = [...missing, ...checks.filter(({ status }) => status === 'SETUP_CHECK_STATUS_WARNING')]
      const state = missing.length === 0 ? ('SETUP_STATE_COMPLETE' as const) : ('SETUP_STATE_INCOMPLETE' as const)
      if (state !== product.setup_state) {
        await rows
          .updateTable('product')
          .set({ setup_state: state, updated_at: now, version: product.version + 1 })
          .where('id', '=', product.id)
          .execute()
        const change = { before: product.setup_state, after: state }
        await audit(rows, call, { verb: 'verify', resourceType: 'product', resourceId: productId, ...change })
      }
      const setup = {
        product_id: productId,
        state,
        checks,
        completed_checks: checks.length - missing.length,
        total_checks: checks.length,
        next_action: open[0]?.remediation ?? '',
        verified_at: timestamp(now),
      }
      return { setup }
    })
  },
} satisfies Handlers<'verifySetup'>
