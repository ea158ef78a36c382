import { expect, test } from 'vitest'
import { createLog } from '../src/log.ts'

function written(level: 'info' | 'error', entry: Parameters<ReturnType<typeof createLog>>[0] & object): string {
  let lines = ''
  createLog(level, { write: (line) => void (lines += line) })(entry)
  return lines
}

test('an entry is one JSON line with its facts', () => {
  const line = written('info', { level: 'warn', message: 'slow', durationMs: 7, where: 'GET /v1/issues' } as never)
  expect(line.endsWith('}\n')).toBe(true)
  expect(JSON.parse(line)).toMatchObject({ level: 40, msg: 'slow', durationMs: 7, where: 'GET /v1/issues' })
})

test('entries below the level are not written', () => {
  expect(written('error', { level: 'info', message: 'x' })).toBe('')
})

test.each([
  ['a bearer token', 'sent Bearer abc.def-123 to it', 'abc.def'],
  ['a token of ours', 'token tg_AAAABBBBCCCCDDDDEEEEFFFFGGGGHHHHIIIIJJJJ used', 'AAAABBBB'],
  ['a presigned query', 'PUT /uploads/1?expires=9&signature=deadbeef&max=1', 'deadbeef'],
  ['the key of a DSN', 'http://2f97f67fc936c4610838ff3074749720@127.0.0.1/1', '2f97f67f'],
  ['a key in a query', '/api/1/envelope/?sentry_key=2f97f67f', '2f97f67f'],
  ['an escape sequence', 'x\u001b[31mred', '\\u001b'],
  ['a bidi override', 'x\u202ey', '\u202e'],
])('%s never gets in, neither as message nor as fact', (_, text, hidden) => {
  const line = written('info', { level: 'info', message: text, error: text } as never)
  expect(line).not.toContain(hidden)
  expect(line).toContain(text.slice(0, 1))
})

test('facts of a secret name are left out whole', () => {
  expect(
    written('info', { level: 'info', message: 'm', authorization: 'plain', token: 'plain' } as never),
  ).not.toContain('plain')
})
