import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp } from '../../app.ts'
import { reshaped } from '../../upstream/reshaped.ts'
import { againstDeployment } from '../deployment.ts'
import { serveHere, temporaryFolder, tracegate } from '../run.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())
const repository = join(folder.path, 'tea-shop')
const data = (name: string) => ['--data', join(folder.path, name)]

beforeAll(() => {
  const files = {
    'package.json': '{"name":"@acme/tea-shop"}',
    '.git/config': '[remote "origin"]\n\turl = https://ci:secret@git.example/acme/tea-shop.git\n',
    '.git/HEAD': 'ref: refs/heads/main\n',
    'src/main.ts': '',
    'src/cart/cart.ts': '',
    'src/payment/pay.py': '',
    'test/cart.test.ts': '',
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(repository, path)), { recursive: true })
    writeFileSync(join(repository, path), text)
  }
})

interface Listed {
  products: { id: string; name: string; slug: string; key_prefix: string; repository: { url: string } }[]
}

/** Products, components and environments of a data directory, as the API lists them. */
async function contents(dataDir: string) {
  await using app = await startApp({ dataDir })
  const { workspaces } = await app.api.listWorkspaces({})
  const { body } = await app.request<Listed>('GET', `/v1/workspaces/${workspaces[0]?.id ?? ''}/products`)
  const id = body.products.at(-1)?.id ?? ''
  const components = await app.request<{ components: { name: string; path_globs: string[] }[] }>(
    'GET',
    `/v1/products/${id}/components`,
  )
  const environments = await app.request<{ environments: { name: string; kind: string }[] }>(
    'GET',
    `/v1/products/${id}/environments`,
  )
  const audit = await app.db.read.selectFrom('audit').select('id').execute()
  return {
    products: body.products,
    components: components.body.components.map(({ name, path_globs }) => [name, ...path_globs]),
    environments: environments.body.environments.map(({ name }) => name).toSorted(),
    changes: audit.length,
  }
}

test('a dry run shows what would be done and creates no data', async () => {
  const { code, stdout } = await tracegate(['init', repository, '--dry-run', ...data('dry')])
  expect(code).toBe(0)
  expect(stdout).toContain('would name the unnamed product 1: tea-shop\n')
  expect(stdout).toContain('would create the component cart: src/cart/**\n')
  expect(existsSync(join(folder.path, 'dry'))).toBe(false)
})

test('init gives the unnamed product a name, a repository, components and environments; a second run changes nothing', async () => {
  const dataDir = join(folder.path, 'fresh')
  const first = await tracegate(['init', repository, '--key-prefix', 'TEA', ...data('fresh')])
  expect(first).toMatchObject({ code: 0 })
  const after = await contents(dataDir)
  expect(after).toMatchObject({
    products: [
      {
        id: '1',
        name: 'tea-shop',
        slug: 'tea-shop',
        key_prefix: 'TEA',
        repository: { url: 'https://git.example/acme/tea-shop', default_branch: 'main' },
      },
    ],
    components: [
      ['src', 'src/*'],
      ['cart', 'src/cart/**'],
      ['payment', 'src/payment/**'],
    ],
    environments: ['ci', 'development', 'production', 'staging'],
  })
  expect(first.stdout).not.toContain('ci:secret')
  // What is printed is of that product, and runs as it is.
  await using served = await serveHere({ dataDir })
  expect(served.endpoints.product_id).toBe('1')
  const { username, pathname } = new URL(served.endpoints.dsn)
  expect(first.stdout).toMatch(new RegExp(`^ +http://${username}@127\\.0\\.0\\.1:\\d+${pathname}$`, 'm'))
  expect(first.stdout).toContain(
    `install claude-code --data ${dataDir} --toolsets default,setup,requirements,ingest_dev --write\n`,
  )
  await served.kill()

  const second = await tracegate(['init', repository, ...data('fresh')])
  expect(second.stdout).toContain('Product tea-shop (1), in use already')
  expect(await contents(dataDir)).toEqual(after)
})

test('an unnamed product that is in use is named too, and keeps the keys of its issues', async () => {
  const dataDir = join(folder.path, 'used')
  {
    await using app = await startApp({ dataDir })
    await app.ingest({ environment: 'production' })
  }
  await tracegate(['init', repository, ...data('used')])
  const { products } = await contents(dataDir)
  expect(products).toMatchObject([{ id: '1', name: 'tea-shop', key_prefix: 'APP' }])
})

test('beside another product a new one is made, and the printed lines name it', async () => {
  await tracegate(['init', repository, '--name', 'First', ...data('two')])
  const { stdout } = await tracegate(['init', repository, '--name', 'Second shop', ...data('two')])
  expect(stdout).toContain('Product Second shop (2), created')
  expect(stdout).toContain("--product 'Second shop'\n")
  expect((await contents(join(folder.path, 'two'))).products).toHaveLength(2)

  await using served = await serveHere({ dataDir: join(folder.path, 'two'), args: ['--product', 'Second shop'] })
  expect(served.endpoints.product_id).toBe('2')
  expect(served.endpoints.dsn).toMatch(/\/2$/)
  // The DSN of each product is printed.
  expect(served.output()).toMatch(/DSN +http:\S+\/2 {2}\(.*Second shop\)\n +http:\S+\/1 {2}\(First\)\n/)
})

test('serve refuses a product that does not exist, with the names that do and the command that makes it', async () => {
  const args = ['serve', '--port', '0', '--product', 'Nope', ...data('served')]
  expect(await tracegate(args)).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'tracegate: --product: there is no product Nope: choose My product (1); to make it: tracegate init --name Nope\n',
  })
})

test('init sets up a product on a deployment, through its API', async () => {
  await using served = await serveHere()
  const env = { TRACEGATE_BASE_URL: served.endpoints.rest, TRACEGATE_API_TOKEN: served.endpoints.token }
  const first = await tracegate(['init', repository, '--name', 'Elsewhere'], env)
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(first.stdout).toContain('Product Elsewhere (2), created')
  expect(first.stdout).toContain('Components: 3 created')
  expect(first.stdout).not.toContain(served.endpoints.token)
  expect(first.stdout).toMatch(/^ +http:\/\/[0-9a-f]{32}@127\.0\.0\.1:\d+\/2$/m)
  expect(first.stdout).toContain(
    '   The API of a deployment gives no DSN for backends, whose errors can block a release. Whoever runs the deployment makes one:\n' +
      '   in its web interface or, if it is Tracegate, with tracegate admin key add --server on the machine that has its data.\n',
  )
  const again = await tracegate(['init', repository, '--name', 'Elsewhere'], env)
  expect(again.stdout).toContain('Components: 0 created, 3 there already\nEnvironments: all there already\n')
  // What only a signed-in person can change is left, and said.
  const other = await tracegate(['init', repository, '--product', '1'], env)
  expect(other.stdout).toContain(
    'Repository: not set; a signed-in person can set it to https://git.example/acme/tea-shop',
  )
  expect(readFileSync(join(repository, 'package.json'), 'utf8')).toBe('{"name":"@acme/tea-shop"}')
})

test('where a deployment does not state the DSN, init says where it is and leaves a place for it', async () => {
  await using app = await startApp()
  const send = reshaped(app.service.direct, 'without:ingest')
  const args = ['init', repository, '--name', 'Elsewhere']
  const { code, stdout } = await againstDeployment(send, args, { TRACEGATE_API_TOKEN: app.token })
  expect(code).toBe(0)
  expect(stdout).toContain(' not stated by this deployment; its web interface shows it\n')
  expect(stdout).toContain('     export SENTRY_DSN="$DSN" SENTRY_RELEASE=')
})
