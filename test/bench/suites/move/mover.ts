import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { bareEnvironment } from '../../../serve.ts'

export interface Moving {
  /** The command of the published package. */
  main: string
  dataDir: string
  to: string
  /** Kills the process when so many percent of all rows are copied. */
  killAt?: number
}

export interface Moved {
  seconds: number
  /** What it printed, both streams. */
  output: string
}

/** Runs `tracegate move` in a process, until its end or until it is killed. */
export async function runMove({ main, dataDir, to, killAt }: Moving): Promise<Moved> {
  const begun = performance.now()
  const child = spawn(process.execPath, [main, 'move', '--to', to, '--data', dataDir], { env: bareEnvironment() })
  const ended = once(child, 'exit')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()))
  child.stderr.on('data', () => {
    const percent = Number(
      output
        .match(/(\d+) % of all/g)
        ?.at(-1)
        ?.split(' ')[0] ?? 0,
    )
    if (killAt !== undefined && percent >= killAt) child.kill('SIGKILL')
  })
  await ended
  const wasKilled = child.signalCode === 'SIGKILL'
  if (wasKilled !== (killAt !== undefined) || (!wasKilled && child.exitCode !== 0)) throw new Error(output)
  return { seconds: (performance.now() - begun) / 1000, output }
}
