import { createServer, type Server, type AddressInfo } from 'node:net'
import { ConfigError } from '../../config.ts'
import type { Variables } from './io.ts'

interface Address {
  host: string
  port: number
}

/** A port that cannot be used: what was found and how to fix it. */
export class PortError extends ConfigError {
  readonly found: string
  readonly fix: string
  /** Another program listens there. */
  readonly taken: boolean
  /** A port to take instead. */
  readonly other: number

  constructor({
    found,
    fix,
    taken = false,
    other = 0,
  }: {
    found: string
    fix: string
    taken?: boolean
    other?: number
  }) {
    super(`${found}: ${fix}`)
    this.found = found
    this.fix = fix
    this.taken = taken
    this.other = other
  }
}

/** Starts listening and resolves to the port; rejects with `PortError` when the port cannot be used. */
export function listen(server: Server, { host, port }: Address, env: Variables): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(refused(error, { host, port }, env)))
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
}

/** Rejects with `PortError` when the port cannot be used; leaves it free. */
export async function requireFree(address: Address, env: Variables): Promise<void> {
  const probe = createServer()
  await listen(probe, address, env)
  await new Promise((done) => probe.close(done))
}

function refused({ code = 'unknown' }: NodeJS.ErrnoException, { host, port }: Address, env: Variables): PortError {
  const place = `port ${String(port)} on ${host}`
  if (code === 'EADDRINUSE') {
    const other = port < 65_535 ? port + 1 : port - 1
    const program = process.platform === 'win32' ? `netstat -ano` : `lsof -i :${String(port)}`
    return new PortError({
      found: `${place} is in use by another program`,
      fix: `stop it (${program} names it), or choose another port: ${portFlag(other, env)}`,
      taken: true,
      other,
    })
  }
  if (code === 'EACCES') {
    return new PortError({ found: `${place} needs more permissions`, fix: 'choose one above 1023 with --port' })
  }
  return new PortError({ found: `${place} cannot be used (${code})`, fix: 'check --host and --port' })
}

/** The flag as the user would write it: npm keeps flags that do not follow `--` for itself. */
function portFlag(port: number, env: Variables): string {
  const script = env['npm_lifecycle_event']
  const flag = `--port ${String(port)}`
  if (script === undefined) return flag
  return script === 'start' ? `npm start -- ${flag}` : `npm run ${script} -- … ${flag}`
}
