import { expect, test } from 'vitest'
import { shopEnvelope } from './shop-events.ts'

test.for([['2.8 KB', 2_800] as const, ['8 KB', 8_000] as const, ['50 KB', 50_000] as const])(
  'an event of %s is within 5 % of that',
  ([size, bytes]) => {
    for (const issue of [0, 70, 7_000]) {
      const event = shopEnvelope(size, issue).toString().split('\n')[2] ?? ''
      expect(Math.abs(event.length / bytes - 1)).toBeLessThan(0.05)
    }
  },
)
