import { describe, expect, test } from 'vitest'
import { Cart } from '../../../shop/cart/cart.ts'
import { CartStorage, type KeyValueStore } from '../../../shop/cart/cart-storage.ts'

/** As a browser keeps texts, without its limit. */
function store(): KeyValueStore {
  const texts = new Map<string, string>()
  return { getItem: (key) => texts.get(key) ?? null, setItem: (key, value) => texts.set(key, value) }
}

describe('cart storage', () => {
  test('[REQ-5] gives back the cart that it saved', () => {
    const kept = store()
    new CartStorage(kept).save(Cart.from([{ sku: 'pot-002', quantity: 1 }]))
    expect(new CartStorage(kept).load().lines).toEqual([{ sku: 'pot-002', quantity: 1 }])
  })

  test('begins with an empty cart', () => {
    expect(new CartStorage(store()).load().pieces).toBe(0)
  })
})
