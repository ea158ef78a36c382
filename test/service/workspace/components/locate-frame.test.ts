import { expect, test } from 'vitest'
import { createLocator } from '../../../../src/service/workspace/components/locate-frame.ts'
import { startApp, type App } from '../../../app.ts'
import { fixContextOf, giveSources, issuesOf, own, thrown } from '../../agent-context/fix/fix-context.ts'

/** Sends one event with this frame and returns the file of its fix context. */
async function fileOf(app: App, members: Record<string, unknown>) {
  await app.ingest({ exception: thrown({ type: 'Error', frames: [{ ...own('', 'pay', 3), ...members }] }) })
  const { files } = await fixContextOf(app)
  return files.map(({ path, path_source: source, exists_in_snapshot: exists }) => [path, source, exists])
}

const gateway = { module: 'com.acme.pay.Gateway', filename: 'Gateway.java' }

test('a class is the one known file whose path ends with its package', async () => {
  await using app = await startApp()
  await giveSources(app, 'src/main/java/com/acme/pay/Gateway.java', 'src/main/java/com/acme/mail/Gateway.java')
  expect(await fileOf(app, gateway)).toEqual([
    ['src/main/java/com/acme/pay/Gateway.java', 'REPO_PATH_SOURCE_KNOWN_PATH', true],
  ])
})

test('without known paths it is the path of its package, which proves nothing', async () => {
  await using app = await startApp()
  expect(await fileOf(app, gateway)).toEqual([['com/acme/pay/Gateway.java', 'REPO_PATH_SOURCE_FRAME', null]])
})

test('of two known files that fit equally well none is taken', async () => {
  await using app = await startApp()
  await giveSources(app, 'one/com/acme/pay/Gateway.java', 'two/com/acme/pay/Gateway.java')
  expect(await fileOf(app, gateway)).toEqual([['com/acme/pay/Gateway.java', 'REPO_PATH_SOURCE_AMBIGUOUS', false]])
})

test('a path of a Windows machine is compared without case', async () => {
  await using app = await startApp()
  await giveSources(app, 'src/Pay/Gateway.cs')
  const file = await fileOf(app, { filename: 'D:\\a\\Shop\\SRC\\pay\\gateway.cs' })
  expect(file).toEqual([['src/Pay/Gateway.cs', 'REPO_PATH_SOURCE_KNOWN_PATH', true]])
})

test('a file that code references of a requirement name is known as well', async () => {
  await using app = await startApp()
  await app.request('POST', `/v1/products/${app.productId}/requirements`, {
    title: 'Payments are confirmed',
    statement: 'The shop shall confirm a payment.',
    code_refs: [{ path: 'pkg/pay/gateway.go' }],
  })
  const file = await fileOf(app, { filename: '', abs_path: '/home/runner/work/x/x/pkg/pay/gateway.go' })
  expect(file).toEqual([['pkg/pay/gateway.go', 'REPO_PATH_SOURCE_KNOWN_PATH', true]])
})

test('of a name that very many files have none is compared, because the best could be missing', async () => {
  await using app = await startApp()
  const paths = Array.from({ length: 520 }, (_, index) => `packages/p${String(index)}/src/index.py`)
  await giveSources(app, ...paths)
  const file = await fileOf(app, { filename: '/app/p7/src/index.py' })
  expect(file).toEqual([['app/p7/src/index.py', 'REPO_PATH_SOURCE_FRAME', false]])
})

test('a served script is not taken for the source that ends like its address', async () => {
  await using app = await startApp()
  await giveSources(app, 'src/assets/app.js')
  const [file] = await fileOf(app, { filename: 'https://shop.example/assets/app.js' })
  expect(file).toEqual(['assets/app.js', 'REPO_PATH_SOURCE_FRAME', false])
})

test('an event from a build machine belongs to the component whose folder its path contains', async () => {
  await using app = await startApp()
  const components = `/v1/products/${app.productId}/components`
  await app.request('POST', components, { name: 'Pay', path_globs: ['pkg/pay/**'] })
  await app.request('POST', components, { name: 'Java', path_globs: ['server/src/main/java/com/acme/pay/**'] })
  const names = async (members: Record<string, unknown>) => {
    const [file] = await fileOf(app, members)
    const [issue] = await issuesOf(app)
    return [file?.[0], file?.[1], issue?.component?.title]
  }
  expect(await names({ filename: '/home/runner/work/shop/shop/pkg/pay/a.go' })).toEqual([
    'pkg/pay/a.go',
    'REPO_PATH_SOURCE_COMPONENT',
    'Pay',
  ])
  // As modules of Deno and of Node.js are addressed.
  expect(await names({ filename: 'file:///srv/shop/pkg/pay/b.mjs' })).toEqual([
    'pkg/pay/b.mjs',
    'REPO_PATH_SOURCE_COMPONENT',
    'Pay',
  ])
  expect(await names({ ...gateway, function: 'other' })).toEqual([
    'server/src/main/java/com/acme/pay/Gateway.java',
    'REPO_PATH_SOURCE_COMPONENT',
    'Java',
  ])
})

const located = (filename: string, { named = [] as string[], folders = [] as string[], prefixes = [] as string[] }) =>
  createLocator({
    roots: { root_path: '', path_strip_prefixes: prefixes },
    named: () => named,
    folders,
  })({ filename, abs_path: '' })

test('a prefix that the team gave is final', () => {
  const named = ['server/api.go']
  expect(located('/srv/api.go', { named, prefixes: ['/srv'] })).toEqual({
    path: 'api.go',
    source: 'REPO_PATH_SOURCE_PREFIX',
  })
})

test('a relative path stays as it is, though a component begins further along', () => {
  expect(located('packages/web/src/a.ts', { folders: ['src'] }).path).toBe('packages/web/src/a.ts')
})

test('a folder that occurs twice in a path says nothing', () => {
  expect(located('/home/me/src/shop/src/a.go', { folders: ['src'] })).toEqual({
    path: 'home/me/src/shop/src/a.go',
    source: 'REPO_PATH_SOURCE_FRAME',
  })
})
