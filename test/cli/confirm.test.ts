import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { decide } from '../../src/cli/confirm.ts'
import { openPrompt } from '../../src/cli/support/prompt.ts'
import { runCommand } from '../../src/cli/index.ts'
import { startApp } from '../app.ts'
import { connectClient, connected } from '../mcp/clients.ts'
import { startDesk, type Desk } from '../pages/confirm/rig.ts'
import { tokenHeaders } from '../service/people.ts'
import { serveHere, temporaryFolder, terminal, tracegate, type Typed } from './run.ts'

let desk: Desk
beforeAll(async () => {
  desk = await startDesk()
})
afterAll(() => desk[Symbol.asyncDispose]())
beforeEach(() => {
  desk.thing.text = 'Orders are kept.'
  desk.written.length = 0
})

const code = async (tool: string) => new URL(await desk.prepare(tool)).searchParams.get('t') ?? ''

async function decideAt(given: string, typed: Typed) {
  const { io, screen, stderr } = terminal(typed)
  const exit = await decide(given, { decisions: desk.decisions, prompt: openPrompt(io, 'confirm'), io })
  return { exit, screen: screen.text, stderr: stderr.text }
}

const key = ['Type REQ-12 to confirm', 'REQ-12'] as const
const token = (text = desk.app.token) => ['Your own API token (not shown)', text] as const

test('a person reads the facts, types the key and their token, and is recorded', async () => {
  const { exit, screen } = await decideAt(await code('approve_thing'), [key, token()])
  const name = (await desk.app.api.getMe({})).user.display_name ?? ''
  expect(exit).toBe(0)
  for (const line of [
    'Clear REQ-12 for good?',
    'text: Orders are kept.',
    'reason that the agent gives: "The user asked."',
    'undo: not possible',
    'recorded as: the owner of the token that you type',
    'Cleared.',
    `recorded as: ${name} (user `,
  ]) {
    expect(screen).toContain(line)
  }
  expect(screen).not.toContain(desk.app.token)
  expect(desk.written).toEqual([{ by: name, way: 'terminal' }])
})

test('the link of the page is as good as its code, and below level 3 the person types yes', async () => {
  const yes = ['Type yes to confirm', 'yes'] as const
  expect(await decideAt(await desk.prepare('change_things'), [yes, token()])).toMatchObject({ exit: 0 })
  expect(desk.written).toMatchObject([{ way: 'terminal' }])
  const no = ['Type yes to confirm', ''] as const
  const { exit, stderr } = await decideAt(await desk.prepare('change_things'), [no])
  expect({ exit, stderr }).toMatchObject({
    exit: 1,
    stderr: /not confirmed; nothing was written\nTo confirm it after all/,
  })
  expect(desk.written).toHaveLength(1)
})

test('what is not right is refused with its reason and the next step, and writes nothing', async () => {
  const agent = (await tokenHeaders(desk.app, { kind: 'agent' })).authorization.replace('Bearer ', '')
  const one = await code('delete_thing')
  const cases: [given: string, typed: Typed, reason: RegExp][] = [
    ['no-code', [], /was not issued by this server.*\n.*copied whole/],
    [one, [['Type REQ-12 to confirm', 'REQ-13'], token()], /what was typed is not REQ-12.*\n.*exactly as it is shown/],
    [one, [key, token('tg_wrong')], /this token is not valid here; nothing was written.*\n.*copied whole/],
    [one, [key, token(agent)], /made for an agent; nothing was written.*\n.*a person/],
    [
      one,
      [['Type REQ-12 to confirm', '\u0003']],
      /stopped before everything was typed: nothing was written\nTo confirm it after all, run the command again/,
    ],
  ]
  for (const [given, typed, reason] of cases) {
    const { exit, screen, stderr } = await decideAt(given, typed)
    expect(exit).toBe(1)
    expect(stderr).toMatch(reason)
    expect(screen + stderr).not.toMatch(/tg_/)
  }
  desk.thing.text = 'Orders are deleted.'
  expect((await decideAt(one, [key, token()])).stderr).toMatch(/has changed; nothing was written.*\n/)
  expect(desk.written).toEqual([])
})

