import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '../mcp/clients.ts'
import { openShopWithGaps, type GapShop } from '../tools/gap-shop.ts'

let shop: GapShop
beforeAll(async () => {
  shop = await openShopWithGaps()
})
afterAll(() => shop.close())

test.each([
  ['tracegate://product/My%20product/coverage-gaps', 'REQ-1 | An order is confirmed by mail | no_test'],
  ['tracegate://product/1/coverage-gaps', 'hot_files (rank'],
  ['tracegate://requirement/REQ-1', 'criteria (nr | covered | criterion):'],
])('%s is read as its tool shows it', async (uri, words) => {
  await using agent = await connect(shop.api)
  const { contents } = await agent.client.readResource({ uri })
  expect(contents).toMatchObject([{ uri, mimeType: 'text/plain', text: expect.stringContaining(words) as string }])
})

test.each(['tracegate://product/2/coverage-gaps', 'tracegate://requirement/REQ-99'])(
  'nothing is at %s',
  async (uri) => {
    await using agent = await connect(shop.api)
    await expect(agent.client.readResource({ uri })).rejects.toThrow('not found')
  },
)
