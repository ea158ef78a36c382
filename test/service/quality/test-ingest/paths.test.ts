import { expect, test } from 'vitest'
import { startApp, type App } from '../../../app.ts'

const jest = (name: string) => ({
  content: {
    numRuntimeErrorTestSuites: 0,
    testResults: [{ name, status: 'passed', assertionResults: [{ title: 'adds', status: 'passed' }] }],
  },
})

test.each([
  ['a drive in capitals', 'c:\\builds\\shop', 'C:/builds/shop/test/cart.test.js'],
  ['a drive in small letters', 'C:\\builds\\shop', 'c:\\builds\\shop\\test\\cart.test.js'],
  ['an address of a file on a drive', 'C:\\builds\\shop', 'file:///c:/builds/shop/test/cart.test.js'],
  ['a share of Windows', '\\\\server\\builds\\shop', '\\\\server\\builds\\shop\\test\\cart.test.js'],
  ['a path of Linux', '/builds/shop', '/builds/shop/test/cart.test.js'],
])('%s is below the folder of the repository', async (_, root_dir, name) => {
  await using app = await startApp()
  const { body } = await app.request<{ ingest: { cases: { file_path: string }[] } }>(
    'POST',
    `/v1/products/${app.productId}/tests:ingest`,
    { draft: jest(name), options: { root_dir } },
  )
  expect(body.ingest.cases).toMatchObject([{ file_path: 'test/cart.test.js' }])
})

test('a product in a folder of its repository has tests under paths of the repository, whole or relative', async () => {
  await using app = await startApp()
  const { workspaces } = (await app.request<{ workspaces: { id: string }[] }>('GET', '/v1/workspaces')).body
  const { product } = (
    await app.request<{ product: { id: string } }>('POST', `/v1/workspaces/${workspaces[0]!.id}/products`, {
      name: 'Cart',
      repository: { root_path: 'packages/cart' },
    })
  ).body
  const send = async (draft: object) => {
    const path = `/v1/products/${product.id}/tests:ingest`
    const sent = { draft, options: { root_dir: '/builds/shop' } }
    return (await app.request<{ ingest: { cases: { file_path: string }[] } }>('POST', path, sent)).body.ingest.cases
  }
  const file_path = 'packages/cart/test/cart.test.js'
  const action = 'INGEST_ACTION_CREATED'
  expect(await send(jest(`/builds/shop/${file_path}`))).toMatchObject([{ file_path, action }])
  const relative = { files: [{ name: 'jest.json', folder: 'packages/cart', ...jest('test/cart.test.js') }] }
  expect(await send(relative)).toMatchObject([{ file_path, action: 'INGEST_ACTION_UNCHANGED' }])
})

interface Sent {
  ingest: { cases: { key: string; action: string }[] }
}

/** Returns a function that sends the report of one file at a commit. */
function sender(app: App) {
  return async (folder: string, commit_sha: string, run_key: string) => {
    const path = `/v1/products/${app.productId}/tests:ingest`
    const sent = { draft: jest(`${folder}/cart.test.js`), run: { commit_sha, run_key } }
    return (await app.request<Sent>('POST', path, sent)).body.ingest.cases[0]!
  }
}

test('tests with the same name in two files of one commit are two tests, though each file has a report of its own', async () => {
  await using app = await startApp()
  const send = sender(app)
  const unit = await send('test/unit', 'aaaaaaa1', 'unit 1')
  const whole = await send('test/whole', 'aaaaaaa1', 'whole 1')
  expect(whole).toMatchObject({ action: 'INGEST_ACTION_CREATED' })
  expect((await send('test/unit', 'aaaaaaa2', 'unit 2')).key).toBe(unit.key)
  expect((await send('test/whole', 'AAAAAAA2', 'whole 2')).key).toBe(whole.key)
})

test('tests that were taken for one are two from the commit on that has both', async () => {
  await using app = await startApp()
  const send = sender(app)
  const unit = await send('test/unit', 'aaaaaaa1', 'unit 1')
  const whole = await send('test/whole', 'aaaaaaa2', 'whole 2')
  expect(whole).toMatchObject({ key: unit.key, action: 'INGEST_ACTION_RENAMED' })
  const again = await send('test/unit', 'aaaaaaa2', 'unit 2')
  expect(again).toMatchObject({ action: 'INGEST_ACTION_CREATED' })
  for (const commit of ['aaaaaaa3', 'aaaaaaa4']) {
    expect((await send('test/unit', commit, `unit ${commit}`)).key).toBe(again.key)
    expect((await send('test/whole', commit, `whole ${commit}`)).key).toBe(whole.key)
  }
})

test('a test without a file that a module took over is not that of a report which names no module', async () => {
  await using app = await startApp()
  const content = '<testsuite name="shop.AppTest"><testcase name="starts" classname="shop.AppTest"/></testsuite>'
  const send = async (folder: string | undefined, run_key: string) => {
    const files = [{ name: 'TEST-shop.AppTest.xml', content, ...(folder !== undefined && { folder }) }]
    const sent = { draft: { files }, run: { run_key } }
    const path = `/v1/products/${app.productId}/tests:ingest`
    return (await app.request<Sent>('POST', path, sent)).body.ingest.cases[0]!
  }
  const known = await send(undefined, '1')
  expect((await send('orders', '2')).key).toBe(known.key)
  const other = await send('users', '3')
  expect(other).toMatchObject({ action: 'INGEST_ACTION_CREATED' })
  expect(await send(undefined, '4')).toMatchObject({ action: 'INGEST_ACTION_CREATED' })
  expect((await send('orders', '5')).key).toBe(known.key)
  expect((await send('users', '6')).key).toBe(other.key)
})
