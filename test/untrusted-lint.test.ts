import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Untrusted } from '../src/contract/base/text.ts'

const root = resolve(import.meta.dirname, '..')
const plot = mkdtempSync(join(tmpdir(), 'tracegate-untrusted-'))
const lines = new Map<string, string[]>()

/** What prints outsiders' text without the renderer, and which check has to see it. */
const forbidden = {
  template: ['`boom ${event.title}`', 'restrict-template-expressions'],
  'template of a member that may be absent': ["`boom ${event.message ?? ''}`", 'restrict-template-expressions'],
  'template of a list': ['`${[event.title]}`', 'restrict-template-expressions'],
  'template of data': ['`${event.data}`', 'restrict-template-expressions'],
  sum: ["'boom ' + event.title", 'restrict-plus-operands'],
  'String()': ['String(event.title)', 'no-base-to-string'],
  'toString()': ['event.title.toString()', 'no-base-to-string'],
  'toLocaleString()': ['event.title.toLocaleString()', 'no-base-to-string'],
  'join()': ["[event.title].join(', ')", 'no-base-to-string'],
  'opening it': ['Untrusted.open(event.title)', 'no-restricted-properties'],
  'where a string is due': ['say(event.title)', 'TS2345'],
  'as an answer': ['((): string => event.title)()', 'TS2322'],
  'concat()': ["'boom '.concat(event.title)", 'TS2345'],
} as const

const allowed = {
  quoting: 'quoted`boom ${event.title}`',
  'a trusted member': '`boom ${event.id}`',
} as const

const planted = (expression: string) => `import { Untrusted } from '../src/contract/base/text.ts'
import { quoted } from '../src/mcp/text/untrusted.ts'
interface Told {
  id: string
  title: Untrusted<string>
  message?: Untrusted<string>
  data: Untrusted<Record<string, unknown>>
}
const say = (text: string) => text
export const planted = (event: Told) => ${expression}
export const used = [say, quoted, Untrusted]
`

beforeAll(() => {
  for (const file of ['.oxlintrc.json', 'package.json', 'src/contract', 'src/mcp', 'src/errors.ts']) {
    cpSync(join(root, file), join(plot, file), { recursive: true })
  }
  const config = { extends: join(root, 'tsconfig.json'), include: ['tools'] }
  writeFileSync(join(plot, 'tsconfig.json'), JSON.stringify(config))
  symlinkSync(join(root, 'node_modules'), join(plot, 'node_modules'))
  mkdirSync(join(plot, 'tools'))
  const expressions = [...Object.values(forbidden).map(([expression]) => expression), ...Object.values(allowed)]
  for (const [index, expression] of expressions.entries()) {
    writeFileSync(join(plot, `tools/planted-${String(index)}.ts`), planted(expression))
    lines.set(expression, [])
  }
  const lint = check('oxlint', ['--type-aware', '--format=unix', 'tools'])
  const types = check('tsc', ['-p', '.', '--pretty', 'false'])
  for (const line of `${lint}\n${types}`.split('\n')) {
    const index = Number(/planted-(\d+)\.ts/.exec(line)?.[1] ?? -1)
    lines.get(expressions[index] ?? '')?.push(line)
  }
})
afterAll(() => rmSync(plot, { recursive: true, force: true }))

function check(command: string, args: string[]): string {
  const run = spawnSync(join(root, 'node_modules/.bin', command), args, { cwd: plot, encoding: 'utf8' })
  return run.stdout
}

test.each(Object.entries(forbidden))('the checks are red for untrusted text in: %s', (_, [expression, rule]) => {
  expect(lines.get(expression)?.join('\n')).toContain(rule)
})

test.each(Object.entries(allowed))('the checks let pass: %s', (_, expression) => {
  expect(lines.get(expression)).toEqual([])
})

const text = new Untrusted('boom')
test.each([
  ['a template', () => `${text as unknown as string}`],
  ['a sum', () => 'x' + (text as unknown as string)],
  ['String()', () => String(text as unknown as string)],
  ['join()', () => [text as unknown as string].join()],
  ['JSON', () => JSON.stringify({ list: [text] })],
])('what slips past the checks throws at run time: %s', (_, print) => {
  expect(print).toThrow('untrusted text has to pass the renderer')
})

test('an inspected value shows nothing of the text', () => {
  expect(inspect(text)).toBe('Untrusted {}')
  expect(Object.entries(text)).toEqual([])
})
