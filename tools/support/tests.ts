import * as z from 'zod'
import { Test as TestSchema } from '../../src/contract/tests.ts'
import type { Test } from '../../src/mcp/resolve/types.ts'
import { flag } from '../../src/mcp/result/output.ts'
import { toMinute, withoutPrefix } from '../../src/mcp/result/present.ts'
import { keyOrId, repositoryPath, rowTitle } from './columns.ts'

/** A test as a row: where it is in the repository, and how it ended last. */
export const testColumns = {
  id: z.string(),
  title: rowTitle,
  file: repositoryPath,
  last: z.string(),
  status: TestSchema.shape.status,
  quarantined: flag,
}

/** The row of a test; its status only where it is not active. */
export function testRow(test: Test) {
  const { file_path: file = '', line = 0 } = test.automation_ref ?? {}
  return {
    id: keyOrId(test),
    title: test.title,
    file: line === 0 || file === '' ? file : `${file}:${line}`,
    last: lastResult(test),
    status: test.status === 'TEST_STATUS_ACTIVE' ? undefined : test.status,
    quarantined: test.quarantined,
  }
}

/** `passed 2026-11-21T11:50Z`, or `never run`. */
export function lastResult({ last_result: last }: Test): string {
  if (last === null || last === undefined) return 'never run'
  return [withoutPrefix(last.status, 'RESULT_STATUS_'), toMinute(last.executed_at)].filter(Boolean).join(' ')
}
