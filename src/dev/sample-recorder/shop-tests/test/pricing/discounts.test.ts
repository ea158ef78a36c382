import { describe, expect, test } from 'vitest'
import { discountPercent } from '../../../shop/pricing/discounts.ts'

describe('discount codes', () => {
  test('[REQ-6] take their percentage off', () => {
    expect(discountPercent('WELCOME10')).toBe(10)
  })

  test('[REQ-6] are refused when nobody knows them', () => {
    expect(() => discountPercent('NOVEMBER')).toThrow('the code NOVEMBER is not known')
  })

  test('[REQ-7] count once when they build on each other', () => {
    expect(discountPercent('SPRING')).toBe(10)
  })

  test('add up when one builds on another', () => {
    expect(discountPercent('FRIENDS')).toBe(15)
  })

  test('may be typed in small letters', () => {
    expect(discountPercent('teatime')).toBe(5)
  })
})
