import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startApp } from '../../app.ts'
import { serveHere, temporaryFolder, tracegate } from '../run.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

/** A repository with these files. */
function repository(name: string, files: Record<string, string>): string {
  const root = join(folder.path, name)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

const sources = { 'src/cart/a.ts': '', 'src/pay/b.ts': '', '.git/HEAD': 'ref: refs/heads/main\n' }
const data = (name: string) => ['--data', join(folder.path, 'data', name)]

/** Owners and files of each component, by its name, in the order of the service. */
async function components(name: string) {
  await using app = await startApp({ dataDir: join(folder.path, 'data', name) })
  const rows = await app.db.read.selectFrom('component').selectAll().orderBy('position').execute()
  return rows.map((row) => [row.name, row.path_globs, row.exclude_globs, owners(row.owners)])
}

function owners(text: string): string {
  return (JSON.parse(text) as { ref: string }[]).map(({ ref }) => ref).join(' ')
}

test('components have the owners of CODEOWNERS, and follow it in the next run', async () => {
  const root = repository('owned', { ...sources, '.github/CODEOWNERS': '* @acme/core\n/src/pay/ @acme/pay\n' })
  const first = await tracegate(['init', root, ...data('owned')])
  expect(first).toMatchObject({ code: 0 })
  expect(first.stdout).toContain('  cart: src/cart/**, owned by @acme/core\n  pay: src/pay/**, owned by @acme/pay\n')
  expect((await tracegate(['init', root, ...data('owned')])).stdout).toContain('Nothing was changed.\n')

  writeFileSync(join(root, '.github/CODEOWNERS'), '* @acme/core\n/src/pay/ @ann boss@acme.example\n')
  const dry = await tracegate(['init', root, '--dry-run', ...data('owned')])
  expect(dry.stdout).toContain('would change the component pay: owners @ann boss@acme.example\n')
  const second = await tracegate(['init', root, ...data('owned')])
  expect(second.stdout).toContain(
    'Components: 0 created, 1 changed, 1 there already\n  pay: owners @ann boss@acme.example\n',
  )
  expect(await components('owned')).toEqual([
    ['cart', '["src/cart/**"]', '[]', '@acme/core'],
    ['pay', '["src/pay/**"]', '[]', '@ann boss@acme.example'],
  ])
  const third = await tracegate(['init', root, ...data('owned')])
  expect(third.stdout).toContain('Nothing was changed.\n')
})

test('what somebody changed in a component since stays, whatever CODEOWNERS says', async () => {
  const root = repository('kept', { ...sources, CODEOWNERS: '* @acme/core\n' })
  await tracegate(['init', root, ...data('kept')])
  {
    await using app = await startApp({ dataDir: join(folder.path, 'data', 'kept') })
    const changed = JSON.stringify([{ kind: 'OWNER_KIND_USER', ref: '@zoe' }])
    await app.db.write((rows) =>
      rows.updateTable('component').set({ owners: changed }).where('name', '=', 'pay').execute(),
    )
  }
  writeFileSync(join(root, 'CODEOWNERS'), '* @acme/new\n')
  const second = await tracegate(['init', root, ...data('kept')])
  expect(second.stdout).toContain('Components: 0 created, 1 changed, 1 there already\n  cart: owners @acme/new\n')
  expect((await components('kept')).map(([name, , , owner]) => [name, owner])).toEqual([
    ['cart', '@acme/new'],
    ['pay', '@zoe'],
  ])
})

test('a rule that is gone no longer keeps files from the folder that has them', async () => {
  const rules = '* @acme/core\n/src/cart/legacy/ @ann\n'
  const root = repository('gone', { ...sources, 'src/cart/legacy/old.ts': '', CODEOWNERS: rules })
  await tracegate(['init', root, ...data('gone')])
  writeFileSync(join(root, 'CODEOWNERS'), '* @acme/core\n')
  const second = await tracegate(['init', root, ...data('gone')])
  expect(second.stdout).toContain('  cart: without exceptions\n  src/cart/legacy: no files any more\n')
  expect(await components('gone')).toContainEqual(['cart', '["src/cart/**"]', '[]', '@acme/core'])
  expect((await tracegate(['init', root, ...data('gone')])).stdout).toContain('Nothing was changed.\n')
})

test('two folders of a monorepo are two products with paths from its root', async () => {
  const root = repository('mono', {
    '.git/HEAD': 'ref: refs/heads/trunk\n',
    '.git/config': '[remote "origin"]\n\turl = git@git.example:acme/mono.git\n',
    CODEOWNERS: '/apps/shop/src/cart/ @cart\n',
    'apps/shop/package.json': '{"name":"shop"}',
    'apps/shop/src/cart/a.ts': '',
    'apps/shop/src/web/b.ts': '',
    'apps/admin/package.json': '{"name":"admin"}',
    'apps/admin/src/users/c.ts': '',
    'apps/admin/src/roles/d.ts': '',
  })
  const shop = await tracegate(['init', join(root, 'apps/shop'), ...data('mono')])
  expect(shop.stdout).toContain('Product shop (1), named')
  expect(shop.stdout).toContain('Repository: https://git.example/acme/mono\n')
  expect(shop.stdout).toContain('  cart: apps/shop/src/cart/**, owned by @cart\n  web: apps/shop/src/web/**\n')
  const admin = await tracegate(['init', join(root, 'apps/admin'), ...data('mono')])
  expect(admin.stdout).toContain('Product admin (2), created')
  expect(admin.stdout).toContain('  users: apps/admin/src/users/**\n')
  const again = await tracegate(['init', join(root, 'apps/shop'), ...data('mono')])
  expect(again.stdout).toContain('Product shop (1), in use already')
  expect(again.stdout).toContain('Nothing was changed.\n')
})

test('a repository without a remote is set up, and init says how to name its address', async () => {
  const root = repository('local', sources)
  const first = await tracegate(['init', root, ...data('local')])
  const advice = 'Repository: unknown, because the folder has no remote "origin"; name it with --repository URL\n'
  expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining(advice) as string })
  const second = await tracegate(['init', root, '--repository', 'https://git.example/acme/local', ...data('local')])
  expect(second.stdout).toContain('Repository: https://git.example/acme/local\n')
  expect(second.stdout).not.toContain('Nothing was changed.')
  const third = await tracegate(['init', root, ...data('local')])
  expect(third.stdout).toContain('Repository: https://git.example/acme/local\n')
  expect(third.stdout).toContain('Nothing was changed.\n')
})

