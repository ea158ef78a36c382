import { expect, test } from 'vitest'
import { createApi } from '../../../src/client/client.ts'
import type { Send } from '../../../src/contract/base/wire.ts'
import { waitProgress } from '../../../src/mcp/call/wait-progress.ts'
import { origin, startApp } from '../../app.ts'
import { virtualClock } from '../../virtual-clock.ts'
import { connect } from '../clients.ts'

interface Progress {
  progress: number
  message?: string | undefined
}

test('a caller that asked for progress hears what is waited for, in growing numbers', async () => {
  const clock = virtualClock()
  await using app = await startApp()
  let sent = 0
  const send: Send = (request) => {
    if (!request.url.includes('/issues')) return app.service.direct(request)
    sent += 1
    if (sent === 1) return Promise.resolve({ status: 429, headers: { 'retry-after': '8' }, body: '{"code":8}' })
    return new Promise((resolve) => {
      setImmediate(() => {
        for (let seconds = 0; seconds < 7; seconds++) clock.pass(1_000)
        resolve(app.service.direct(request))
      })
    })
  }
  const api = createApi({ send, baseUrl: origin, token: app.token, sleep: clock.sleep })
  await using agent = await connect(api, { clock })
  const heard: Progress[] = []
  const called = await agent.client.callTool({ name: 'find_error_issues', arguments: {} }, {
    onprogress: (progress: Progress) => heard.push(progress),
  } as never)
  expect(called.isError).not.toBe(true)
  const messages = heard.map(({ message }) => message)
  const call = 'GET /v1/products/{product_id}/issues'
  expect(messages[0]).toBe(`waiting 8 s before ${call} is repeated: the service asked for it (429)`)
  expect(messages).toContainEqual(
    expect.stringMatching(/^waiting for GET \/v1\/products\/\{product_id\}\/issues, [2-6] s so far$/),
  )
  const values = heard.map(({ progress }) => progress)
  expect(values).toEqual([...new Set(values)].toSorted((a, b) => a - b))
})

test('a call of many short requests says after two seconds where it is', () => {
  const clock = virtualClock()
  const heard: string[] = []
  const waits = waitProgress(({ message }) => heard.push(message), clock)
  for (let n = 0; n < 10; n++) {
    const done = waits.began(`GET ${String(n)}`)
    clock.pass(450)
    done()
  }
  waits.end()
  expect(heard).toEqual(['working; now at GET 4', 'working; now at GET 9'])
})

test('many waits make at most one message a second, and none follows the call', () => {
  const clock = virtualClock()
  const heard: string[] = []
  const waits = waitProgress(({ message }) => heard.push(message), clock)
  for (let n = 0; n < 10; n++) {
    waits.began(`GET ${String(n)}`)
    waits.pauses('GET /v1/x', { ms: 5_000, status: 503, asked: false })
    waits.pauses('GET /v1/x', { ms: 500, status: 503, asked: false })
    clock.pass(250)
  }
  expect(heard.length).toBeLessThanOrEqual(3)
  expect(heard[0]).toContain('the service is not available (503)')
  waits.end()
  const before = heard.length
  clock.pass(60_000)
  expect(heard).toHaveLength(before)
})

test('work that goes on after the end of its call says nothing', () => {
  const clock = virtualClock()
  const heard: string[] = []
  const waits = waitProgress(({ message }) => heard.push(message), clock)
  waits.end()
  waits.report({ done: 1, total: 2, message: 'half of it' })
  waits.began('GET late')
  waits.pauses('GET late', { ms: 5_000, status: 503, asked: false })
  clock.pass(10_000)
  expect(heard).toEqual([])
})
