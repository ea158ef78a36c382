import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { excerpt, steady } from '../../src/dev/readme/excerpt.ts'
import { readmeFile, readmeText } from '../../src/dev/readme/index.ts'

test('the transcripts of README.md are what the calls return', async () => {
  const text = readFileSync(readmeFile, 'utf8')
  const made = await readmeText(text)
  expect(text, 'README.md shows other answers than the calls give: run npm run readme, and read the difference').toBe(
    made,
  )
}, 120_000)

describe('an excerpt', () => {
  const answer = ['one', 'rows:', 'a', 'b', 'Next:', 'call'].join('\n')

  test('shows the parts in their order, and says where lines are left out', () => {
    expect(excerpt(answer, [{ from: /^one/ }, { from: /^rows/, lines: 2 }, { from: /^Next/ }])).toBe(
      'one\nrows:\na\n…\nNext:\n…',
    )
    expect(excerpt(answer, [{ from: /^Next/, lines: 2 }])).toBe('…\nNext:\ncall')
  })

  test('of an answer that no longer has a part fails, so that no document loses its point', () => {
    expect(() => excerpt(answer, [{ from: /^gone/ }])).toThrow('no line from line 1 on matches /^gone/')
    expect(() => excerpt(answer, [{ from: /^Next/ }, { from: /^one/ }])).toThrow('no line from line 6 on')
  })
})

test('what is drawn at random for each call is replaced, and nothing else', () => {
  const answer = (nonce: string) =>
    `id 7f\n<untrusted-${nonce} a="1">\nx\n</untrusted-${nonce}>\nnext_cursor: ${nonce}\nvaries: 1.4 (4, 01a2038e-${nonce.slice(0, 4)})`
  expect(steady(answer('012345678901234'))).toBe(steady(answer('987654321098765')))
  expect(steady(answer('012345678901234'))).toMatch(
    /^id 7f\n<untrusted-\d{15} a="1">\nx\n<.*>\nnext_cursor: …\nvaries: 1\.4 \(4, 01a2038e-[0-9a-f]{4}\)$/,
  )
})
