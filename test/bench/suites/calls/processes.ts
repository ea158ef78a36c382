import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { bareEnvironment } from '../../../serve.ts'

const program = join(import.meta.dirname, 'servers.ts')

export interface Lines extends AsyncDisposable {
  pid: number
  write(line: string): void
  /** The next line that the process prints. */
  next(): Promise<string>
}

/** One of the programs of `servers.ts`; disposing ends it. */
export function startServer(...args: string[]): Lines {
  const child = spawn(process.execPath, [program, ...args], {
    env: bareEnvironment(),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    pid: child.pid ?? 0,
    write: (line) => void child.stdin.write(`${line}\n`),
    async next() {
      const { value, done } = await lines.next()
      if (done === true) throw new Error(`servers.ts ${args.join(' ')} has ended`)
      return value
    },
    [Symbol.asyncDispose]: () => ended(child),
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

/** Milliseconds of processor time that a process has used, in steps of 10. */
export function processorMs(pid: number): number {
  const fields =
    readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
      .split(') ')[1]
      ?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}
