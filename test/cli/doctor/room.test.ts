import { expect, test } from 'vitest'
import { startApp } from '../../app.ts'
import { tracegate } from '../run.ts'

const dayMs = 86_400_000

/** The lines that doctor prints about room, with sizes as `#`. */
async function room(dataDir: string): Promise<string> {
  const { code, stdout } = await tracegate(['doctor', '--port', '0', '--data', dataDir])
  expect(code).toBe(0)
  return (stdout.split('\n\n')[1] ?? '').replaceAll(/ *\d+\.\d+ [kMG]B/g, ' #')
}

test('doctor says what takes room, and what retention will remove, while the service runs', async () => {
  const clock = { now: Date.now() - 85 * dayMs }
  await using app = await startApp({ platform: { now: () => clock.now } })
  const settings = `{"retention_days":90,"max_events_per_issue":3}`
  await app.db.batch((prepare) => prepare('UPDATE product SET settings = ?').run(settings))
  await app.ingest({ message: 'old' })
  clock.now = Date.now()
  for (let count = 0; count < 5; count += 1) await app.ingest({ message: 'new' })
  const lines = await room(app.dataDir)
  expect(lines).toContain('What takes room, # in all:')
  expect(lines).toMatch(/^events +# {2}6 events with their bodies, # each with what finds them$/m)
  expect(lines).toMatch(/^issues +# {2}1 issue with counters and history$/m)
  expect(lines).toMatch(/^log +# {2}written and not merged into the database file$/m)
  expect(lines).toContain('6 events, #. Retention will remove 1 by age within 7 days')
  expect(lines).toContain('(its setting retention_days is 90), and 3 beyond 3 of an issue (max_events_per_issue).')
})

test('pages that retention has freed are counted', async () => {
  await using app = await startApp()
  await app.ingest(...Array.from({ length: 60 }, (_, index) => ({ message: 'm', extra: { text: noise(index) } })))
  await app.db.batch((prepare) => prepare('DELETE FROM occurrence').run())
  expect(await room(app.dataDir)).toMatch(/^free pages +# {2}in the database file; new data fills them before/m)
})

test('without data nothing is said about room', async () => {
  const { stdout } = await tracegate(['doctor', '--port', '0', '--data', '/tmp/tracegate-that-does-not-exist'])
  expect(stdout).not.toContain('What takes room')
})

/** Text that does not compress. */
function noise(seed: number): string {
  return Array.from({ length: 400 }, (_, index) => Math.sin(seed * 1_000 + index).toString(36)).join('')
}
