import { expect, test } from 'vitest'
import { redact } from '../../../../src/mcp/text/redact/index.ts'
import { traces } from '../../corpus/strings.ts'
import { logLines, PROGRAMS } from './logs.ts'

/** A false positive: anything is replaced in a text that holds no secret. A home directory in a trace is no false one. */
function falsePositives(texts: readonly string[]): string[] {
  return texts.filter((text) => Object.keys(redact(text).counts).some((kind) => kind !== 'home_directory'))
}

const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`

test('traces of real programs stay as they are', () => {
  const texts = traces.map(({ text }) => text)
  const wrong = falsePositives(texts)
  console.log(
    `redaction: ${String(wrong.length)} of ${String(texts.length)} real traces changed, ${percent(wrong.length, texts.length)}`,
  )
  expect(wrong.length / texts.length).toBeLessThan(0.01)
})

test('lines that ordinary programs log stay as they are', () => {
  const lines = logLines(2000)
  const wrong = falsePositives(lines)
  console.log(
    `redaction: ${String(wrong.length)} of ${String(lines.length)} log lines of ${String(PROGRAMS)} kinds of programs changed, ` +
      percent(wrong.length, lines.length),
  )
  expect(wrong.slice(0, 20)).toEqual([])
  expect(lines.length).toBeGreaterThanOrEqual(1000)
})
