import { describe, expect, test } from 'vitest'
import { Sessions } from '../../../shop/session/session.ts'

const minute = 60_000

describe('session', () => {
  test('[REQ-34] ends 30 minutes after its last request', () => {
    let now = 0
    const sessions = new Sessions(() => now)
    sessions.open('visit-1')
    now += 31 * minute
    expect(() => sessions.get('visit-1')).toThrow(expect.objectContaining({ name: 'SessionExpiredError', status: 401 }))
  })

  test('[REQ-34] stays open as long as requests come', () => {
    let now = 0
    const sessions = new Sessions(() => now)
    sessions.open('visit-1')
    for (let request = 0; request < 3; request++) {
      now += 29 * minute
      expect(sessions.get('visit-1').lastSeen).toBe(now)
    }
  })

  test('gives each visitor a cart of their own', () => {
    const sessions = new Sessions()
    sessions.open('visit-1').cart.add('tea-001')
    expect(sessions.open('visit-2').cart.pieces).toBe(0)
  })
})
