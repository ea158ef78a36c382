import * as z from 'zod'
import type { Received } from '../../../src/client/api.ts'
import { Test as TestSchema, type TestResult } from '../../../src/contract/tests.ts'
import type { Test } from '../../../src/mcp/resolve/types.ts'
import { flag } from '../../../src/mcp/result/output.ts'
import { toMinute, withoutPrefix } from '../../../src/mcp/result/present.ts'
import { hasText, quoted } from '../../../src/mcp/text/untrusted.ts'
import { keyOrId, repositoryPath, rowTitle, vouchedName } from '../columns.ts'

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

/** What is shown of what failures say, by detail; message and trace in characters. */
const limits = {
  concise: { message: 400, trace: 1500, earlier: 2 },
  full: { message: 2000, trace: 16_000, earlier: 10 },
} as const

type Result = Received<z.output<typeof TestResult>>

/** Newest first; the number says which failure below belongs to it. */
export function resultRow(result: Result, index: number) {
  return {
    ...result,
    nr: index + 1,
    at: result.executed_at,
    attempts: (result.attempts ?? 1) > 1 ? result.attempts : undefined,
    environment: vouchedName(result.environment, result.environment_known),
    release: vouchedName(result.release, result.release_known),
    commit: result.commit_sha?.slice(0, 12),
    branch: result.git_branch,
  }
}

/** What the newest failure says, and the messages of those before it. */
export function describeFailures(results: readonly Result[], detail: keyof typeof limits) {
  const limit = limits[detail]
  const [latest, ...earlier] = results
    .map(({ message, trace }, index) => ({ nr: index + 1, message, trace }))
    .filter(({ message, trace }) => hasText(message) || hasText(trace))
  if (latest === undefined) return {}
  return {
    latest_failure: {
      result: latest.nr,
      message: quoted`${latest.message}`.cut(limit.message).keepLines(),
      trace: quoted`${latest.trace}`.cut(limit.trace).keepLines(),
    },
    earlier_failures: earlier
      .slice(0, limit.earlier)
      .map(({ nr, message }) => ({ result: nr, message: quoted`${message}`.cut(limit.message) })),
  }
}
