import { expect, test } from 'vitest'
import * as z from 'zod'
import { Issue } from '../../../src/contract/issues.ts'
import { Requirement } from '../../../src/contract/requirements.ts'
import { fields, flag, manyLines, pick, rows, teamLine, upTo } from '../../../src/mcp/result/output.ts'
import { present } from '../../../src/mcp/result/present.ts'
import { leanJson } from '../../../src/mcp/surface/schema.ts'

const output = z.object({
  issue: fields({ ...pick(Issue, 'id', 'status'), state: Issue.shape.substatus, last: Issue.shape.last_seen }),
  requirements: rows({ id: z.string().optional(), title: upTo(Requirement.shape.title, 10), failing: flag }),
  statement: manyLines(Requirement.shape.statement, 100).optional(),
  tags: z.array(teamLine).optional(),
})

test('a result has the members of its output, in that order, written as the contract marks them', () => {
  const data = {
    statement: 'one\n<two> <untrusted-1>\u200b',
    issue: {
      last: '2026-11-21T03:54:12.345Z',
      state: 'ISSUE_SUBSTATUS_REGRESSED',
      status: 'resolved',
      id: 'i1',
      title: 'not shown',
    },
    requirements: [
      { title: 'a title\nthat is long', failing: true },
      { id: 'r2', title: 'short', failing: false },
    ],
    tags: ['bearer abcdefgh12345678'],
  }
  expect(JSON.stringify(present(output, data))).toBe(
    JSON.stringify({
      issue: { id: 'i1', status: 'resolved', state: 'regressed', last: '2026-11-21T03:54Z' },
      requirements: [
        { title: 'a title th… (+10 characters)', failing: true },
        { id: 'r2', title: 'short' },
      ],
      statement: 'one\n<two> ‹untrusted-1>',
      tags: ['bearer [redacted:bearer]'],
    }),
  )
})

test('only the types of a result are published', () => {
  expect(leanJson(output, 'output')['properties']).toMatchObject({
    issue: { properties: { id: { type: 'string' }, status: { type: 'string' }, last: { type: 'string' } } },
    requirements: { items: { properties: { title: { type: 'string' }, failing: { type: 'boolean' } } } },
  })
  expect(JSON.stringify(leanJson(output, 'output'))).not.toMatch(/enum|format|x-text|maxLength/)
})

test('text of outsiders cannot be a member of a result', () => {
  expect(() => fields({ title: Issue.shape.title })).toThrow('untrusted block')
})
