import { expect, test } from 'vitest'
import type { ResponseOf } from '../../../src/contract/index.ts'
import { systemPlatform } from '../../../src/service/shared/platform.ts'
import { insertProduct } from '../../../src/service/workspace/products.ts'
import { startApp, type App } from '../../app.ts'
import { reasonOf, tokenHeaders } from '../people.ts'

type Headers = Record<string, string>

async function products(app: App, headers: Headers = {}): Promise<string[]> {
  const { body } = await app.request<ResponseOf<'listWorkspaces'>>('GET', '/v1/workspaces', undefined, headers)
  const path = `/v1/workspaces/${body.workspaces[0]!.id}/products`
  const reply = await app.request<ResponseOf<'listProducts'>>('GET', path, undefined, headers)
  return reply.body.products.map(({ name, counts }) => `${name} ${String(counts.environments)}`)
}

test('lists of products have what was just stored, by this process or by another one', async () => {
  await using app = await startApp()
  expect(await products(app)).toEqual(['My product 0'])
  expect(await products(app)).toEqual(['My product 0'])
  await app.request('POST', `/v1/products/${app.productId}/environments`, { name: 'qa' })
  expect(await products(app)).toEqual(['My product 1'])
  // A connection of its own, as that of another process.
  await app.db.write(async (rows) => {
    const { id } = await rows.selectFrom('workspace').select('id').executeTakeFirstOrThrow()
    await insertProduct(rows, systemPlatform, id, { name: 'Other' })
  })
  expect(await products(app)).toEqual(['My product 1', 'Other 0'])
})

test('a caller never gets the lists of another', async () => {
  await using app = await startApp()
  await products(app)
  const stranger = await tokenHeaders(app, { stranger: true })
  const list = (headers: Headers) => app.request('GET', '/v1/workspaces', undefined, headers)
  for (let time = 0; time < 2; time += 1) {
    expect((await list({})).body).toMatchObject({ workspaces: [{ product_count: 1 }] })
    expect((await list(stranger)).body).toMatchObject({ workspaces: [] })
  }
  const { id } = await app.db.read.selectFrom('workspace').select('id').executeTakeFirstOrThrow()
  expect((await app.request('GET', `/v1/workspaces/${id}/products`, undefined, stranger)).status).toBe(404)
})

test('a token ends with the commit of another process that revokes it', async () => {
  await using app = await startApp()
  const headers = await tokenHeaders(app)
  const ask = () => app.request('GET', '/v1/auth/me', undefined, headers)
  expect([(await ask()).status, (await ask()).status]).toEqual([200, 200])
  await app.db.write((rows) => rows.updateTable('token').set({ revoked_at: 1 }).where('name', '=', 'test').execute())
  expect(reasonOf(await ask())).toBe('TOKEN_INVALID')
})
