import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inLanes } from '../../src/lib/lanes.ts'

const items = fc.array(fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 3 }), { maxLength: 8 })

test('no two lanes share a key, and each lane has its items in their order', () => {
  fc.assert(
    fc.property(items, (keys) => {
      const lanes = inLanes([...keys.keys()], (item) => keys[item] ?? [])
      expect(lanes.flat().toSorted((one, other) => one - other)).toEqual([...keys.keys()])
      for (const [index, lane] of lanes.entries()) {
        expect(lane).toEqual(lane.toSorted((one, other) => one - other))
        const own = new Set(lane.flatMap((item) => keys[item] ?? []))
        const others = lanes.filter((_, other) => other !== index).flat()
        expect(others.flatMap((item) => keys[item] ?? []).filter((key) => own.has(key))).toEqual([])
      }
    }),
  )
})

test('items that share nothing are lanes of their own', () => {
  expect(inLanes([['a'], [], ['b'], []], (keys) => keys)).toHaveLength(4)
  expect(inLanes([['a'], ['b'], ['a', 'b']], (keys) => keys)).toHaveLength(1)
})
