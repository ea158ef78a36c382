import { expect, test } from 'vitest'
import { startApp } from '../../../app.ts'

const jest = (name: string) => ({
  content: {
    numRuntimeErrorTestSuites: 0,
    testResults: [{ name, status: 'passed', assertionResults: [{ title: 'adds', status: 'passed' }] }],
  },
})

test.each([
  ['a drive in capitals', 'c:\\work\\shop', 'C:/work/shop/test/cart.test.js'],
  ['a drive in small letters', 'C:\\work\\shop', 'c:\\work\\shop\\test\\cart.test.js'],
  ['an address of a file on a drive', 'C:\\work\\shop', 'file:///c:/work/shop/test/cart.test.js'],
  ['a share of Windows', '\\\\server\\work\\shop', '\\\\server\\work\\shop\\test\\cart.test.js'],
  ['a path of Linux', '/work/shop', '/work/shop/test/cart.test.js'],
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
    const sent = { draft, options: { root_dir: '/work/shop' } }
    return (await app.request<{ ingest: { cases: { file_path: string }[] } }>('POST', path, sent)).body.ingest.cases
  }
  const file_path = 'packages/cart/test/cart.test.js'
  const action = 'INGEST_ACTION_CREATED'
  expect(await send(jest(`/work/shop/${file_path}`))).toMatchObject([{ file_path, action }])
  const relative = { files: [{ name: 'jest.json', folder: 'packages/cart', ...jest('test/cart.test.js') }] }
  expect(await send(relative)).toMatchObject([{ file_path, action: 'INGEST_ACTION_UNCHANGED' }])
})
