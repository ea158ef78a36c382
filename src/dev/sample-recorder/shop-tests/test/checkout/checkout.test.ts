import { describe, expect, test } from 'vitest'
import { placeOrder } from '../../../shop/checkout/checkout.ts'
import { checkoutWith, customerWith, hamburg, order } from '../orders.ts'
import { json, standIn } from '../stand-in.ts'

const paid = () => standIn((response) => json(response, { id: 'ch_1', state: 'paid' }))

describe('checkout', () => {
  test('gives an order its number and mails it', async () => {
    const checkout = checkoutWith((await paid()).url)
    await expect(placeOrder(customerWith('boo-001'), order(), checkout)).resolves.toMatchObject({
      number: 'SO-2600001',
    })
    expect(checkout.mails.map(({ to }) => to)).toEqual(['ada.adler@example.com'])
  })

  test('[REQ-10] asks for a usable address before it charges', async () => {
    const payments = await paid()
    const placing = placeOrder(
      customerWith('boo-001'),
      order({ address: { ...hamburg, postcode: '4051' } }),
      checkoutWith(payments.url),
    )
    await expect(placing).rejects.toMatchObject({ name: 'ValidationError', field: 'postcode' })
    expect(payments.asked()).toBe(0)
  })

  test('[REQ-11] refuses an empty cart before it charges', async () => {
    const payments = await paid()
    const session = customerWith('tea-001')
    session.cart.setQuantity('tea-001', 0)
    const placing = placeOrder(session, order(), checkoutWith(payments.url))
    await expect(placing).rejects.toMatchObject({ name: 'ValidationError', field: 'cart' })
    expect(payments.asked()).toBe(0)
  })

  test('[REQ-17] asks the bank once when it declines the card', async () => {
    const payments = await standIn((response) =>
      json(response, { id: 'ch_2', state: 'declined', reason: 'insufficient funds' }),
    )
    const checkout = checkoutWith(payments.url)
    const placing = placeOrder(customerWith('tea-001'), order(), checkout)
    await expect(placing).rejects.toMatchObject({ name: 'CheckoutError', status: 402 })
    expect(payments.asked()).toBe(1)
    expect(checkout.mails).toEqual([])
  })
})
