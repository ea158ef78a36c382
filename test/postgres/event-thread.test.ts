import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { eventWorker } from '../../src/cli/support/workers.ts'
import { createEventThread } from '../../src/service/errors/ingest/event-thread.ts'
import { startApp, type App } from '../app.ts'

const before = process.env['PGUSER']
afterEach(() => {
  if (before === undefined) delete process.env['PGUSER']
  else process.env['PGUSER'] = before
})

/** What the thread of events makes of an event when the address of its database names no user. */
async function readWithoutUser({ database, dataDir }: App): Promise<string> {
  const address = database.replace('//tracegate@', '//')
  expect(address).not.toBe(database)
  const thread = createEventThread({
    entry: eventWorker,
    database: address,
    tables: join(dataDir, 'sourcemaps'),
    maxBytes: 1_000_000,
    onUsed: () => undefined,
    onError: () => undefined,
  })
  const batch = { payloads: [Buffer.from('{"message":"failure"}')], header: {}, receivedAt: 0 }
  try {
    const { events } = await thread.read(1, batch)
    return events.map(({ grouping }) => grouping.title).join()
  } finally {
    await thread.close()
  }
}

test('the thread of events gets from the environment what the address of the database leaves out', async () => {
  await using app = await startApp()
  process.env['PGUSER'] = 'tracegate'
  expect(await readWithoutUser(app)).toBe('failure')
})
