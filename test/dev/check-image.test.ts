import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listTools, playDockerfile, type Image } from '../../src/dev/check-image.ts'
import { temporaryFolder } from '../cli/run.ts'
import { eventually, type Endpoints } from '../serve.ts'

const project = resolve(import.meta.dirname, '../..')
const folder = temporaryFolder()
let image: Image
beforeAll(() => {
  // Another user runs what is in there.
  for (const each of [tmpdir(), folder.path]) chmodSync(each, 0o755)
  image = playDockerfile(folder.path, join(project, 'node_modules'))
})
afterAll(() => folder[Symbol.dispose]())

/** The files of the image, but for the directory of the data. */
function files(): string[] {
  const all = readdirSync(image.root, { recursive: true, encoding: 'utf8' })
  return all.filter((name) => !name.startsWith('data/')).toSorted()
}

test('the program of the image lists its tools when nothing is set, and writes nothing', async () => {
  const before = files()
  const child = image.start()
  const ended = once(child, 'exit')
  expect(await listTools(child)).toEqual(expect.arrayContaining(['find_error_issues', 'get_fix_context']))
  expect(await ended).toEqual([0, null])
  expect(files()).toEqual(before)
})

test('it serves with the arguments of compose.yaml, writes in its data directory only, and stops when it is told to', async () => {
  const before = files()
  const [, words = ''] = /command: \[(.*)\]/.exec(readFileSync(join(project, 'deploy/compose.yaml'), 'utf8')) ?? []
  const child = image.start([...words.split(', '), '--port', '0'], { TRACEGATE_ALLOWED_HOSTS: 'localhost' })
  const ended = once(child, 'exit')
  const file = join(image.root, 'data', 'endpoints.json')
  const { rest } = await eventually('endpoints.json', () =>
    Promise.resolve(existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Endpoints) : undefined),
  )
  expect((await fetch(`${rest.replace('0.0.0.0', '127.0.0.1')}/readyz`)).status).toBe(200)
  expect(readdirSync(join(image.root, 'data'))).toEqual(expect.arrayContaining(['token', 'tracegate.db']))
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  expect(files()).toEqual(before)
})

test('the image has the package and nothing of the project', () => {
  expect(readdirSync(join(image.root, 'opt'))).toEqual(['tracegate'])
  expect(readdirSync(image.root).toSorted()).toEqual(['data', 'opt', 'usr', 'work'])
})

test('what .dockerignore lets through is in the repository', () => {
  const names = readFileSync(join(project, '.dockerignore'), 'utf8').match(/(?<=^!).*/gm) ?? []
  const { stdout } = spawnSync('git', ['ls-files', '--', ...names], { cwd: project, encoding: 'utf8' })
  const found = new Set(stdout.split('\n').map((path) => path.split('/')[0]))
  expect(names.filter((name) => !found.has(name))).toEqual([])
})
