import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { writeWhole } from '../files/failures.ts'

/** The addresses that `serve` gives other programs of this user: `mcp` ends in `/mcp`, `rest` and `ingest` are base addresses. */
const Endpoints = z.object({
  mcp: z.string(),
  rest: z.string(),
  ingest: z.string(),
  dsn: z.string(),
  product_id: z.string(),
  token: z.string(),
})
export type Endpoints = z.output<typeof Endpoints>

const filePath = (dataDir: string) => join(dataDir, 'endpoints.json')

/** Writes `endpoints.json` atomically, readable only by its owner: it holds the token. */
export function writeEndpoints(dataDir: string, endpoints: Endpoints): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  writeWhole(filePath(dataDir), `${JSON.stringify(endpoints, undefined, 2)}\n`)
}

/** The endpoints of the server on this data directory; undefined when none has written them. */
export function readEndpoints(dataDir: string): Endpoints | undefined {
  try {
    return Endpoints.parse(JSON.parse(readFileSync(filePath(dataDir), 'utf8')))
  } catch {
    return undefined
  }
}

/** Removes `endpoints.json` if it is still ours: another server may have replaced it. */
export function removeEndpoints(dataDir: string, ours: Endpoints): void {
  if (readEndpoints(dataDir)?.mcp === ours.mcp) rmSync(filePath(dataDir), { force: true })
}

/** The origin for a bound host and port; an address that means "every interface" becomes `localhost`. */
export function listeningOrigin(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${String(port)}`
}
