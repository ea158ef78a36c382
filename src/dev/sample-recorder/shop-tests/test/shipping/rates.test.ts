import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { money } from '../../../shop/pricing/money.ts'
import { shippingCost } from '../../../shop/shipping/rates.ts'
import { startSandbox, type Sandbox } from './carrier-sandbox.ts'

const parcel = (cents: number) => ({ country: 'AT', weightGrams: 1200, subtotal: money(cents, 'EUR') }) as const

let carrier: Sandbox

beforeAll(async () => {
  carrier = await startSandbox()
})
afterAll(() => carrier.stop())

describe('shipping rates', () => {
  test('[REQ-31] are nothing from 50 on', async () => {
    expect(await shippingCost(carrier.url, parcel(5000))).toEqual({ amount: 0, currency: 'EUR' })
  })

  test('[REQ-31] are what the carrier asks for less', { retry: 2 }, async () => {
    expect(await shippingCost(carrier.url, parcel(4999))).toEqual({ amount: 490, currency: 'EUR' })
  })
})
