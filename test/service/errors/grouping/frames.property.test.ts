import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readFrame, recallFrame } from '../../../../src/service/errors/grouping/frames.ts'
import { readName } from '../../../../src/service/errors/grouping/paths.ts'
import { frame } from './events.ts'

const name = fc.constantFrom(
  '',
  'a',
  'pay',
  'Cart.pay',
  'async pay',
  'lambda$pay$1',
  'core$fn__15',
  '1\n',
  'x'.repeat(300),
)
const path = fc.constantFrom(
  '',
  'src/pay.ts',
  'app.4f3a2b1c.js',
  'https://shop.example/app.js',
  'native',
  'eval code',
  '417.js',
)
const line = fc.constantFrom('', '}', '  pay()  ', '{snip}', 'pay(); '.repeat(30))
const lines = fc.array(line, { maxLength: 2 })

// Few values of each member: many frames differ in one only.
const frames = fc.record({
  function: name,
  raw_function: name,
  module: fc.constantFrom('', 'shop.pay', 'app.4f3a2b1c', 'shop$$Lambda$1'),
  filename: path,
  abs_path: path,
  context_line: line,
  pre_context: lines,
  post_context: lines,
  in_app: fc.boolean(),
  debug_id: fc.constantFrom('', '9e1f7d2c-0000-4000-8000-000000000001'),
  symbolicated: fc.boolean(),
  lineno: fc.nat(3),
})
const rules = fc.record({
  family: fc.constantFrom('javascript' as const, 'python' as const, 'java' as const, 'csharp' as const),
  release: fc.constantFrom('', 'shop@1 ', 'shop@2 '),
})

test('a remembered reading of a frame is the one that reading it again returns', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(frames, rules), { minLength: 20, maxLength: 40 }), (readings) => {
      for (const [members, given] of readings) {
        const one = frame(members)
        const all = { ...given, readName }
        expect(recallFrame(one, all)).toEqual(readFrame(one, all))
        expect(recallFrame({ ...one, lineno: 99 }, all)).toEqual(readFrame(one, all))
      }
    }),
    { numRuns: 100 },
  )
})
