import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { bareEnvironment } from '../serve.ts'
import { publishedCommand } from './published.ts'
import { temporaryFolder } from './run.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())
const data = ['--data', join(folder.path, 'data')]

interface Ended {
  code: unknown
  stderr: string
}

/** Runs a command whose stdout has lost its reader before the program starts. */
async function unread(args: readonly string[]): Promise<Ended> {
  const start = ['-c', 'read go && exec "$@"', 'sh', process.execPath, await publishedCommand(), ...args]
  const child = spawn('sh', start, { env: bareEnvironment(), stdio: 'pipe' })
  const exited = once(child, 'exit')
  const stderr = text(child.stderr)
  const closed = once(child.stdout, 'close')
  child.stdout.destroy()
  await closed
  child.stdin.end('go\n')
  return { code: (await exited)[0], stderr: await stderr }
}

async function ontoFullDisk(args: readonly string[]): Promise<Ended> {
  const full = openSync('/dev/full', 'w')
  const child = spawn(process.execPath, [await publishedCommand(), ...args], {
    env: bareEnvironment(),
    stdio: ['ignore', full, 'pipe'],
  })
  closeSync(full)
  const exited = once(child, 'exit')
  const stderr = child.stderr === null ? '' : await text(child.stderr)
  return { code: (await exited)[0], stderr }
}

test.each([
  ['install', ['install', 'cursor'], 0],
  ['help', ['help'], 0],
  ['call', ['call', 'find_error_issues', '{}', ...data], 0],
  // Its 1 and 2 are verdicts, which nobody got.
  ['gate', ['gate', ...data], 3],
])('%s ends quietly when nobody reads its output', async (_, args, code) => {
  expect(await unread(args)).toEqual({ code, stderr: '' })
})

test.runIf(existsSync('/dev/full')).each([
  ['install', ['install', 'cursor'], 1],
  ['gate', ['gate', ...data], 3],
])('%s says in one line that its output cannot be written', async (_, args, code) => {
  expect(await ontoFullDisk(args)).toEqual({
    code,
    stderr: 'tracegate: the output cannot be written: the disk is full\n',
  })
})
