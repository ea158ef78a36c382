import { createServer as createHttp, type IncomingMessage } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { connect, type Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll } from 'vitest'
import { listening } from '../listening.ts'
import { createAuthority } from '../../upstream/faults/certificates.ts'

const authority = createAuthority()
const certificate = authority.issue({ name: 'quality.example', from: -1, until: 1 })

/** Lets the tests of a file trust the deployment. */
export function useProxies(): void {
  const before = getCACertificates('default')
  beforeAll(() => setDefaultCACertificates([...before, authority.cert]))
  afterAll(() => setDefaultCACertificates(before))
}

/** A deployment, quality.example, that only the proxy knows the way to, and a proxy that leads every host there. */
export async function behindProxy({ status = 200 }: { status?: number } = {}) {
  const received: IncomingMessage['headers'][] = []
  const uploaded: string[] = []
  const deployment = createHttps(certificate, (request, reply) => {
    received.push(request.headers)
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      if (request.method === 'PUT') uploaded.push(body)
      reply.end('{"workspaces":[]}')
    })
  })
  const port = await listening(deployment)
  const asked: { host: string; authorization: string | undefined }[] = []
  const proxy = createHttp()
  proxy.on('connect', ({ url = '', headers }: IncomingMessage, socket: Socket) => {
    asked.push({ host: url, authorization: headers['proxy-authorization'] })
    socket.on('error', () => {})
    if (status !== 200) return void socket.end(`HTTP/1.1 ${String(status)} No\r\ncontent-length: 0\r\n\r\n`)
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(onward).pipe(socket)
    })
    onward.on('error', () => {})
  })
  const address = `127.0.0.1:${String(await listening(proxy))}`
  return { address, asked, received, uploaded, port }
}
