import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Send } from '../../src/contract/base/wire.ts'
import { toWireRequest, writeReply } from '../../src/http/wire.ts'
import { tracegate, type Ran } from './run.ts'

/** A command against a deployment that answers as `send` does, over the network. */
export async function againstDeployment(
  send: Send,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ran> {
  const server = createServer((incoming, outgoing) => {
    const request = toWireRequest(incoming, outgoing, 'http://127.0.0.1')
    void send(request).then((reply) => writeReply(incoming, outgoing, reply))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  try {
    const ran = await tracegate(args, { TRACEGATE_BASE_URL: origin, ...env })
    return { ...ran, stdout: ran.stdout.replaceAll(origin, 'http://deployment.example') }
  } finally {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  }
}
