import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createRecentChanges } from '../../../src/mcp/call/recent-changes.ts'
import { runConfirmed } from '../../../src/mcp/call/run-confirmed.ts'
import type { ConfirmOptions } from '../../../src/mcp/confirm/options.ts'
import { CONFIRMATION_MS, readConfirmation } from '../../../src/mcp/confirm/token.ts'
import { startApp, type App } from '../../app.ts'
import { connect, defaults, type Connected } from '../../mcp/clients.ts'
import { thingSurface, type Thing } from '../../mcp/confirm/things.ts'

let one: App
let two: App
beforeAll(async () => {
  one = await startApp()
  two = await startApp({ dataDir: one.dataDir })
})
afterAll(async () => {
  await two.close()
  await one.close()
})

const thing: Thing = { text: '', written: [] }
const surface = thingSurface(thing)
beforeEach(() => {
  thing.text = 'Orders are kept.'
  thing.written = []
})
const args = { thing: 'REQ-12', reason: 'The user asked.' }
const confirmAt = ({ service }: App): ConfirmOptions => ({
  mode: 'ask',
  secret: () => 'a secret of all processes, long enough',
  used: service.used,
})
const open = (app: App) =>
  connect(app.api, {
    surface,
    confirm: confirmAt(app),
    changing: { caller: 'one', recent: createRecentChanges() },
  })

/** The confirmation that comes with a preview. */
async function handle(agent: Connected): Promise<string> {
  const { text } = await agent.call('change_things', args)
  return /^confirmation: (?<token>[\w-]+)$/m.exec(text)?.groups?.['token'] ?? 'none'
}

test('of two processes that get one confirmation at the same time, exactly one writes', async () => {
  await using here = await open(one)
  await using there = await open(two)
  for (let round = 0; round < 10; round += 1) {
    thing.written = []
    const confirmation = await handle(here)
    const answers = await Promise.all(
      [here, there].map((agent) => agent.call('change_things', { ...args, confirmation })),
    )
    expect(thing.written).toHaveLength(1)
    const [refused, ...others] = answers.filter(({ isError }) => isError)
    expect(others).toEqual([])
    expect(refused?.text).toContain('this confirmation was used before; nothing was written')
  }
})

test('a confirmation that one process gives back counts in another one', async () => {
  await using here = await open(one)
  await using there = await open(two)
  const confirmation = await handle(here)
  const { nonce, expiresAt } = readConfirmation({ secret: confirmAt(one).secret() }, confirmation)
  expect(await one.service.used.take(nonce, expiresAt, Date.now())).toBe(true)
  expect(await two.service.used.has(nonce)).toBe(true)
  await one.service.used.giveBack(nonce)
  expect((await there.call('change_things', { ...args, confirmation })).text).toContain('Cleared.')
})

test('what a person confirmed on the page of one process does not count at another one', async () => {
  await using here = await open(one)
  const token = await handle(here)
  const confirm = (app: App, way: 'page' | 'terminal') =>
    runConfirmed(
      { token, way, typed: '', api: app.api, signal: new AbortController().signal },
      { surface, confirm: confirmAt(app), options: defaults },
    )
  expect((await confirm(two, 'page')).error).toBeUndefined()
  expect((await confirm(one, 'terminal')).error).toMatchObject({ reason: 'CONFIRMATION_USED' })
  expect((await here.call('change_things', { ...args, confirmation: token })).text).toContain('was used before')
  expect(thing.written).toHaveLength(1)
})

test('a used confirmation is forgotten an hour after it has ended', async () => {
  const now = Date.now()
  expect(await one.service.used.take('first', now + CONFIRMATION_MS, now)).toBe(true)
  await one.service.used.take('second', now + 2 * CONFIRMATION_MS, now + CONFIRMATION_MS + 60 * 60_000)
  expect(await two.service.used.has('first')).toBe(true)
  await one.service.used.take('third', now + 2 * CONFIRMATION_MS, now + CONFIRMATION_MS + 60 * 60_000 + 1)
  expect([await two.service.used.has('first'), await two.service.used.has('second')]).toEqual([false, true])
})
