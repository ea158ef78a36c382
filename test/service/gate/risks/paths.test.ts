import { expect, test } from 'vitest'
import { replyText } from '../../../../src/contract/base/wire.ts'
import type { Matrix } from '../../../../src/service/gate/traceability/model.ts'
import { origin } from '../../../app.ts'
import { blocking, reason, startFailing } from './failing-product.ts'

const dayMs = 86_400_000

test('an accepted risk ends on every path at the same moment: verdicts, matrix and exports', async () => {
  await using product = await startFailing()
  const { app, clock, post, bob } = product
  for (const condition of blocking) {
    const { body } = await post('accept-risk', { condition_ids: [condition], reason, ttl_days: 2 })
    await post('approve-risk', { risk_id: body.risk.id }, bob)
  }
  const path = `/v1/products/${app.productId}/quality-gate`
  const paths = async () => {
    const headers = { authorization: `Bearer ${app.token}`, accept: 'text/csv' }
    const csv = await app.service.direct({ method: 'GET', url: `${origin}${path}/traceability`, headers })
    const { body: matrix } = await app.request<{ traceability_matrix: Matrix }>('GET', `${path}/traceability`)
    const { body: read } = await app.request<{ verdict: { active_risk_ids: string[]; stale: boolean } }>('GET', path)
    const { verdict } = (await post('compute')).body
    const ids = verdict.active_risk_ids
    return {
      computed: ids.length,
      stillRead: read.verdict.stale ? 0 : read.verdict.active_risk_ids.length,
      matrix: new Set(matrix.traceability_matrix.rows.flatMap((row) => row.risk_ids)).size,
      exported: ids.length > 0 && ids.every(await inText(csv)) ? ids.length : 0,
      status: verdict.status,
    }
  }
  await post('compute')
  expect(await paths()).toEqual({
    computed: 2,
    stillRead: 2,
    matrix: 2,
    exported: 2,
    status: 'VERDICT_STATUS_PASS_WITH_RISK',
  })
  clock.now += 2 * dayMs + 1000
  expect(await paths()).toEqual({ computed: 0, stillRead: 0, matrix: 0, exported: 0, status: 'VERDICT_STATUS_FAIL' })
})

async function inText(reply: Parameters<typeof replyText>[0]): Promise<(id: string) => boolean> {
  const text = await replyText(reply)
  return (id) => text.includes(id)
}
