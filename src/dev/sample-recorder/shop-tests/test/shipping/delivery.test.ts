import { describe, expect, test } from 'vitest'
import { deliveryDay } from '../../../shop/shipping/delivery.ts'

describe('delivery day', () => {
  test('of a parcel wished for a Friday is the Tuesday after it', () => {
    expect(deliveryDay('2026-03-06')).toBe('Tuesday, March 10')
  })
})
