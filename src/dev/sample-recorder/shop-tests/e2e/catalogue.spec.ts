import { expect, test } from './shop.ts'

const prices = { annotation: { type: 'requirement', description: 'REQ-21' } }

test.describe('list of articles', () => {
  test('has prices in euros', prices, async ({ request }) => {
    const response = await request.get('/api/products?category=tea')
    expect((await response.json()).map((article: { price: string }) => article.price)).toContain('€12.90')
  })

  test('leaves out what has no price in francs', prices, async ({ request }) => {
    const response = await request.get('/api/products?category=pottery&currency=CHF')
    expect(response.status()).toBe(200)
    expect((await response.json()).map((article: { sku: string }) => article.sku)).toEqual(['pot-001', 'pot-002'])
  })

  test('finds articles while the visitor types', async ({ page }) => {
    await page.fill('#search input', 'teapot')
    await expect(page.locator('#suggestions li')).toHaveText(['Teapot, cast iron'])
  })
})
