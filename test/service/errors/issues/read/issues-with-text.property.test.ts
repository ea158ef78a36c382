import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { replaceIssueFrames } from '../../../../../src/service/errors/issues/issue-frames.ts'
import { issuesWithText } from '../../../../../src/service/errors/issues/read/list/issues-with-text.ts'
import { runRetention } from '../../../../../src/service/errors/issues/retention.ts'
import { openForReading } from '../../../../../src/service/sql/open/index.ts'
import { startApp, type App } from '../../../../app.ts'
import { dayMs } from '../rig.ts'
import { tries } from '../../../../property-tries.ts'

const path = fc.constantFrom('src/Cart/total.ts', 'src/cart/lines.ts', 'src/Überblick.ts', 'src/pay/100%_card.ts')
const name = fc.constantFrom('addUp', 'ADD_UP', 'übertrag', 'Übertrag', '<anonymous>')
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      is: fc.constant('event' as const),
      path,
      name,
      value: fc.constantFrom('broken', 'Broken Cart', 'no total.ts'),
      group: fc.constantFrom(undefined, 'one', 'two'),
      agoMs: fc.constantFrom(0, 9 * dayMs),
    }),
  },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('frames' as const), which: fc.nat(9), path, name }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('wait' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

const texts = ['cart', 'CART/T', 'total.ts a', 'ü', 'Ü', '100%', '_c', 'add_up', 'p\0s', 'ts <', 'nothing', 'n']

test('a search finds the same in the places that are kept as in those that are stored, after any writes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 15, size: 'max' }), async (steps) => {
      const clock = { now: Date.UTC(2026, 10, 23) }
      await using app = await startApp({ platform: { now: () => clock.now } })
      const fresh = await openForReading(app.database)
      for (const one of steps) {
        if (one.is === 'wait') {
          clock.now += 85 * dayMs
          await runRetention(app.db, clock.now)
        } else await perform(app, clock.now, one)
        const live = new Set((await fresh.selectFrom('issue').select('id').execute()).map(({ id }) => id))
        for (const text of texts) {
          const kept = await issuesWithText(app.db.read, Number(app.productId), text)
          const stored = await issuesWithText(fresh, Number(app.productId), text)
          expect([text, kept.filter((id) => live.has(id)).toSorted()]).toEqual([text, stored.toSorted()])
        }
      }
      await fresh.destroy()
    }),
    { numRuns: tries(15) },
  )
})

async function perform(app: App, now: number, one: Exclude<Step, { is: 'wait' }>): Promise<unknown> {
  if (one.is === 'event') {
    const frame = { function: one.name, filename: one.path, lineno: 1, colno: 1, in_app: true }
    return app.ingest({
      timestamp: new Date(now - one.agoMs).toISOString(),
      ...(one.group !== undefined && { fingerprint: [one.group] }),
      exception: { values: [{ type: 'Error', value: one.value, stacktrace: { frames: [frame] } }] },
    })
  }
  const ids = await app.db.read.selectFrom('issue').select('id').orderBy('number').execute()
  const id = ids[one.which % Math.max(1, ids.length)]?.id
  const frames = [{ path: one.path, function: one.name, distance: 0 }]
  return id && app.db.batch((prepare) => replaceIssueFrames(prepare, Number(app.productId), id, frames))
}
