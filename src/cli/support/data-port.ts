import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { writeWhole } from '../files/failures.ts'
import { makeDataDir } from './data-dir.ts'
import { listeningOrigin, readEndpoints } from './endpoints.ts'
import { checkHealth } from './health.ts'
import type { Io } from './io.ts'
import { PortError, requireFree } from './port.ts'

const USUAL_PORT = 4319
/** Ports that are tried from the usual one on. */
const TRIED = 100

const filePath = (dataDir: string) => join(dataDir, 'port')

/** The port that DSNs of this data directory were printed with; undefined before the first. */
export function keptPort(dataDir: string): number | undefined {
  try {
    const port = Number(readFileSync(filePath(dataDir), 'utf8'))
    return Number.isInteger(port) && port > 0 && port <= 65_535 ? port : undefined
  } catch {
    return undefined
  }
}

/** Keeps the port, so that DSNs that are pasted somewhere lead to the next server too. */
export function keepPort(dataDir: string, port: number): void {
  if (keptPort(dataDir) === port) return
  makeDataDir(dataDir)
  writeWhole(filePath(dataDir), `${String(port)}\n`)
}

/** The port of `--port`, else the one that the data directory keeps, else the usual one. */
export function portFor({ port, dataDir }: Pick<Config, 'port' | 'dataDir'>): number {
  return port ?? keptPort(dataDir) ?? USUAL_PORT
}

/**
 * The address for DSNs that are about to be printed: of the running server, else of the one to come, whose port is kept for it.
 * Rejects with `PortError` where another program has that port, because it would get the events, and the key with them.
 */
export async function claimOrigin(config: Config, io: Pick<Io, 'env' | 'stderr'>): Promise<string> {
  const { dataDir, host, origin, databaseUrl } = config
  const known = origin ?? (await runningOrigin(dataDir))
  if (known !== undefined) return known
  // The servers of a shared database may be on other machines.
  if (databaseUrl !== undefined) return listeningOrigin(host, portFor(config))
  const port = await choosePort(config, io)
  keepPort(dataDir, port)
  return listeningOrigin(host, port)
}

async function runningOrigin(dataDir: string): Promise<string | undefined> {
  const { ingest = '', rest = '', token } = readEndpoints(dataDir) ?? {}
  // A server that was killed leaves its file behind, and any program may have its port by now.
  return ingest !== '' && (await checkHealth(rest, token))?.proved === true ? ingest : undefined
}

async function choosePort({ host, port: given, dataDir }: Config, { env, stderr }: Pick<Io, 'env' | 'stderr'>) {
  const wanted = given ?? keptPort(dataDir)
  if (wanted !== undefined) {
    const problem = await takenPort(wanted)
    if (problem !== undefined) throw problem
    return wanted
  }
  for (let port = USUAL_PORT; port < USUAL_PORT + TRIED; port += 1) {
    if ((await takenPort(port)) !== undefined) continue
    if (port !== USUAL_PORT) {
      const gets = `so the server of this data directory gets port ${String(port)}`
      stderr.write(`tracegate: another program has port ${String(USUAL_PORT)}, ${gets}\n`)
    }
    return port
  }
  return USUAL_PORT

  /** Where this process may not listen at all, the server may all the same. */
  async function takenPort(port: number): Promise<PortError | undefined> {
    try {
      await requireFree({ host, port }, env)
      return undefined
    } catch (error) {
      if (error instanceof PortError) return error.taken ? error : undefined
      throw error
    }
  }
}
