import { describe, expect, test } from 'vitest'
import { unitPrice } from '../../../shop/pricing/price.ts'
import { catalogue } from '../orders.ts'

describe('catalogue', () => {
  test('reads the list of the buying department', () => {
    expect(catalogue.find('pot-001')).toMatchObject({
      name: 'Teapot, cast iron',
      category: 'pottery',
      weightGrams: 1800,
    })
  })

  test('[REQ-21] has the price of an article in francs', () => {
    expect(unitPrice(catalogue.find('pot-001'), 'CHF')).toEqual({ amount: 7100, currency: 'CHF' })
  })

  test('says which article it does not have', () => {
    expect(() => catalogue.find('tea-099')).toThrow('no article tea-099')
  })
})
