import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  cut,
  cutAround,
  cutWithEllipsis,
  decodeText,
  onOneLine,
  replaceControls,
  replaceUnstorable,
} from '../../src/lib/text.ts'

test('a cut text never ends in half a surrogate pair', () => {
  expect(cut('a😀b', 4)).toBe('a😀b')
  expect(cut('a😀b', 3)).toBe('a😀')
  expect(cut('a😀b', 2)).toBe('a')
  expect(cutWithEllipsis('a😀b', 3)).toBe('a…')
  expect(cutWithEllipsis('a😀b', 4)).toBe('a😀b')
})

test('what no database can store becomes a replacement character in its place', () => {
  expect(replaceUnstorable('a\0\0b\ud83dc\udf89🎉')).toBe('a\ufffd\ufffdb\ufffdc\ufffd🎉')
  expect(replaceUnstorable('Grüße\n')).toBe('Grüße\n')
})

test('a text on one line has single spaces and none at its ends', () => {
  expect(onOneLine('  one\r\n\ttwo   three ')).toBe('one two three')
})

test('a run of control characters becomes one replacement', () => {
  expect(replaceControls('a\u0000\u0007b\u009bc\n')).toBe('abc')
  expect(replaceControls('a\r\nb', ' ')).toBe('a b')
})

test.each<[string, Buffer, string | undefined]>([
  ['UTF-8', Buffer.from('Grüße'), undefined],
  ['UTF-8 with a byte order mark', Buffer.from('\ufeffGrüße'), undefined],
  ['little-endian UTF-16', Buffer.from('\ufeffGrüße', 'utf16le'), undefined],
  ['big-endian UTF-16', Buffer.from('\ufeffGrüße', 'utf16le').swap16(), undefined],
  ['the declared encoding', Buffer.from('Grüße', 'latin1'), 'iso-8859-1'],
  ['a byte order mark before the declared encoding', Buffer.from('\ufeffGrüße', 'utf16le'), 'iso-8859-1'],
  ['UTF-8 when the declared encoding is unknown', Buffer.from('Grüße'), 'x-none'],
])('text is decoded as %s', (_, bytes, declared) => {
  expect(decodeText(bytes, declared)).toBe('Grüße')
})

test('what is around a place is kept, with an ellipsis where text was cut off', () => {
  expect(cutAround('0123456789', 5, 10)).toBe('0123456789')
  expect(cutAround('0123456789abcdef', 0, 6)).toBe('01234…')
  expect(cutAround('0123456789abcdef', 8, 6)).toBe('…6789…')
  expect(cutAround('0123456789abcdef', 16, 6)).toBe('…bcdef')
})

test('no text becomes longer, and the place is shown', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, unit: 'binary' }),
      fc.nat({ max: 200 }),
      fc.integer({ min: 4, max: 60 }),
      (text, at, max) => {
        const place = Math.min(at, text.length - 1)
        const cut = cutAround(text, place, max)
        expect(cut.length).toBeLessThanOrEqual(Math.max(max, 0))
        expect(cut.isWellFormed() || !text.isWellFormed()).toBe(true)
        expect(!/^[\x20-\x7e]*$/.test(text) || cut.includes(text.charAt(place))).toBe(true)
      },
    ),
  )
})
