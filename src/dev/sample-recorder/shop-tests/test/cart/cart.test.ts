import { describe, expect, test } from 'vitest'
import { Cart } from '../../../shop/cart/cart.ts'

describe('cart', () => {
  test('[REQ-3] adds up the pieces of an article that is added again', () => {
    const cart = Cart.from([{ sku: 'tea-001', quantity: 2 }])
    cart.add('tea-001', 3)
    expect(cart.lines).toEqual([{ sku: 'tea-001', quantity: 5 }])
  })

  test('[REQ-4] takes 50 pieces of an article', () => {
    const cart = new Cart()
    cart.add('cof-001', 50)
    expect(cart.pieces).toBe(50)
  })

  test('[REQ-4] refuses the 51st piece and keeps the others', () => {
    const cart = Cart.from([{ sku: 'cof-001', quantity: 50 }])
    expect(() => cart.add('cof-001')).toThrow(expect.objectContaining({ name: 'ValidationError', field: 'quantity' }))
    expect(cart.pieces).toBe(50)
  })

  test('removes the line of an article with zero pieces', () => {
    const cart = Cart.from([{ sku: 'tea-001', quantity: 2 }])
    cart.setQuantity('tea-001', 0)
    expect(cart.lines).toEqual([])
  })

  test('refuses half a piece', () => {
    expect(() => new Cart().add('tea-001', 0.5)).toThrow('0.5 is not a number of pieces')
  })
})
