import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../cli/run.ts'

const root = resolve(import.meta.dirname, '../..')
let folder: ReturnType<typeof temporaryFolder>
const at = (...path: string[]) => join(folder.path, ...path)

const lock = (version: string) =>
  JSON.stringify({ packages: { '': {}, 'node_modules/a': { version }, 'node_modules/b': { version, optional: true } } })

const quickNpm = `#!/bin/sh\necho "$@" >> ran\n[ -f fail ] && exit 7\nsleep 0.5\nmkdir -p node_modules\ncp package-lock.json node_modules/.package-lock.json\n`

/** A checkout whose npm is a script: it notes that it ran and installs what the lock file says. */
beforeEach(() => {
  folder = temporaryFolder()
  mkdirSync(at('src/dev'), { recursive: true })
  mkdirSync(at('bin'))
  cpSync(join(root, 'src/dev/bootstrap.mjs'), at('src/dev/bootstrap.mjs'))
  writeFileSync(at('package-lock.json'), lock('1.0.0'))
  writeFileSync(at('bin/npm'), quickNpm)
  chmodSync(at('bin/npm'), 0o755)
})
afterEach(() => folder[Symbol.dispose]())

const env = () => ({ ...process.env, PATH: `${at('bin')}${delimiter}${process.env['PATH'] ?? ''}` })

async function bootstrap(): Promise<{ code: number; stderr: string }> {
  const child = spawn(process.execPath, [at('src/dev/bootstrap.mjs')], {
    env: env(),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number]
  return { code, stderr }
}

/** A start: resolves `waiting` when it says that it waits for another one, and `ended` to its exit code. */
function spawnBootstrap() {
  const child = spawn(process.execPath, [at('src/dev/bootstrap.mjs')], {
    env: env(),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const waiting = new Promise<void>((done) => {
    child.stderr.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes('waiting for it')) done()
    })
  })
  return { waiting, ended: once(child, 'exit').then(([code]) => code as number) }
}

const installs = () => (existsSync(at('ran')) ? readFileSync(at('ran'), 'utf8').trim().split('\n') : [])

test('two first starts at once make one install, with a line that says what takes so long', async () => {
  const both = await Promise.all([bootstrap(), bootstrap()])
  expect(both.map(({ code }) => code)).toEqual([0, 0])
  expect(installs()).toEqual(['ci --loglevel=error --no-audit --no-fund'])
  expect(both.map(({ stderr }) => stderr).join('')).toMatch(/installing packages[^]*packages installed in \d+ s/)
  expect(existsSync(at('.bootstrap.lock'))).toBe(false)
})

test('packages that match the lock file are left alone, optional packages of other platforms included', async () => {
  mkdirSync(at('node_modules'))
  const present = { packages: { 'node_modules/a': { version: '1.0.0' } } }
  writeFileSync(at('node_modules/.package-lock.json'), JSON.stringify(present))
  expect(await bootstrap()).toEqual({ code: 0, stderr: '' })
  expect(installs()).toEqual([])
})

test('a changed lock file is installed again', async () => {
  await bootstrap()
  writeFileSync(at('package-lock.json'), lock('2.0.0'))
  await bootstrap()
  expect(installs()).toHaveLength(2)
})

test('the lock of an install that crashed long ago is taken over', async () => {
  mkdirSync(at('.bootstrap.lock'))
  const old = Date.now() / 1000 - 11 * 60
  utimesSync(at('.bootstrap.lock'), old, old)
  expect((await bootstrap()).code).toBe(0)
  expect(installs()).toHaveLength(1)
})

test('an install that takes long renews its lock, so that no other start takes it over', async () => {
  writeFileSync(at('bin/npm'), `#!/bin/sh\necho $$ >> ran\nread line < hold\n`)
  spawnSync('mkfifo', [at('hold')])
  const { ended } = spawnBootstrap()
  await expect.poll(installs).toHaveLength(1)
  const age = () => Date.now() - statSync(at('.bootstrap.lock')).mtimeMs
  const old = Date.now() / 1000 - 9 * 60
  utimesSync(at('.bootstrap.lock'), old, old)
  await expect.poll(age).toBeLessThan(60_000)
  writeFileSync(at('hold'), '\n')
  expect(await ended).toBe(0)
})

