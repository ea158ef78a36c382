import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createDoor } from '../../http/door.ts'
import type { Log } from '../../log.ts'
import type { Pages } from '../../pages/support/router.ts'
import { version } from '../../version.ts'
import type { Io } from '../support/io.ts'

/** The pages of a process that serves no port otherwise: on 127.0.0.1, from the first link on until the last has expired. */
export interface PageServer {
  /** The address of a page that is needed for so long; undefined where the person's browser cannot reach this process. */
  link(path: string, forMs: number): Promise<string | undefined>
  close(): Promise<void>
}

export interface PageServerOptions {
  pages: () => Promise<Pages>
  log: Log
  io: Pick<Io, 'env' | 'isContainer'>
}

const host = '127.0.0.1'

/** Opens nothing until the first link. */
export function createPageServer({ pages, log, io }: PageServerOptions): PageServer {
  let opening: Promise<Server> | undefined
  let closing: NodeJS.Timeout | undefined

  async function open(): Promise<Server> {
    const server = createDoor({ pages: await pages(), allowedHosts: [host], version, log })
    return new Promise((resolve, reject) => {
      server.once('error', reject).listen(0, host, () => resolve(server))
    })
  }

  async function close(): Promise<void> {
    clearTimeout(closing)
    const opened = opening
    opening = undefined
    const server = await opened?.catch(() => undefined)
    if (server === undefined) return
    await new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  }

  return {
    async link(path, forMs) {
      if (!isReachable(io)) return undefined
      clearTimeout(closing)
      closing = setTimeout(() => void close(), forMs).unref()
      opening ??= open()
      try {
        // A server that listens on TCP has an address with a port.
        const { port } = (await opening).address() as AddressInfo
        return `http://${host}:${String(port)}${path}`
      } catch (error) {
        opening = undefined
        log({ level: 'warn', message: 'no page can be served', error: String(error) })
        return undefined
      }
    },
    close,
  }
}

/** Variables of surroundings whose loopback addresses are not those of the person's machine. */
const elsewhere = ['CI', 'SSH_CONNECTION', 'SSH_TTY', 'CODESPACES', 'REMOTE_CONTAINERS', 'KUBERNETES_SERVICE_HOST']

/** Whether a browser of the person can open an address on the loopback interface of this process. */
function isReachable({ env, isContainer }: Pick<Io, 'env' | 'isContainer'>): boolean {
  return !isContainer() && elsewhere.every((name) => (env[name] ?? '') === '')
}
