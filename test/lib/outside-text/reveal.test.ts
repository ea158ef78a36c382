import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutRevealed, reveal } from '../../../src/lib/outside-text/reveal.ts'
import { invisible } from '../../mcp/text/invisible.ts'

test.each([
  ['joiners of an emoji', '👩\u200d👧 x', String.raw`👩\u200d👧 x`, ['U+200D']],
  ['narrow and hard spaces', '1\u202f234\u00a0€', String.raw`1\u202f234\u00a0€`, ['U+202F', 'U+00A0']],
  ['tag characters', 'hi\u{e0041}', String.raw`hi\u{e0041}`, ['U+E0041']],
  ['bidi overrides', 'user\u202Etxt', String.raw`user\u202etxt`, ['U+202E']],
  ['controls', 'a\0b\rc\u0085', String.raw`a\u0000b\u000dc\u0085`, ['U+0000', 'U+000D', 'U+0085']],
  ['line separators', 'a\u2028b', String.raw`a\u2028b`, ['U+2028']],
  ['a stray selector', 'a\ufe0f', String.raw`a\ufe0f`, ['U+FE0F']],
  ['half of a pair', 'a\ud800b', String.raw`a\ud800b`, ['U+D800']],
  ['a sequence that clears a terminal', '\u001b[2Jx', String.raw`\u001b[2Jx`, ['U+001B']],
  ['a private character', '\ue000', String.raw`\ue000`, ['U+E000']],
])('%s are written as escapes', (_, raw, text, escaped) => {
  expect(reveal(raw)).toEqual({ text, escaped, alike: [], colours: 0 })
})

test.each([
  ['a minus sign', '\u22125,00', ['U+2212']],
  ['a dash inside of a number', 'A4\u20137', ['U+2013']],
  ['digits of another script', '١٢', ['U+0661', 'U+0662']],
  ['curly quotes in code', '{\u201cid\u201d: 1}', ['U+201C']],
  ['a Cyrillic letter in a Latin word', 'p\u0430ypal', ['U+0430']],
  ['the Kelvin sign', '\u212a', ['U+212A']],
  ['an accent that is a character of its own', 'cafe\u0301', ['U+0301']],
  ['the wide space of Japanese', '東京\u3000太郎', ['U+3000']],
  ['a wide comma between digits', '1\uff0c5', ['U+FF0C']],
])('%s is shown as it is and named', (_, raw, alike) => {
  expect(reveal(raw)).toEqual({ text: raw, escaped: [], alike, colours: 0 })
})

test.each([
  'Größe 10 € naïve — “quoted”, isn’t it?\n\tindented',
  '東京の天気、今日は晴れ。「はい」（１）'.replace('１', 'い'),
  'Привет, мир! Ошибка: не найдено',
  'مرحبا بالعالم',
  'สวัสดีชาวโลก नमस्ते दुनिया',
  'I ❤️ it 1️⃣ 🎉 🇫🇷',
  'Việt Nam, Łódź, Ærø, İstanbul',
])('ordinary text is unchanged and nothing is said of it: %s', (text) => {
  expect(reveal(text)).toEqual({ text, escaped: [], alike: [], colours: 0 })
})

test('colours of terminals are left out and counted, and line ends become newlines', () => {
  expect(reveal('\u001b[31mred\u001b[0m\r\nnext')).toEqual({ text: 'red\nnext', escaped: [], alike: [], colours: 2 })
})

test('nothing invisible is shown, each escape is counted, and the rest of the text is as it was', () => {
  const odd = fc.constantFrom(
    '\u200d',
    '\u202e',
    '\u001b',
    '[31m',
    '\u{e0041}',
    '\ud83d',
    '\ude00',
    '\u2028',
    'e\u0301',
    '❤\ufe0f',
  )
  const text = fc.array(fc.oneof(odd, fc.string({ unit: 'binary', maxLength: 3 })), { maxLength: 30 })
  fc.assert(
    fc.property(text, (parts) => {
      const raw = parts.join('').replaceAll('\\', '')
      const { text: shown, escaped } = reveal(raw)
      expect(shown).not.toMatch(invisible)
      const back = shown.replaceAll(
        /\\u(?:\{([\da-f]+)\}|([\da-f]{4}))/g,
        (_, long: string | undefined, short: string) => String.fromCodePoint(Number.parseInt(long ?? short, 16)),
      )
      // Without colours and line ends, which are left out, the escapes lead back to the text.
      // oxlint-disable-next-line no-control-regex -- the colours are these characters
      expect(back).toBe(raw.replaceAll('\r\n', '\n').replaceAll(/(?:\u001b\[|\u009b)[\d;:]*m/g, ''))
      expect(shown.match(/\\u/g) ?? []).toHaveLength(escaped.length)
    }),
    { numRuns: 2000 },
  )
})

test('a cut leaves no piece of an escape, and counts what is missing', () => {
  const { text } = reveal('ab\u200dcd')
  expect(cutRevealed(text, 5)).toBe('ab… (+8 characters)')
  expect(cutRevealed(text, 8)).toBe(String.raw`ab\u200d… (+2 characters)`)
  expect(cutRevealed(text, 10)).toBe(text)
})
