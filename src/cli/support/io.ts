import type { Transport } from '@modelcontextprotocol/client'
import { existsSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import type { WriteStream } from 'node:tty'
import type { LogDestination } from '../../log.ts'
import { preparedLists, type ListStore } from '../lists/prepared-lists.ts'
import { stopRequested } from './stop.ts'

export type Variables = Readonly<Record<string, string | undefined>>

/** What a command uses of the process it runs in, so that tests can run commands without one. */
export interface Io {
  stdin: Readable & { isTTY?: boolean }
  stdout: Writable & { isTTY?: boolean }
  stderr: WriteStream | (NodeJS.WritableStream & { isTTY?: never })
  env: Variables
  /** Where the log is written; by default the process's stderr, synchronously. */
  logDestination?: LogDestination
  /** Whether this machine is a container, whose ports others do not see. */
  isContainer(this: void): boolean
  /** Resolves when the command should stop. */
  stopRequested(this: void): Promise<void>
  /** Resolves after the time; rejects when the signal aborts. */
  sleep(this: void, ms: number, signal: AbortSignal): Promise<void>
  lists: ListStore
  /** A connection to a new `tracegate stdio` that has these variables. */
  startStdio(this: void, env: Variables): Promise<Transport>
}

/** The streams, environment and signals of this process. */
export const processIo: Io = {
  // Opened only by the command that reads it.
  get stdin() {
    return process.stdin
  },
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  isContainer: () => existsSync('/.dockerenv') || existsSync('/run/.containerenv'),
  stopRequested,
  sleep: (ms, signal) => setTimeout(ms, undefined, { signal }),
  lists: preparedLists,
  async startStdio(env) {
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
    const set = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined)
    const args = [process.argv[1] ?? '', 'stdio']
    return new StdioClientTransport({ command: process.execPath, args, env: Object.fromEntries(set) })
  },
}
