import * as fc from 'fast-check'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { activityOfEvent, countRecentEvents, writeActivity } from '../../../src/service/workspace/activity.ts'
import { openNewDatabase } from '../../postgres/databases.ts'
import { tries } from '../../property-tries.ts'

const minuteMs = 60_000
const start = Date.parse('2026-11-21T12:00:00Z')

/** Minutes after the start; buckets of ten minutes and of an hour begin at some of them. */
const moment = fc.integer({ min: 0, max: 400 })
const event = fc.record({
  componentId: fc.constantFrom('', 'cart', 'checkout'),
  environmentId: fc.constantFrom('production', 'staging'),
  minute: moment,
})

test('events are counted from the first bucket that began after a time, until one begins later', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tracegate-activity-'))
  const { db } = await openNewDatabase(folder)
  onTestFinished(async () => {
    await db.close()
    rmSync(folder, { recursive: true, force: true })
  })
  await fc.assert(
    fc.asyncProperty(fc.array(event), moment, async (events, sinceMinute) => {
      const buckets = events.flatMap(({ minute, ...ids }) =>
        activityOfEvent({ ...ids, timestamp: start + minute * minuteMs + 1 }),
      )
      const since = start + sinceMinute * minuteMs
      const rows = [...Map.groupBy(buckets, ({ subjectId, bucket }) => `${subjectId} ${bucket}`).values()].map(
        (equal) => ({ ...equal[0]!, count: equal.length }),
      )
      await db.batch(async (prepare) => {
        await prepare('DELETE FROM activity').run()
        await writeActivity(prepare, rows)
      })
      const expected = (ids: readonly string[]) => {
        const counted = buckets.filter(({ subjectId, bucket }) => ids.includes(subjectId) && bucket > since)
        return new Map([...Map.groupBy(counted, ({ subjectId }) => subjectId)].map(([id, { length }]) => [id, length]))
      }
      const counted = async (kind: 'component' | 'environment', ids: string[]) => {
        let until = Infinity
        const count = (now: number) =>
          countRecentEvents(db.read, kind, { ids, periodMs: minuteMs, now, changesAt: (time) => (until = time) })
        const found = await count(since + minuteMs)
        expect(until).toBeGreaterThan(since + minuteMs)
        expect(await count(until - 1)).toEqual(found)
        return found
      }
      const [components, environments] = [
        ['cart', 'nothing'],
        ['production', 'staging'],
      ]
      expect(await counted('component', components)).toEqual(expected(components))
      expect(await counted('environment', environments)).toEqual(expected(environments))
    }),
    { numRuns: tries(100) },
  )
})