test('the command needs one code, a terminal and a server that may write', async () => {
  using folder = temporaryFolder()
  const env = { TRACEGATE_DATA_DIR: folder.path }
  expect(await tracegate(['confirm'], env)).toMatchObject({ code: 2, stderr: /confirm takes one code/ })
  expect(await tracegate(['confirm', 'x', 'y'], env)).toMatchObject({ code: 2, stderr: /confirm takes one code/ })
  expect(await tracegate(['confirm', 'x'], env)).toMatchObject({ code: 2, stderr: /run it in a terminal/ })
  expect(await tracegate(['confirm', 'x', '--read-only'], env)).toMatchObject({ code: 2, stderr: /forbids confirm/ })
})

test('a code of another data directory is refused', async () => {
  using folder = temporaryFolder()
  const { io, stderr } = terminal([], { TRACEGATE_DATA_DIR: folder.path })
  expect(await runCommand(['confirm', await code('delete_thing')], io)).toBe(1)
  expect(stderr.text).toContain('was not issued by this server')
})

test('serve has the page, unless it is read-only', async () => {
  await using served = await serveHere()
  const page = await fetch(`${served.endpoints.rest}/confirm?t=forged`)
  expect({ status: page.status, type: page.headers.get('content-type') }).toEqual({
    status: 400,
    type: 'text/html; charset=utf-8',
  })
  expect(await page.text()).toContain('was not issued by this server')
  await served.kill()
  await using readOnly = await serveHere({ args: ['--read-only'] })
  expect((await fetch(`${readOnly.endpoints.rest}/confirm?t=forged`)).status).toBe(404)
})

test('over stdio a wide change answers with the link of a page, where a person decides while the agent is connected', async () => {
  using folder = temporaryFolder()
  const app = await startApp({ dataDir: folder.path })
  const names = Array.from({ length: 11 }, (_, number) => `wide-${String.fromCodePoint(97 + number)}`)
  const events = names.map((name) => ({ fingerprint: [name], message: `${name} failed`, exception: undefined }))
  await app.ingest(...events)
  const { issues } = await app.api.listIssues({ product_id: app.productId, page_size: 20 })
  await app.close()
  expect(issues).toHaveLength(11)

  const elsewhere = { CI: '', SSH_CONNECTION: '', SSH_TTY: '', CODESPACES: '', REMOTE_CONTAINERS: '' }
  const env = { TRACEGATE_DATA_DIR: folder.path, KUBERNETES_SERVICE_HOST: '', ...elsewhere }
  const client = connectClient('2026-07-28')
  await client.connect(await terminal([]).io.startStdio({ ...process.env, ...env }))
  await using agent = connected(client, () => client.close())
  const ids = issues.map(({ id }) => id)
  const { text } = await agent.call('set_error_issue_status', { issues: ids, status: 'ignored', reason: 'Noise.' })
  const link = /^page: (?<link>http:\/\/127\.0\.0\.1:\S+)$/m.exec(text)?.groups?.['link'] ?? text
  const shown = await (await fetch(link)).text()
  expect(shown).toContain('Noise.')
  const typed = /Type <code>(?<key>[^<]*)/.exec(shown)?.groups?.['key'] ?? ''
  const body = new URLSearchParams({ t: new URL(link).searchParams.get('t') ?? '', api_token_once: app.token, typed })
  const done = await fetch(new URL('/confirm', link), {
    method: 'POST',
    body,
    headers: { 'sec-fetch-site': 'same-origin' },
  })
  expect({ status: done.status, page: await done.text() }).toMatchObject({ status: 200, page: /It is written/ })
  expect((await agent.call('get_error_issue', { issue: ids[0] ?? '' })).text).toContain('ignored')
  await agent[Symbol.asyncDispose]()
  await expect(fetch(link)).rejects.toThrow('fetch failed')
})
