import { createServer as createHttp } from 'node:http'
import { createServer as createTcp, type Server } from 'node:net'
import { createServer as createTls } from 'node:tls'
import { expect, test } from 'vitest'
import { createApi } from '../../src/client/client.ts'
import { networkSend } from '../../src/client/transport.ts'
import { cleanups, listening } from './listening.ts'

async function failureOf(baseUrl: string) {
  const send = networkSend()
  cleanups.push(() => send.close())
  const waits: number[] = []
  const sleep = (milliseconds: number) => {
    waits.push(milliseconds)
    return Promise.resolve()
  }
  const error: unknown = await createApi({ send, baseUrl, token: 't', sleep })
    .listWorkspaces({})
    .catch((thrown: unknown) => thrown)
  const { code, message } = error as { code: string; message: string }
  return { code, message, repeats: waits.length }
}

/** A server that answers each request with these bytes and closes the connection. */
function raw(...answer: string[]): Server {
  return createTcp((socket) => {
    socket.once('data', () => socket.end(answer.join('\r\n'), 'latin1'))
  })
}

test('HTTPS to a port that speaks HTTP is a matter of configuration, and is not repeated', async () => {
  const port = await listening(createHttp((_, reply) => reply.end('{}')))
  const failure = await failureOf(`https://127.0.0.1:${String(port)}`)
  expect(failure).toMatchObject({ code: 'misconfigured', repeats: 0 })
  expect(failure.message).toContain('the port may not speak HTTPS')
})

test('HTTP to a port that speaks HTTPS is named', async () => {
  const port = await listening(createTls({}))
  const { code, message } = await failureOf(`http://127.0.0.1:${String(port)}`)
  expect(code).toBe('unavailable')
  expect(message).toMatch(/https/i)
})

test.each([
  ['something that is not HTTP', ['SSH-2.0-OpenSSH_9.9', ''], 'its answer is not HTTP'],
  ['a body without a header, as in HTTP/0.9', ['<html>hello</html>'], 'its answer is not HTTP'],
  ['a connection that is closed', [''], 'the connection was closed'],
  ['a body that is cut off', ['HTTP/1.1 200 OK', 'content-length: 100', '', '{"work'], 'was c'],
  ['a chunk that is cut off', ['HTTP/1.1 200 OK', 'transfer-encoding: chunked', '', 'ff', '{"work'], 'was c'],
  [
    'an answer with more headers than are read',
    ['HTTP/1.1 200 OK', `x: ${'a'.repeat(20_000)}`, '', ''],
    'headers of its answer',
  ],
])('%s is retried and named', async (_, answer, words) => {
  const port = await listening(raw(...answer))
  const failure = await failureOf(`http://127.0.0.1:${String(port)}`)
  expect(failure).toMatchObject({ code: 'unavailable', repeats: 3 })
  expect(failure.message).toContain(words)
})

test('an interim answer before the answer is passed over', async () => {
  const answer = [
    'HTTP/1.1 103 Early Hints',
    'link: </a>',
    '',
    'HTTP/1.1 200 OK',
    'content-length: 17',
    '',
    '{"workspaces":[]}',
  ]
  const port = await listening(raw(...answer))
  const send = networkSend()
  cleanups.push(() => send.close())
  const api = createApi({ send, baseUrl: `http://127.0.0.1:${String(port)}`, token: 't' })
  expect((await api.listWorkspaces({})).workspaces).toEqual([])
})

test('a host name that does not exist is checked in the base address', async () => {
  const failure = await failureOf('http://no-such-host.invalid')
  expect(failure.code).toBe('unavailable')
  expect(failure.message).toMatch(/ENOTFOUND.*check TRACEGATE_BASE_URL|EAI_AGAIN/)
})

test.each([
  ['CERT_HAS_EXPIRED', 'has expired'],
  ['CERT_NOT_YET_VALID', 'check the clock'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'NODE_EXTRA_CA_CERTS'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'NODE_EXTRA_CA_CERTS'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'NODE_EXTRA_CA_CERTS'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'check the host in TRACEGATE_BASE_URL'],
  ['CERT_REVOKED', 'its certificate is refused'],
])('a certificate that fails with %s says what to do, and is not repeated', async (code, words) => {
  let sent = 0
  const send = () => {
    sent += 1
    return Promise.reject(new TypeError('failed', { cause: Object.assign(new Error('x'), { code }) }))
  }
  const api = createApi({ send, baseUrl: 'https://quality.example', token: 't' })
  for (const call of [api.listWorkspaces({}), api.createEnvironment({ product_id: '1', name: 'qa' })]) {
    await expect(call).rejects.toMatchObject({
      code: 'misconfigured',
      message: expect.stringContaining(words) as string,
    })
  }
  expect(sent).toBe(2)
})
