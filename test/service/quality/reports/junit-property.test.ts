import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parsed, word } from './stated.ts'

interface Case {
  file: string
  className: string
  name: string
  status: 'passed' | 'failed' | 'error' | 'skipped'
  message: string
  trace: string
  duration_ms: number
  line: number
  retries: number
  requirement: string
}

// What plainText leaves as it is: no control characters, and no white space at the ends.
const text = fc
  .string({ unit: 'grapheme', maxLength: 40 })
  .map((value) => value.replaceAll(/\p{Cc}|\ufffd/gu, '').trim())
const title = text.map((value) => `t${value}`)

const generated: fc.Arbitrary<Case> = fc.record({
  file: fc.constantFrom('', 'src/a.test.ts', 'src/ü/b test.ts'),
  className: title.map((value) => `class ${value}`),
  name: title,
  status: fc.constantFrom('passed', 'failed', 'error', 'skipped'),
  message: title,
  trace: title,
  duration_ms: fc.nat(10_000_000),
  line: fc.nat(100_000),
  retries: fc.nat(3),
  requirement: title,
})

test('cases written as JUnit XML and read back are the same, however they are escaped and nested', () => {
  const cases = fc.uniqueArray(generated, {
    minLength: 1,
    maxLength: 30,
    selector: (one) => `${one.file} ${one.className} ${one.name}`,
  })
  fc.assert(
    fc.property(cases, fc.boolean(), fc.nat(5), (written, asData, depth) => {
      const body = written.map((one) => render(one, asData)).join('\n')
      const xml = `<?xml version="1.0"?><!-- <testcase> --><testsuites name="generated">${'<testsuite name="s">'.repeat(depth + 1)}${body}${'</testsuite>'.repeat(depth + 1)}</testsuites>\n`
      expect(parsed(xml).cases.map(read)).toEqual(written.map(expected))
    }),
    { numRuns: 300 },
  )
})

function read(one: ReturnType<typeof parsed>['cases'][number]): Case & { attempts: number } {
  return {
    file: one.file_path,
    className: one.suite_path.join(' > '),
    name: one.name,
    status: word(one) as Case['status'],
    message: one.message,
    trace: one.trace,
    duration_ms: one.duration_ms,
    line: one.line,
    retries: 0,
    requirement: one.references.join(),
    attempts: one.attempts,
  }
}

function expected(one: Case): Case & { attempts: number } {
  const isFailed = one.status === 'failed' || one.status === 'error'
  return {
    ...one,
    message: one.status === 'passed' ? '' : one.message,
    trace: isFailed ? one.trace : '',
    attempts: isFailed ? one.retries + 1 : 1,
    retries: 0,
  }
}

function render(one: Case, asData: boolean): string {
  const tag = { passed: '', failed: 'failure', error: 'error', skipped: 'skipped' }[one.status]
  const trace = asData ? `<![CDATA[${one.trace.replaceAll(']]>', ']]]]><![CDATA[>')}]]>` : escaped(one.trace)
  const reruns =
    tag === 'failure' || tag === 'error' ? '<rerunFailure><stackTrace/></rerunFailure>'.repeat(one.retries) : ''
  const outcome = tag === '' ? '' : `<${tag} message="${escaped(one.message)}">${trace}</${tag}>${reruns}`
  const file = one.file === '' ? '' : ` file="${escaped(one.file)}"`
  return `<testcase classname="${escaped(one.className)}"${file} line='${String(one.line)}' time="${String(one.duration_ms / 1000)}" name='${escaped(one.name)}'><properties><property name="requirement" value="${escaped(one.requirement)}"/></properties>${outcome}<system-out>${escaped(one.trace)}</system-out></testcase>`
}

/** Named and numeric references take turns. */
function escaped(value: string): string {
  const named: Record<string, string> = { '<': '&lt;', '&': '&amp;', '"': '&quot;', "'": '&#39;', '>': '&#x3E;' }
  return value.replaceAll(/[<>&"']/gu, (char) => named[char]!)
}
