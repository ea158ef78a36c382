import { BlockList, type Socket } from 'node:net'
import type { Server } from 'node:http'

export interface ConnectionLimits {
  /** Open connections in all. */
  connections: number
  /** Open connections of one remote address. Proxies are not limited: see `isNear`. */
  connectionsPerAddress: number
}

const defaultConnectionLimits: ConnectionLimits = { connections: 1_024, connectionsPerAddress: 128 }

const refusal =
  'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Type: text/plain\r\n' +
  'Content-Length: 21\r\n\r\ntoo many connections\n'

/** Share of all connections from which on idle ones are closed: their clients open a new one when they need it. */
const CROWDED = 0.9

/** Answers a connection beyond the limits with 503 and closes it. */
export function limitConnections(server: Server, limits: ConnectionLimits = defaultConnectionLimits): void {
  const perAddress = new Map<string, number>()
  let open = 0
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const own = (perAddress.get(address) ?? 0) + 1
    perAddress.set(address, own)
    open += 1
    socket.once('close', () => {
      open -= 1
      const left = (perAddress.get(address) ?? 1) - 1
      if (left === 0) perAddress.delete(address)
      else perAddress.set(address, left)
    })
    if (open > limits.connections * CROWDED) server.closeIdleConnections()
    const isTooMany = own > limits.connectionsPerAddress && !isNear(address)
    if (isTooMany || open > limits.connections) socket.end(refusal, () => socket.destroySoon())
  })
}

const near = new BlockList()
near.addSubnet('127.0.0.0', 8)
near.addSubnet('10.0.0.0', 8)
near.addSubnet('172.16.0.0', 12)
near.addSubnet('192.168.0.0', 16)
near.addAddress('::1', 'ipv6')
near.addSubnet('fc00::', 7, 'ipv6')
near.addSubnet('fe80::', 10, 'ipv6')

/** An address of this machine or of a private network, from which a proxy passes on the requests of many clients. */
function isNear(address: string): boolean {
  return near.check(address, address.includes(':') ? 'ipv6' : 'ipv4')
}
