import { describe, expect, test } from 'vitest'
import { PaymentGateway } from '../../../shop/payment/gateway.ts'
import { pay } from '../../../shop/payment/pay.ts'
import { money } from '../../../shop/pricing/money.ts'
import { json, standIn } from '../stand-in.ts'

const payment = { order: 'SO-2600001', amount: money(1290, 'EUR'), method: 'card' }

describe('payment gateway', () => {
  test('reads what the provider charged', async () => {
    const { url } = await standIn((response) => json(response, { id: 'ch_7', state: 'paid' }))
    await expect(pay(new PaymentGateway(url), payment, () => {})).resolves.toEqual({ id: 'ch_7', state: 'paid' })
  })

  test('[REQ-18] takes a maintenance page for a payment that failed', async () => {
    const { url } = await standIn((response) => {
      response.writeHead(503, { 'content-type': 'text/html' })
      response.end('<html><head><title>Maintenance</title></head><body>We will be back soon.</body></html>')
    })
    await expect(pay(new PaymentGateway(url), payment, () => {})).rejects.toMatchObject({ name: 'PaymentError' })
  })
})
