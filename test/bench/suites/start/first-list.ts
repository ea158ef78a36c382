import { spawn } from 'node:child_process'
import { bareEnvironment } from '../../../serve.ts'
import { mostResidentMb } from '../../support/process-memory.ts'

/** What starting a server until its first list took. */
export interface Started {
  /** Milliseconds from the start of the process to the answer. */
  ms: number
  /** The most memory that was resident until the answer, in MB. */
  mb: number
}

const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
const clientInfo = { name: 'bench', version: '1' }

/** What a client of each revision sends until it knows the tools. */
const openings = {
  2025: [
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
    },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    list,
  ],
  2026: [
    {
      ...list,
      params: {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': clientInfo,
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    },
  ],
} as const

export type Revision = keyof typeof openings

/** Starts a server over stdio, asks for its tools as a client of the revision does, and ends it. */
export function firstList(revision: Revision, command: readonly string[]): Promise<Started> {
  const start = performance.now()
  const child = spawn(process.execPath, command, { env: bareEnvironment(), stdio: ['pipe', 'pipe', 'ignore'] })
  for (const message of openings[revision]) child.stdin.write(`${JSON.stringify(message)}\n`)
  return new Promise((done, fail) => {
    let seen = ''
    const endedEarly = () => fail(new Error(`${command.join(' ')} ended before it answered`))
    child.once('exit', endedEarly)
    child.stdout.on('data', function take(chunk: Buffer) {
      seen += chunk.toString()
      if (!seen.includes('"id":2')) return
      const started = { ms: performance.now() - start, mb: mostResidentMb(child.pid) }
      child.stdout.off('data', take).resume()
      child.off('exit', endedEarly).once('exit', () => done(started))
      child.stdin.end()
    })
  })
}
