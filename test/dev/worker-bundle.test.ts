import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const children = '/proc/self/task'

/** In a process of its own, because other tests may be using esbuild in this one. */
const program = `
  import { readFileSync } from 'node:fs'
  import { setImmediate as nextTurn } from 'node:timers/promises'
  import { bundledWorker } from './src/dev/worker-bundle.ts'
  const entry = (path) => bundledWorker(new URL('./src/service/errors/sourcemaps/process/' + path, 'file://' + process.cwd() + '/'))
  const urls = await Promise.all([entry('worker-entry.ts'), entry('paths.ts')])
  const children = () => readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8')
  for (let turn = 0; turn < 10_000 && children() !== ''; turn += 1) await nextTurn()
  console.log(JSON.stringify([urls.map(({ protocol }) => protocol), children()]))
`

test.skipIf(!existsSync(children))('bundling a worker leaves no process behind', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
  expect(JSON.parse(stdout)).toEqual([['data:', 'data:'], ''])
})