test('an install that is interrupted stops npm and leaves no lock', async () => {
  const child = spawn(process.execPath, [at('src/dev/bootstrap.mjs')], { env: env(), stdio: 'ignore' })
  await expect.poll(installs).toHaveLength(1)
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([130, null])
  expect(existsSync(at('.bootstrap.lock'))).toBe(false)
})

test('starts after an install that was killed wait for its npm, and take its lock over when that has ended', async () => {
  writeFileSync(at('bin/npm'), `#!/bin/sh\necho $$ >> ran\nread line < hold\n`)
  spawnSync('mkfifo', [at('hold')])
  const child = spawn(process.execPath, [at('src/dev/bootstrap.mjs')], { env: env(), stdio: 'ignore' })
  await expect.poll(installs).toHaveLength(1)
  const npm = Number(installs()[0])
  await expect.poll(() => readFileSync(at('.bootstrap.lock'), 'utf8')).toContain(`,${String(npm)}]`)
  child.kill('SIGKILL')
  await once(child, 'exit')
  writeFileSync(at('bin/npm'), quickNpm)
  const next = Array.from({ length: 4 }, () => spawnBootstrap())
  await Promise.all(next.map(({ waiting }) => waiting))
  expect(installs()).toHaveLength(1)
  process.kill(npm)
  expect(await Promise.all(next.map(({ ended }) => ended))).toEqual([0, 0, 0, 0])
  expect(installs()).toHaveLength(2)
  expect(readdirSync(folder.path).filter((name) => name.startsWith('.bootstrap'))).toEqual([])
})

test('the lock of another machine is no lock of a process that has ended here', async () => {
  writeFileSync(at('.bootstrap.lock'), JSON.stringify({ host: 'another', pids: [2 ** 22 + 1] }))
  const { waiting, ended } = spawnBootstrap()
  await waiting
  rmSync(at('.bootstrap.lock'))
  expect(await ended).toBe(0)
})

test('a failed install fails the start and leaves no lock', async () => {
  writeFileSync(at('fail'), '')
  expect((await bootstrap()).code).toBe(7)
  expect(existsSync(at('.bootstrap.lock'))).toBe(false)
})

const guard = join(root, 'src/dev/guard.cjs')

/** Makes the process say it is an older Node. */
function pretending(version: string): string[] {
  const file = at('pretend.cjs')
  const versions = `{ ...process.versions, node: ${JSON.stringify(version)} }`
  writeFileSync(file, `Object.defineProperty(process, 'versions', { value: ${versions} })\n`)
  return ['--require', file]
}

test.each(['20.20.2', '22.0.0', process.versions.node])('the command of a checkout runs under Node %s', (version) => {
  const run = spawnSync(process.execPath, [...pretending(version), guard, 'version'], { encoding: 'utf8' })
  expect(run).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string, stderr: '' })
})

test('the exit code of the pinned Node is the exit code of the command', () => {
  const run = spawnSync(process.execPath, [...pretending('20.20.2'), guard, 'nonsense'], { encoding: 'utf8' })
  expect(run).toMatchObject({ status: 2, stderr: expect.stringContaining('unknown command "nonsense"') as string })
})

test('without the pinned Node an older one gets one sentence', () => {
  cpSync(guard, at('src/dev/guard.cjs'))
  const run = spawnSync(process.execPath, [...pretending('20.20.2'), at('src/dev/guard.cjs')], { encoding: 'utf8' })
  expect(run.status).toBe(1)
  expect(run.stderr).toMatch(/^tracegate: needs Node 24, .*npm ci.*\n$/)
})
