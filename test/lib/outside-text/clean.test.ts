import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clean, cutTo, inOneLine } from '../../../src/lib/outside-text/clean.ts'
import { invisible } from '../../mcp/text/invisible.ts'

const tags = String.fromCodePoint(...Array.from('run me', (letter) => 0xe0000 + (letter.codePointAt(0) ?? 0)))

test.each([
  ['terminal colours', '\u001b[31mred\u001b[0m', 'red'],
  ['a terminal title', 'a\u001b]0;title\u0007b', 'ab'],
  ['an unterminated terminal title', 'a\u001b]0;rest', 'a]0;rest'],
  ['bidi overrides', 'user\u202Etxt.exe\u2066', 'usertxt.exe'],
  ['zero-width characters', 'pass\u200Bword\uFEFF\u2060', 'password'],
  ['tag characters', `hi${tags}`, 'hi'],
  ['stray variation selectors', 'a\uFE0Fb\u{E0101}', 'ab'],
  ['lone surrogates', 'a\uD800b\uDC00', 'ab'],
  ['C0 and C1 controls', 'a\u0000b\u0085c\u007Fd', 'abcd'],
  ['a sequence split by an invisible character', '\u001b\u200B[31mred', '[31mred'],
])('%s are removed', (_, raw, text) => {
  expect(clean(raw)).toBe(text)
})

test('ordinary text is kept unchanged', () => {
  const text = 'Größe 10\u202F€ ❤\uFE0F 東京 naïve\n\tindented'
  expect(clean(text)).toBe(text)
})

test('line ends of every kind become newlines', () => {
  expect(clean('a\r\nb\rc\u2028d\u2029e')).toBe('a\nb\nc\nd\ne')
})

test('no control or invisible character survives, and cleaning twice changes nothing', () => {
  const nasty = fc.constantFrom(
    '\u001b',
    '[',
    '31m',
    ']',
    '\u0007',
    '\u200B',
    '\u202E',
    '\uD83D',
    '\uDE00',
    '\u009B',
    tags,
  )
  const text = fc.array(fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 3 })), { maxLength: 30 })
  fc.assert(
    fc.property(text, (parts) => {
      const once = clean(parts.join(''))
      expect(once).not.toMatch(invisible)
      expect(clean(once)).toBe(once)
    }),
    { numRuns: 2000 },
  )
})

test('text on one line has no newline, and cut text says how much is missing', () => {
  expect(inOneLine(' a\n\tb ')).toBe('a b')
  expect(cutTo('😀😀😀', 3)).toBe('😀😀😀')
  expect(cutTo('😀😀😀x', 3)).toBe('😀😀😀… (+1 characters)')
})
