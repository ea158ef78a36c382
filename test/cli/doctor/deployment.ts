import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Send } from '../../../src/contract/base/wire.ts'
import { toWireRequest, writeReply } from '../../../src/http/wire.ts'
import { tracegate, type Ran } from '../run.ts'

/** `tracegate doctor` for a deployment that answers as `send` does, over the network. */
export async function doctor(send: Send, token: string, args: readonly string[] = []): Promise<Ran> {
  const server = createServer((incoming, outgoing) => {
    const request = toWireRequest(incoming, outgoing, 'http://127.0.0.1')
    void send(request).then((reply) => writeReply(incoming, outgoing, reply))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  try {
    const ran = await tracegate(['doctor', ...args], { TRACEGATE_BASE_URL: origin, TRACEGATE_API_TOKEN: token })
    return { ...ran, stdout: ran.stdout.replaceAll(origin, 'http://deployment.example') }
  } finally {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  }
}
