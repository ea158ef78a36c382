import { describe, expect, test } from 'vitest'
import { quote } from '../../../shop/pricing/quote.ts'
import { catalogue } from '../orders.ts'

const twoTeas = { lines: [{ sku: 'tea-001', quantity: 2 }], currency: 'EUR', country: 'DE' } as const

describe('quote', () => {
  test('[REQ-6] takes the discount off the subtotal', () => {
    const { subtotal, total } = quote(catalogue, { ...twoTeas, code: 'WELCOME10' })
    expect([subtotal.amount, total.amount]).toEqual([2580, 2322])
  })

  test('says how much tax is in the total', () => {
    expect(quote(catalogue, twoTeas).tax).toEqual({ amount: 169, currency: 'EUR' })
  })

  test('makes ten pieces of an article 5 % cheaper', () => {
    const { total } = quote(catalogue, { ...twoTeas, lines: [{ sku: 'tea-001', quantity: 10 }] })
    expect(total.amount).toBe(12_255)
  })
})
