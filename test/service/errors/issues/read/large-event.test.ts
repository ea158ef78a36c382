import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startApp, type App } from '../../../../app.ts'

const frame = (nr: number) => ({ function: `step${String(nr)}`, filename: `src/step-${String(nr)}.ts`, lineno: nr + 1 })
const stack = (frames: number) => ({ frames: Array.from({ length: frames }, (_, nr) => frame(nr)) })
const crash = (stacks: number) => ({
  exception: { values: Array.from({ length: stacks }, () => ({ type: 'E', value: 'no', stacktrace: stack(250) })) },
})

/** Turns of the event loop that others get while the newest issue's context is read. */
async function turnsWhileReading(app: App): Promise<number> {
  const { issues } = await app.api.listIssues({ product_id: app.productId, sort: 'last_seen' })
  const path = `/v1/products/${app.productId}/issues/${issues[0]?.id ?? ''}/fix-context`
  let turns = 0
  const state = { isReading: true }
  const reading = app.request('GET', path).finally(() => {
    state.isReading = false
  })
  while (state.isReading) {
    await nextTurn()
    turns += 1
  }
  expect((await reading).status).toBe(200)
  return turns
}

test('a large event is read in steps, between which others get their turn', async () => {
  await using app = await startApp()
  await app.ingest(crash(1))
  const usual = await turnsWhileReading(app)
  await app.ingest(crash(30))
  // There are six pauses, of one turn at least.
  expect(await turnsWhileReading(app)).toBeGreaterThanOrEqual(usual + 5)
})
