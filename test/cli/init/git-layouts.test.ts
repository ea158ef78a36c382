import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp } from '../../app.ts'
import { temporaryFolder, tracegate } from '../run.ts'

const hasGit = spawnSync('git', ['--version']).status === 0
if (!hasGit) console.warn('skipped: no git on this machine (apt-get install git)')

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())
const at = (...names: string[]) => join(realpathSync(folder.path), ...names)

/** git as on a machine where nobody has configured it. */
function git(cwd: string, ...args: string[]): void {
  const who = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.test', '-c', 'protocol.file.allow=always']
  const env = { PATH: process.env['PATH'], HOME: at(), GIT_CONFIG_NOSYSTEM: '1' }
  execFileSync('git', [...who, ...args], { cwd, env, stdio: 'pipe' })
}

function sources(root: string, files: readonly string[]): void {
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), '')
  }
}

const address = 'https://git.example/acme/mono.git'

beforeAll(() => {
  if (!hasGit) return
  const origin = at('origin')
  sources(origin, ['app/src/cart/a.ts', 'app/src/web/b.ts'])
  git(at(), 'init', '-q', '-b', 'develop', origin)
  git(origin, 'add', '.')
  git(origin, 'commit', '-qm', 'Begin')
  // What the folders are called says nothing of the repository.
  git(at(), 'clone', '-q', origin, 'clone')
  git(at('clone'), 'remote', 'set-url', 'origin', address)
  git(at('clone'), 'worktree', 'add', '-q', '-b', 'feature', at('worktree'))
  git(at(), 'clone', '-q', '--separate-git-dir', at('data.git'), origin, 'separate')
  git(at('separate'), 'remote', 'set-url', 'origin', address)
  git(at(), 'init', '-q', '-b', 'main', 'outer')
  git(at('outer'), 'remote', 'add', 'origin', 'https://git.example/acme/outer.git')
  git(at('outer'), 'submodule', '--quiet', 'add', origin, 'libs/mono')
  git(at('outer/libs/mono'), 'remote', 'set-url', 'origin', address)
  git(at('outer/libs/mono'), 'worktree', 'add', '-q', '--detach', at('of-submodule'))
  git(at(), 'clone', '-q', '--bare', origin, 'bare.git')
  git(at('bare.git'), 'remote', 'set-url', 'origin', address)
  git(at('bare.git'), 'worktree', 'add', '-q', at('of-bare'), 'develop')
})

test.skipIf(!hasGit).each([
  ['a clone', 'clone'],
  ['a worktree', 'worktree'],
  ['a clone whose data is elsewhere', 'separate'],
  ['a submodule', 'outer/libs/mono'],
  ['a worktree of a submodule', 'of-submodule'],
  ['a worktree of a bare clone', 'of-bare'],
])('in %s, init finds the remote, its default branch and the root of the paths', async (_, name) => {
  const dataDir = at(`data-${name.replaceAll('/', '-')}`)
  const { code, stderr } = await tracegate(['init', at(name, 'app'), '--data', dataDir])
  expect({ code, stderr }).toMatchObject({ code: 0 })
  await using app = await startApp({ dataDir })
  const { workspaces } = await app.api.listWorkspaces({})
  const { products } = await app.api.listProducts({ workspace_id: workspaces[0]?.id ?? '' })
  const { components } = await app.api.listComponents({ product_id: app.productId })
  const repository = { url: 'https://git.example/acme/mono', default_branch: 'develop' }
  expect(products).toMatchObject([{ repository }])
  expect(components.map(({ path_globs: globs }) => globs)).toEqual([['app/src/cart/**'], ['app/src/web/**']])
})
