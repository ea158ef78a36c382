import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { bareEnvironment, eventually, type Endpoints } from '../serve.ts'
import { mainFile, temporaryFolder } from './run.ts'

test('a server started by npm stops cleanly when only npm is asked to', async () => {
  using folder = temporaryFolder()
  const dataDir = join(folder.path, 'data')
  const start = `node ${JSON.stringify(mainFile)} serve --port 0 --data ${JSON.stringify(dataDir)}`
  writeFileSync(join(folder.path, 'package.json'), JSON.stringify({ name: 'trial', scripts: { start } }))
  const path = `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`
  const npm = spawn('npm', ['start'], {
    cwd: folder.path,
    env: { ...bareEnvironment(), PATH: path },
    stdio: 'ignore',
    // A separate process group, so that a failing test leaves no process behind.
    detached: true,
  })
  const exited = once(npm, 'exit')
  const file = join(dataDir, 'endpoints.json')
  try {
    await eventually('the server', () => Promise.resolve(existsSync(file) || undefined))
    const { rest } = JSON.parse(readFileSync(file, 'utf8')) as Endpoints
    expect((await fetch(`${rest}/healthz`)).status).toBe(200)
    npm.kill('SIGTERM')
    await exited
    // Only a clean end leaves no log of the database behind.
    const left = ['endpoints.json', 'tracegate.db-wal'].map((name) => join(dataDir, name))
    await eventually('its end', () => Promise.resolve(left.some((path) => existsSync(path)) ? undefined : true))
    await expect(fetch(`${rest}/healthz`)).rejects.toThrow('fetch failed')
  } finally {
    killGroup(npm.pid)
  }
}, 60_000)

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // Nobody of it is left.
  }
}
