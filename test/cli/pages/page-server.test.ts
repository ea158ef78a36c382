import { afterEach, expect, test, vi } from 'vitest'
import { createPageServer } from '../../../src/cli/pages/page-server.ts'
import { pageReply } from '../../../src/pages/support/reply.ts'
import { layout, note } from '../../../src/pages/support/layout.ts'
import { createRouter, type Pages } from '../../../src/pages/support/router.ts'

const here = { env: {}, isContainer: () => false }

function serverFor(io: Parameters<typeof createPageServer>[0]['io'] = here) {
  const loaded = vi.fn<() => Promise<Pages>>(() =>
    Promise.resolve(
      createRouter(
        [{ name: 'one', get: () => pageReply(200, layout({ title: 'One' }, note('plain', 'Here.'))) }],
        () => undefined,
      ),
    ),
  )
  return { server: createPageServer({ pages: loaded, log: () => undefined, io }), loaded }
}

afterEach(() => void vi.useRealTimers())

test('pages are served on 127.0.0.1 from the first link on, only under that name, and at one port', async () => {
  const { server, loaded } = serverFor()
  expect(loaded).not.toHaveBeenCalled()
  const [link = '', other = ''] = await Promise.all([server.link('/one?t=1', 60_000), server.link('/one?t=2', 60_000)])
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/one\?t=1$/)
  expect(new URL(other).origin).toBe(new URL(link).origin)
  expect(await (await fetch(link)).text()).toContain('Here.')
  expect((await fetch(link.replace('127.0.0.1', 'localhost'))).status).toBe(403)
  expect((await fetch(new URL('/v1/products', link))).status).toBe(404)
  expect((await fetch(new URL('/mcp', link), { method: 'POST' })).status).toBe(404)
  await server.close()
  await expect(fetch(link)).rejects.toThrow('fetch failed')
})

test('the server closes with its last link, and opens again for the next', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { server } = serverFor()
  const first = (await server.link('/one', 60_000)) ?? ''
  await vi.advanceTimersByTimeAsync(50_000)
  await server.link('/one', 60_000)
  await vi.advanceTimersByTimeAsync(50_000)
  vi.useRealTimers()
  expect((await fetch(first)).status).toBe(200)
  await server.close()

  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const last = (await server.link('/one', 60_000)) ?? ''
  await vi.advanceTimersByTimeAsync(60_000)
  vi.useRealTimers()
  await expect(fetch(last)).rejects.toThrow('fetch failed')
  const next = (await server.link('/one', 60_000)) ?? ''
  expect((await fetch(next)).status).toBe(200)
  await server.close()
})

test.each([
  ['CI', { ...here, env: { CI: 'true' } }],
  ['SSH', { ...here, env: { SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' } }],
  ['Codespaces', { ...here, env: { CODESPACES: 'true' } }],
  ['a container', { ...here, isContainer: () => true }],
])('in %s no browser of the person reaches this process, so there is no link', async (_, io) => {
  const { server, loaded } = serverFor(io)
  expect(await server.link('/one', 60_000)).toBeUndefined()
  expect(loaded).not.toHaveBeenCalled()
})
