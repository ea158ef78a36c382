import { describe, expect, test } from 'vitest'
import { format, money, share, sum } from '../../../shop/pricing/money.ts'

describe('money', () => {
  test('adds up without rounding', () => {
    expect(sum([money(10, 'EUR'), money(20, 'EUR')], 'EUR')).toEqual({ amount: 30, currency: 'EUR' })
  })

  test('rounds a share in favour of the customer', () => {
    expect(share(money(999, 'EUR'), 10).amount).toBe(99)
  })

  test('reads as people write it', () => {
    expect(format(money(1290, 'EUR'))).toBe('€12.90')
  })
})
