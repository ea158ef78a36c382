import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApi } from '../../src/client/client.ts'
import { origin, startApp, type App } from '../app.ts'
import { lossless } from './reshapings/lossless.ts'
import { baseAddress, reshaped } from './reshaped.ts'
import { watched } from './watched.ts'

let app: App
beforeAll(async () => {
  app = await startApp()
  for (const title of ['One', 'Two', 'Three', 'Four', 'Five', 'Six']) {
    await app.api.createRequirement({ product_id: app.productId, title })
  }
})
afterAll(() => app.close())

async function listed(...names: string[]) {
  const seen = watched(reshaped(app.service.direct, ...names))
  const api = createApi({ send: seen, baseUrl: baseAddress(origin, names), token: app.token })
  const { requirements } = await api.listRequirements({ product_id: app.productId, page_size: 6 })
  return { titles: requirements.map(({ title }) => title), seen }
}

test('an unknown reshaping is refused, with the names that there are', () => {
  expect(() => reshaped(app.service.direct, 'upsideDown')).toThrow(/no reshaping upsideDown; there are .*camelCase/)
})

test('reshapings are applied in the order of their tables', async () => {
  const { seen } = await listed('inData', 'camelCase', 'int64', 'items')
  expect(JSON.parse(seen.log[0]?.answer ?? '')).toHaveProperty('data.items[0].coverage.linkedTestCount', '0')
})

test('requests are logged as the client sent them', async () => {
  const { seen } = await listed('pathPrefix')
  expect(seen.log).toMatchObject([
    { method: 'GET', path: '/quality/api/v1/products/1/requirements', query: 'pagination.page_size=6', status: 200 },
  ])
})

test('a deployment with small pages gives the rest with the token', async () => {
  const { titles, seen } = await listed('smallPages')
  expect(titles).toHaveLength(6)
  expect(seen.log).toHaveLength(2)
  expect(JSON.parse(seen.log[0]?.answer ?? '')).toMatchObject({ pagination: { total_size: 6, page_size: 5 } })
})

test('a missing endpoint is never asked of the service', async () => {
  await expect(listed('notBuilt:listRequirements')).rejects.toMatchObject({ code: 'unimplemented' })
})

test('every reshaping says what such a deployment does', () => {
  for (const { sentence } of Object.values(lossless)) expect(sentence).toMatch(/^\w.*[^.]$/)
})
