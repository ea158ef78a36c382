import { expect, test } from 'vitest'
import { commands } from '../../../../src/mcp/text/redact/commands.ts'
import { credentials } from '../../../../src/mcp/text/redact/credentials.ts'
import { redact } from '../../../../src/mcp/text/redact/index.ts'
import { personal } from '../../../../src/mcp/text/redact/personal.ts'
import { findByRules, label } from '../../../../src/mcp/text/redact/rule.ts'
import { tokens } from '../../../../src/mcp/text/redact/tokens.ts'
import { restOf } from './formats.ts'

const rules = [...credentials, ...commands, ...personal]

test.each(rules)('$kind: of $example the marked part is replaced, and nothing else', (rule) => {
  const [before = '', secret = '', after = ''] = rule.example.split(/[«»]/)
  const spans = findByRules(before + secret + after, [rule])
  expect(spans).toMatchObject([{ start: before.length, end: before.length + secret.length }])
  expect(redact(before + secret + after).text).not.toContain(secret)
})

test.each(rules)('$kind: $counterExample stays', (rule) => {
  expect(findByRules(rule.counterExample, [rule])).toEqual([])
})

test.each(tokens)('$kind: $prefixes with what follows is replaced wholly', ({ prefixes, kind, rest, least }) => {
  for (const prefix of prefixes) {
    const token = prefix + restOf(rest, least)
    expect(redact(`used ${token}, failed`)).toEqual({
      text: `used ${label(kind)}, failed`,
      counts: { [kind]: 1 },
    })
  }
})

test.each(tokens)('$kind: $prefixes stays when nothing or a word follows', ({ prefixes, counterExample }) => {
  for (const prefix of prefixes) {
    const text = `the prefix ${prefix} is known`
    expect(redact(text).text).toBe(text)
  }
  expect(redact(counterExample ?? '').text).toBe(counterExample ?? '')
})

test('no prefix begins with another one, which would never be found', () => {
  const prefixes = tokens.flatMap((token) => token.prefixes)
  const hidden = prefixes.filter((prefix) => prefixes.some((other) => other !== prefix && prefix.startsWith(other)))
  expect(hidden).toEqual([])
  expect(new Set(prefixes).size).toBe(prefixes.length)
})
