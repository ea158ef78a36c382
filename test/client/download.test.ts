import { expect, test } from 'vitest'
import { downloadMatrix } from '../../src/client/download.ts'
import type { Send, WireRequest } from '../../src/contract/base/wire.ts'
import { networkSend } from '../../src/client/transport.ts'

const csv = { status: 200, headers: { 'content-type': 'text/csv; charset=utf-8' }, body: 'key\nREQ-1\n' }
const broken = Object.assign(new Error('gone'), { code: 'ECONNRESET' })

/** Answers the requests in order, the last answer again and again. */
function answering(...answers: readonly (Awaited<ReturnType<Send>> | Error)[]) {
  const seen: WireRequest[] = []
  const send: Send = (request) => {
    const answer = answers[Math.min(seen.push(request), answers.length) - 1] ?? broken
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)
  }
  return { seen, send }
}

function download(
  send: Send,
  { signal, baseUrl = 'https://quality.example' }: { signal?: AbortSignal; baseUrl?: string } = {},
) {
  const client = { send, baseUrl, token: 't', sleep: () => Promise.resolve() }
  return downloadMatrix({ product_id: '1' }, 'csv', client, signal === undefined ? {} : { signal })
}

test('the matrix survives a connection that breaks and a deployment that is busy', async () => {
  const busy = { status: 503, headers: {}, body: '' }
  const { seen, send } = answering(broken, busy, csv)
  expect(await download(send)).toEqual({ type: 'text/csv', text: csv.body })
  expect(seen).toHaveLength(3)
})

test('a deployment that cannot be reached is named as with every other read', async () => {
  const send = networkSend()
  await expect(download(send, { baseUrl: 'http://127.0.0.1:1' })).rejects.toMatchObject({
    name: 'ServiceError',
    code: 'unavailable',
    message: expect.stringContaining('ECONNREFUSED') as string,
  })
  await send.close()
})

test('a refusal is not repeated, and neither is a format that the deployment does not have', async () => {
  const refused = answering({ status: 403, headers: {}, body: '{"code":7,"message":"no"}' })
  await expect(download(refused.send)).rejects.toMatchObject({ code: 'permission_denied' })
  const json = answering({ status: 200, headers: { 'content-type': 'application/json' }, body: '{}' })
  await expect(download(json.send)).rejects.toMatchObject({ code: 'unimplemented' })
  expect([refused.seen.length, json.seen.length]).toEqual([1, 1])
})

test('a reader who leaves ends the request, whether it heeds the signal or not', async () => {
  const leaving = new AbortController()
  const reason = new Error('the reader left')
  const answer = download(() => new Promise(() => {}), { signal: leaving.signal })
  leaving.abort(reason)
  await expect(answer).rejects.toBe(reason)
  const { seen, send } = answering(csv)
  await expect(download(send, { signal: leaving.signal })).rejects.toBe(reason)
  expect(seen).toEqual([])
})
