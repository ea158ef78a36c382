import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareClaim } from '../../../src/lib/frames/claimed-code.ts'

const file = [
  'export function total(items) {',
  '  const sum = add(items)',
  '  return round(sum)',
  '}',
  '',
  'const VAT = 19',
]
const claim = (line: number, text: string, around: string[] = []) => compareClaim(file, { line, text, around })

test.each([
  ['at its line', claim(3, '  return round(sum)'), { is: 'here' }],
  ['at its line, with other spaces', claim(3, '\treturn  round( sum )'), { is: 'here' }],
  ['at another line', claim(9, 'return round(sum)'), { is: 'moved', line: 3 }],
  ['cut by the SDK', claim(2, '{snip} sum = add(it {snip}'), { is: 'here' }],
  ['changed between the same lines', claim(3, 'return sum', [file[1] ?? '', file[0] ?? '']), { is: 'changed' }],
  ['nowhere', claim(3, 'charge(card, amount * 100)', ['if (card) {', 'log(card)']), { is: 'absent' }],
  [
    'nowhere, between lines of which one is there',
    claim(3, 'charge()', ['log(card)', 'x = 1', 'const VAT = 19']),
    { is: 'absent' },
  ],
  ['too short to tell', claim(4, '}'), undefined],
  ['replaced by the sender', claim(3, 'const key = [Filtered]'), undefined],
])('claimed code that is %s', (_, found, expected) => expect(found).toEqual(expected))

test('a line that is in the file is never absent, whatever is claimed around it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ minLength: 4 }), { minLength: 1 }),
      fc.nat(),
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.string()),
      (lines, pick, line, around) => {
        const text = lines[pick % lines.length] ?? ''
        const found = compareClaim(lines, { line, text, around })
        expect(['here', 'moved', undefined]).toContain(found?.is)
      },
    ),
  )
})
