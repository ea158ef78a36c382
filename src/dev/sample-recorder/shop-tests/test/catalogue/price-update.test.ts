import { describe, expect, test } from 'vitest'
import { readPriceList } from '../../../shop/catalogue/price-update.ts'

describe('price list', () => {
  test('[REQ-22] has amounts in cents', () => {
    expect(readPriceList('sku,amount\ntea-001,1290\ncof-001,2190\n')).toEqual([
      { sku: 'tea-001', amount: 1290 },
      { sku: 'cof-001', amount: 2190 },
    ])
  })

  test('[REQ-22] is refused with the line that cannot be read', () => {
    expect(() => readPriceList('sku,amount\ntea-001,1290\ntea-003,12.90\n')).toThrow('line 3: "12.90" is not an amount')
  })
})
