import { createServer, type Server } from 'node:net'
import type { AddressInfo } from 'node:net'
import { ConfigError, type Config } from '../config.ts'

type Address = Pick<Config, 'host' | 'port'>

/** Starts listening and resolves to the port; rejects with `ConfigError` when somebody else has it or may not be had. */
export function listen(server: Server, { host, port }: Address): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(refused(error, { host, port })))
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
}

/** Rejects with `ConfigError` when the port cannot be had; leaves it free again. */
export async function requireFree(address: Address): Promise<void> {
  const probe = createServer()
  await listen(probe, address)
  await new Promise((done) => probe.close(done))
}

function refused({ code = 'unknown' }: NodeJS.ErrnoException, { host, port }: Address): ConfigError {
  const place = `port ${String(port)} on ${host}`
  if (code === 'EADDRINUSE') {
    return new ConfigError(
      `${place} is in use: stop the other program (tracegate doctor tells which), or choose another with --port`,
    )
  }
  if (code === 'EACCES') return new ConfigError(`${place} needs more rights: choose one above 1023 with --port`)
  return new ConfigError(`${place} cannot be listened on (${code}): check --host and --port`)
}
