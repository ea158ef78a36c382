import type { Send } from '../../../src/contract/base/wire.ts'
import { startApp, type App } from '../../app.ts'
import { hostile, openDesk, type PagesDesk } from '../rig.ts'

/**
 * The pages at a door, with a product that fails: a verified requirement, one with a failing test of a hostile name,
 * one without a test, a vouched and an unvouched issue with hostile titles, a risk that waits for approval and an
 * exclusion by an agent.
 */
export async function startGate(wrap?: (send: Send) => Send): Promise<PagesDesk> {
  const app = await startApp()
  await fail(app)
  return openDesk(app, wrap)
}

/** Makes the product and computes its verdict twice, with a new failure in between. */
async function fail(app: App): Promise<void> {
  const product = `/v1/products/${app.productId}`
  const send = async (method: string, path: string, body?: object, headers = {}) => {
    const reply = await app.request<Record<string, { id: string }>>(method, path, body, headers)
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(reply.body)}`)
    return reply.body
  }
  const asAgent = { 'x-svc-via': 'mcp' }
  for (const title of ['The cart adds up', `Orders are kept ${hostile}`, 'Refunds are paid once']) {
    await send('POST', `${product}/requirements`, { title, priority: 'critical', risk: 'high', status: 'approved' })
  }
  const passed = { file_path: 'test/cart.test.ts', suite_path: ['cart'], name: 'adds up [REQ-1]', status: 'PASSED' }
  await send('POST', `${product}/tests:ingest`, { draft: { cases: [passed] } })
  await send('POST', `${product}/quality-gate:compute`, {})
  const failed = { ...passed, name: `keeps ${hostile} [REQ-2]`, status: 'FAILED' }
  await send('POST', `${product}/tests:ingest`, { draft: { cases: [passed, failed] } })
  await app.ingest({ exception: { values: [{ type: 'Hostile', value: hostile }] } }, { fingerprint: ['quiet'] })
  const { issues } = (await send('GET', `${product}/issues`)) as unknown as { issues: { id: string }[] }
  const [first, second] = issues
  await send('POST', `/v1/issues/${first!.id}:setStatus`, { status: 'ignored', note: `noise ${hostile}` }, asAgent)
  await send('POST', `/v1/issues/${second!.id}:setStatus`, { status: 'unresolved' })
  await send('POST', `${product}/quality-gate:compute`, {})
  const reason = `The old cart stays for one more week. ${hostile}`
  await send('POST', `${product}/quality-gate:accept-risk`, { condition_ids: ['failing_tests'], reason })
  await send('POST', `${product}/quality-gate:compute`, {})
}
