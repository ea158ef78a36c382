import type { Page } from '@playwright/test'
import { expect, test } from './shop.ts'

async function buy(page: Page): Promise<void> {
  await page.click('[data-sku=boo-001] button')
  await expect(page.locator('#notice')).toHaveText('The Book of Tea is in your cart')
  for (const [field, value] of Object.entries({
    name: 'Ada Adler',
    street: 'Hafenweg 7',
    postcode: '20457',
    city: 'Hamburg',
  })) {
    await page.fill(`#checkout [name=${field}]`, value)
  }
  await page.click('#checkout button')
}

test.describe('checkout on the page', () => {
  test('thanks with the number of the order', async ({ page }) => {
    await buy(page)
    await expect(page.locator('#notice')).toHaveText('Thank you! Your order is SO-2600001')
  })

  test.describe('with a card that is declined', () => {
    test.use({ payments: { state: 'declined', reason: 'insufficient funds' } })

    test('says that nothing was charged', { tag: '@REQ-14' }, async ({ page }) => {
      await buy(page)
      await expect(page.locator('#notice')).toHaveText('Sorry, that did not work. You have not been charged.')
    })
  })
})
