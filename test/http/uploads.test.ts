import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createDoor } from '../../src/http/door.ts'
import { startApp, type App } from '../app.ts'
import { confirm, create, sha256Of, stateOf, tinyMap } from '../service/errors/sourcemaps/uploads/rig.ts'

const map = tinyMap({ sourcesContent: ['x'.repeat(2_000_000)] })

async function served(app: App, requestTimeoutMs?: number) {
  const door = createDoor({
    mcp: (_, outgoing) => void outgoing.end(),
    service: app.service.handle,
    allowedHosts: ['127.0.0.1'],
    version: '1',
    log: () => undefined,
    ...(requestTimeoutMs !== undefined && { requestTimeoutMs }),
  })
  door.listen(0, '127.0.0.1')
  await once(door, 'listening')
  const { port } = door.address() as AddressInfo
  return {
    port,
    async [Symbol.asyncDispose]() {
      door.closeAllConnections()
      door.close()
      await once(door, 'close')
    },
  }
}

/** A PUT at the path of a presigned address; without a content-length Node sends it chunked. */
function putTo(port: number, url: string): ClientRequest {
  const { pathname, search } = new URL(url)
  return request({ host: '127.0.0.1', port, method: 'PUT', path: pathname + search, agent: false })
}

async function answerTo(sent: ClientRequest): Promise<IncomingMessage> {
  const [reply] = (await once(sent, 'response')) as [IncomingMessage]
  reply.resume()
  return reply
}

test('a chunked body is stored without a token', async () => {
  await using app = await startApp()
  await using door = await served(app)
  const { body } = await create(app, { file_name: 'app.js.map', release: '1' })
  const sent = putTo(door.port, body.upload_url)
  const reply = answerTo(sent)
  for (let start = 0; start < map.length; start += 100_000) sent.write(map.slice(start, start + 100_000))
  sent.end()
  expect(await reply).toMatchObject({ statusCode: 200, headers: { etag: `"${sha256Of(map)}"` } })
  expect(sent.chunkedEncoding).toBe(true)
  expect((await confirm(app, body.sourcemap.id)).body.sourcemap.size_bytes).toBe(map.length)
})

test('a sender that disconnects leaves nothing behind and can retry', async () => {
  await using app = await startApp()
  await using door = await served(app)
  const { body } = await create(app, { file_name: 'app.js.map', release: '1' })
  const folder = join(app.dataDir, 'uploads')
  const broken = putTo(door.port, body.upload_url)
  broken.on('error', () => undefined)
  broken.write(map.slice(0, 1_000_000))
  await expect.poll(() => parts(folder)).toBe(1)
  broken.destroy()
  await expect.poll(() => parts(folder)).toBe(0)
  expect(await stateOf(app, body.sourcemap.id)).toBe('SOURCEMAP_STATE_PENDING_UPLOAD')
  const again = putTo(door.port, body.upload_url)
  again.end(map)
  expect((await answerTo(again)).statusCode).toBe(200)
})

test('an address without a valid signature is refused before its body is read, and the sender receives the reply', async () => {
  await using app = await startApp()
  await using door = await served(app)
  const { body } = await create(app, { file_name: 'app.js.map', release: '1' })
  const sent = putTo(
    door.port,
    body.upload_url.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
  )
  sent.end(map)
  expect(await answerTo(sent)).toMatchObject({ statusCode: 403, headers: { connection: 'close' } })
})

test('a body that arrives byte by byte is cut off in time, an upload is not', async () => {
  await using app = await startApp()
  await using door = await served(app, 50)
  const { body } = await create(app, { file_name: 'app.js.map', release: '1' })
  const upload = putTo(door.port, body.upload_url)
  const reply = answerTo(upload)
  upload.write(map.slice(0, 10))
  await expect.poll(() => parts(join(app.dataDir, 'uploads'))).toBe(1)

  const socket = connect(door.port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  socket.write('POST /v1/products/1/sourcemaps HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n')
  socket.write(`Authorization: Bearer ${app.token}\r\n\r\n{`)
  await once(socket, 'close')
  expect(text).toMatch(/^HTTP\/1\.1 408 /)

  upload.end(map.slice(10))
  expect((await reply).statusCode).toBe(200)
})

function parts(folder: string): number {
  return readdirSync(folder).filter((name) => name.endsWith('.part')).length
}
