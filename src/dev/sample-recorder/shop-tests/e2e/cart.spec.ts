import { expect, test } from './shop.ts'

test.describe('cart on the page', () => {
  test('shows an article that was added', async ({ page }) => {
    await page.click('[data-sku=pot-002] button')
    await expect(page.locator('#cart li')).toHaveText('1 × pot-002 One more')
  })

  test('is still there after a reload', { tag: '@REQ-5' }, async ({ page }) => {
    await page.click('[data-sku=pot-002] button')
    await expect(page.locator('#cart li')).toHaveCount(1)
    await page.reload()
    await expect(page.locator('#cart li')).toHaveText('1 × pot-002 One more')
  })
})
