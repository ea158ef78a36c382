import { expect, test } from 'vitest'
import { envelope, eventItem, jsonOf, openDoor } from './harness.ts'

/** An event of about 1,000 bytes. */
function event(number: number) {
  return envelope({}, eventItem({ event_id: String(number).padStart(32, '0'), message: 'x'.repeat(900) }))
}

test('events beyond the bytes that may wait for the disk are refused, and those that waited are stored', async () => {
  const { post, store } = openDoor({ limits: { waitingBytes: 2_000 } })
  const disk = Promise.withResolvers<void>()
  store.ready = disk.promise
  const waiting = [0, 1].map((number) => post(event(number)))
  const refused = await post(event(2))
  expect(refused.status).toBe(429)
  expect(jsonOf(refused)).toEqual({ detail: 'too many events wait to be stored' })
  expect(refused.headers).toMatchObject({
    'retry-after': '2',
    'x-sentry-rate-limits': '2:error;default;security:key:rate_limited',
  })
  disk.resolve()
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200])
  expect(store.events).toHaveLength(2)
  expect(await post(event(2))).toMatchObject({ status: 200 })
})
