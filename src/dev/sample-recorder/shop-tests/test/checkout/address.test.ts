import { describe, expect, test } from 'vitest'
import { checkAddress } from '../../../shop/checkout/address.ts'
import { hamburg } from '../orders.ts'

describe('address', () => {
  test('[REQ-10] is taken when it is complete', () => {
    expect(() => checkAddress(hamburg)).not.toThrow()
  })

  test.each(['name', 'street', 'city'])('[REQ-10] is refused without its %s', (field) => {
    expect(() => checkAddress({ ...hamburg, [field]: ' ' })).toThrow(expect.objectContaining({ field }))
  })

  test('[REQ-10] is refused with the postcode of another country', () => {
    expect(() => checkAddress({ ...hamburg, postcode: '4051' })).toThrow('4051 is not a postcode in DE')
  })
})
