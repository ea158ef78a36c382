import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLocalFiles } from '../../src/mcp/files/local-files.ts'
import { startApp, type App } from '../app.ts'
import { closedMachine } from '../mcp/checks/machine.ts'
import { connect } from '../mcp/clients.ts'

let root: string
let commits: string[]

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tracegate-neighbours-')))
  git('init', '-q')
  commits = [
    commit({
      'src/report.ts':
        "import { list } from './list.ts'\nimport { parse } from './money.ts'\nimport z from 'zod'\nparse('')\n",
      'src/main.ts': "import './report.ts'\nimport './start.ts'\n",
      'src/start.ts': 'export {}\n',
      'src/list.ts': 'export const list = []\n',
      'src/money.ts': 'export const parse = Number\n',
      'src/far.ts': 'export const far = 1\n',
    }),
    commit({ 'src/money.ts': 'export const parse = BigInt\n' }),
    commit({ 'src/far.ts': 'export const far = 2\n' }),
  ]
  // Programs that a repository could have git start.
  for (const name of ['core.fsmonitor', 'gpg.program', 'core.pager', 'diff.external']) {
    git('config', name, `touch ${join(root, 'started')};`)
  }
  git('config', 'log.showSignature', 'true')
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

function git(...args: string[]): string {
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false']
  return execFileSync('git', [...who, ...args], { cwd: root, encoding: 'utf8' }).trim()
}

function commit(files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  git('add', '-A')
  git('commit', '-qm', 'change')
  return git('rev-parse', 'HEAD')
}

/** What get_fix_context says of a crash in the report, which came with a release of the last commit. */
async function fixOf(app: App, folder: string) {
  const frames = [
    { function: 'main', filename: 'src/main.ts', lineno: 2, in_app: true },
    { function: 'run', filename: 'src/report.ts', lineno: 4, in_app: true },
  ]
  await app.ingest({ release: 'b', exception: { values: [{ type: 'E', value: 'x', stacktrace: { frames } }] } })
  await using agent = await connect(app.api, { local: createLocalFiles([folder]), upload: closedMachine.upload })
  const called = await agent.call('get_fix_context', { issue: 'APP-1' })
  return (called.structured as { data: { neighbours?: object[]; git_log?: string } }).data
}

async function release(app: App, version: string, commit_sha: string | undefined) {
  await app.request('POST', `/v1/products/${app.productId}/releases`, {
    version,
    environment: 'production',
    commit_sha,
  })
}

test('files that the crashing file imports and that changed since the last good release are named', async () => {
  await using app = await startApp()
  await release(app, 'a', commits[0])
  await release(app, 'b', commits[2])
  const [from = '', to = ''] = [commits[0]?.slice(0, 12), commits[2]?.slice(0, 12)]
  expect(await fixOf(app, root)).toMatchObject({
    neighbours: [{ file: 'src/money.ts', imported_by: 'src/report.ts:2', changed_in: commits[1]?.slice(0, 7) }],
    git_log: `git log --oneline ${from}..${to} -- src/report.ts src/main.ts src/money.ts`,
  })
  expect(existsSync(join(root, 'started'))).toBe(false)
})

test('without commits, or where git does not know them, only the imports of the file that crashed are named', async () => {
  await using app = await startApp()
  const imported = [
    { file: 'src/list.ts', imported_by: 'src/report.ts:1' },
    { file: 'src/money.ts', imported_by: 'src/report.ts:2' },
  ]
  expect(await fixOf(app, root)).toMatchObject({ neighbours: imported })
  await release(app, 'a', 'f'.repeat(40))
  await release(app, 'b', 'e'.repeat(40))
  expect((await fixOf(app, root)).neighbours).toEqual(imported)
})
