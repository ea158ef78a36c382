import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { bareEnvironment } from '../serve.ts'

export const mainFile = resolve(import.meta.dirname, '../../src/main.ts')

export interface Ran {
  code: number
  stdout: string
  stderr: string
}

/** Runs the real command line to its end, in an environment without settings of ours but those given. */
export function tracegate(args: readonly string[], env: Record<string, string> = {}, command = mainFile): Promise<Ran> {
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      [command, ...args],
      { env: { ...bareEnvironment(), ...env }, timeout: 30_000 },
      (error, stdout, stderr) =>
        done({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr }),
    )
    child.stdin?.end()
  })
}

/** A folder of its own for each test file, removed by disposing it. */
export function temporaryFolder(): Disposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), 'tracegate-cli-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}
