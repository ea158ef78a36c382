import { describe, expect, test } from 'vitest'
import { placeOrder } from '../../../shop/checkout/checkout.ts'
import { Sessions } from '../../../shop/session/session.ts'
import { checkoutWith, customerWith, order } from '../orders.ts'
import { json, standIn } from '../stand-in.ts'

const paid = () => standIn((response) => json(response, { id: 'ch_1', state: 'paid' }))

describe('confirmation', () => {
  test('goes to the address of the account', async () => {
    const checkout = checkoutWith((await paid()).url)
    await placeOrder(customerWith('tea-003'), order({ guestEmail: '' }), checkout)
    expect(checkout.mails).toMatchObject([{ to: 'ada.adler@example.com', subject: 'Your order SO-2600001' }])
  })

  test('[REQ-12] goes to the address that a guest typed', async () => {
    const checkout = checkoutWith((await paid()).url)
    const guest = new Sessions().open('visit-2')
    guest.cart.add('tea-003')
    await placeOrder(guest, order({ guestEmail: 'guest@example.com' }), checkout)
    expect(checkout.mails).toMatchObject([{ to: 'guest@example.com' }])
  })
})
