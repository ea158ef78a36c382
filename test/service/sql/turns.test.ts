import { expect, onTestFinished, test, vi } from 'vitest'
import { startApp } from '../../app.ts'
import { usesPostgres } from '../../postgres/databases.ts'

/** The turns of the event loop until the work has ended. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0
  let isOver = false
  setImmediate(function count() {
    turns += 1
    if (!isOver) setImmediate(count)
  })
  await work.finally(() => (isOver = true))
  return turns
}

// A server answers in a later turn anyway.
test.skipIf(usesPostgres())('a request of many reads lets others run whenever it has taken long', async () => {
  await using app = await startApp()
  const { api, productId } = app
  await api.createRequirement({ product_id: productId, title: 'a rule' })
  let now = performance.now()
  // Between two reads 60 ms pass.
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 60))
  onTestFinished(() => void vi.restoreAllMocks())
  const turns = await turnsDuring(app.request('GET', `/v1/products/${productId}/quality-gate/traceability`))
  expect(turns).toBeGreaterThan(1)
})
