import { expect, test } from 'vitest'
import { patterns } from '../../../src/lib/outside-text/flag-patterns.ts'
import { commands } from '../../../src/mcp/text/redact/commands.ts'
import { credentials } from '../../../src/mcp/text/redact/credentials.ts'
import { personal } from '../../../src/mcp/text/redact/personal.ts'
import { largestBound, openEnds } from './open-ends.ts'

const rules = [...credentials, ...commands, ...personal]

/** By the example of their rule, the parts that may be followed by something, and why that is linear all the same. */
const exceptions: Readonly<Record<string, readonly string[]>> = {
  // Each repetition begins with a quote, which the part before and after it cannot match.
  'Set-Cookie: «sid=a"b; HttpOnly»': ['[^\\n"]*'],
  'authorization: Digest «username="ann", response="abc"»': ['[^\\n"]*'],
  // The same for strings in quotes, between which stands none.
  "INSERT INTO users (email, password) VALUES («'bob', 'hunter2'»)": ["[^'\\n]*", '[^"\\n]*', `[^'"()\\n]+`],
  // One attempt for each word, because it begins where a word does.
  '«eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.»': ['(?:(?!eyJ)[\\w-])*', '[\\w-]{8,}'],
  'token «eyJhbGciOiJub25l»…': ['(?:(?!eyJ)[\\w-])*', '[\\w-]{4,}'],
  // What follows matches at the end of the line at the latest, so this never fails.
  'Content-Disposition: form-data; name="password"\r\n\r\n«hunter2»\r\n--x--': ['[^\\r\\n]*?'],
}

test('whatever follows an unbounded repetition in a rule of redaction is optional', () => {
  const found = rules.map(({ example, pattern }) => [example, openEnds(pattern)] as const)
  expect(Object.fromEntries(found.filter(([, ends]) => ends.length > 0))).toEqual(exceptions)
})

test('every repetition in a pattern of flags is bounded where something follows', () => {
  const found = patterns.map(({ pattern }) => [pattern.source, openEnds(pattern)] as const)
  expect(found.filter(([, ends]) => ends.length > 0)).toEqual([])
})

test('bounds are small', () => {
  for (const { pattern } of [...rules, ...patterns]) expect(largestBound(pattern)).toBeLessThanOrEqual(2000)
})

test.each([
  ['a+b', ['a+']],
  ['(?:a+)+', ['a+']],
  ['a+(?=b)', ['a+']],
  ['(?:a*|c)$', ['a*']],
  ['(?<=a*)b', ['a*']],
  ['b+?', []],
  ['a+(?:b*|c)d?', []],
  ['a{0,9}b', []],
])('/%s/ can fail behind %j', (source, ends) => {
  expect(openEnds(new RegExp(source))).toEqual(ends)
})
