import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createDoor } from '../../src/http/door.ts'
import type { MetricsPage } from '../../src/http/metrics-page.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

const token = 'a token of collectors'.replaceAll(' ', '-')

async function door(page: Partial<MetricsPage>): Promise<number> {
  const read = () => Promise.resolve({ contentType: 'text/plain; version=0.0.4', text: 'up 1\n' })
  const server = createDoor({
    allowedHosts: ['127.0.0.1', 'quality.example'],
    metrics: { isLocal: true, read, ...page },
    version: '1',
    log: () => undefined,
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  cleanups.push(async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })
  return (server.address() as AddressInfo).port
}

function ask(port: number, headers: Record<string, string> = {}) {
  return new Promise<{ status: number | undefined; challenge: string | undefined; text: string }>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path: '/metrics', agent: false, headers }, (reply) => {
      let text = ''
      reply.on('data', (chunk: Buffer) => (text += chunk.toString()))
      reply.on('end', () => resolve({ status: reply.statusCode, challenge: reply.headers['www-authenticate'], text }))
    })
    sent.on('error', reject).end()
  })
}

test('a program of this machine reads the metrics of a server that is for this machine', async () => {
  expect(await ask(await door({}))).toMatchObject({ status: 200, text: 'up 1\n' })
})

test.each([
  ['a proxy that says for whom it asks', { 'x-forwarded-for': '203.0.113.7' }],
  ['a proxy that names itself', { via: '1.1 proxy' }],
  ['a page of another origin', { origin: 'https://evil.example' }],
  ['the page of a rebound name', { host: 'evil.example' }],
  ['a public name', { host: 'quality.example' }],
])('without a token of its own, %s is refused the metrics', async (_, headers) => {
  const { status, text } = await ask(await door({}), headers)
  expect(status).toBe(403)
  expect(text).toContain('TRACEGATE_METRICS_TOKEN')
})

test('a server that others reach tells nothing without a token, not even to this machine', async () => {
  expect((await ask(await door({ isLocal: false }))).status).toBe(403)
})

test('where there is a token it alone decides, under any host name', async () => {
  const port = await door({ isLocal: false, token })
  expect(await ask(port)).toMatchObject({ status: 401, challenge: 'Bearer realm="tracegate metrics"' })
  for (const wrong of ['', token.slice(1), `${token}x`])
    expect((await ask(port, { authorization: `Bearer ${wrong}` })).status).toBe(401)
  const headers = { authorization: `Bearer ${token}`, host: '10.0.0.7:4319', 'x-forwarded-for': '10.0.0.1' }
  expect((await ask(port, headers)).status).toBe(200)
})
