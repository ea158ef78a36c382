import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'

/** What `serve` tells other programs of this user: `mcp` ends in `/mcp`, `rest` and `ingest` are base addresses. */
const Endpoints = z.object({
  mcp: z.string(),
  rest: z.string(),
  ingest: z.string(),
  dsn: z.string(),
  product_id: z.string(),
  token: z.string(),
})
export type Endpoints = z.output<typeof Endpoints>

const fileIn = (dataDir: string) => join(dataDir, 'endpoints.json')

/** Writes `endpoints.json` whole or not at all, readable by its owner alone: it holds the token. */
export function writeEndpoints(dataDir: string, endpoints: Endpoints): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const draft = `${fileIn(dataDir)}.${String(process.pid)}`
  writeFileSync(draft, `${JSON.stringify(endpoints, undefined, 2)}\n`, { mode: 0o600 })
  renameSync(draft, fileIn(dataDir))
}

/** What the server on this data directory wrote; undefined when none is running. */
export function readEndpoints(dataDir: string): Endpoints | undefined {
  try {
    return Endpoints.parse(JSON.parse(readFileSync(fileIn(dataDir), 'utf8')))
  } catch {
    return undefined
  }
}

/** Removes `endpoints.json` if it is still ours: a second server may have written its own since. */
export function removeEndpoints(dataDir: string, ours: Endpoints): void {
  if (readEndpoints(dataDir)?.mcp === ours.mcp) rmSync(fileIn(dataDir), { force: true })
}

/** The origin for a bound host and port; an address that means "every interface" is reached by the loopback name. */
export function originOf(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${String(port)}`
}