test('a hostile CODEOWNERS is used as far as it can be, and its lines are named by numbers alone', async () => {
  const rules = [
    '/src/pay/ @pay',
    '!/src/ @no',
    '/src/\u001b[31mred/ @red',
    '../../etc/ @up',
    '/src/cart/ @\u202Eevil @ok',
  ]
  const filler = Array.from({ length: 20_000 }, (_, index) => `/none/${String(index)}/**/*x*/ @x`)
  const root = repository('hostile', { ...sources, CODEOWNERS: [...filler, ...rules].join('\n') })
  const { code, stdout } = await tracegate(['init', root, ...data('hostile')])
  expect(code).toBe(0)
  expect(stdout).toContain('  cart: src/cart/**, owned by @ok\n  pay: src/pay/**, owned by @pay\n')
  expect(stdout).toMatch(/\nCODEOWNERS: not used: line 1, 2, .* and \d+ more, which no glob can say\n/)
  expect(stdout).not.toMatch(/\p{Cf}|(?!\n)\p{Cc}/u)
})

test('the line for an agent of a deployment leaves the token out of the file of the client', async () => {
  const root = repository('deployed', sources)
  await using served = await serveHere()
  const { rest, token } = served.endpoints
  const env = { TRACEGATE_BASE_URL: rest, TRACEGATE_API_TOKEN: token }
  const { stdout } = await tracegate(['init', root, '--name', 'Deployed', ...data('deployed')], env)
  expect(stdout).not.toContain(token)
  const line = /\S+ (install claude-code .*)\n/.exec(stdout)?.[1]?.split(' ') ?? []
  const home = join(folder.path, 'home')
  expect(await tracegate(line, { ...env, HOME: home })).toMatchObject({ code: 0, stderr: '' })
  const file = readFileSync(join(home, '.claude.json'), 'utf8')
  expect(file).toContain('${TRACEGATE_API_TOKEN:-}')
  expect(file).toContain(rest)
  expect(file).not.toContain(token)
})

test('on a deployment a second run says what differs, and leaves it to a signed-in person', async () => {
  const root = repository('differs', { ...sources, CODEOWNERS: '* @acme/core\n' })
  await using served = await serveHere()
  const env = { TRACEGATE_BASE_URL: served.endpoints.rest, TRACEGATE_API_TOKEN: served.endpoints.token }
  await tracegate(['init', root, '--name', 'Differs'], env)
  rmSync(join(root, 'CODEOWNERS'))
  const { stdout } = await tracegate(['init', root, '--name', 'Differs'], env)
  expect(stdout).toContain('  cart differs from the repository; a signed-in person can change it: owners nobody\n')
  expect(stdout).toContain('Nothing was changed.\n')
})
