import * as z from 'zod'
import type { Received } from '../../../src/client/api.ts'
import { Test as TestSchema, type TestResult } from '../../../src/contract/tests.ts'
import type { LocalFiles } from '../../../src/mcp/files/local-files.ts'
import type { Test } from '../../../src/mcp/resolve/types.ts'
import { flag } from '../../../src/mcp/result/output.ts'
import { toMinute, withoutPrefix } from '../../../src/mcp/result/present.ts'
import { hasText, knownName, quoted } from '../../../src/mcp/text/untrusted.ts'
import { keyOrId, repositoryPath, rowTitle } from '../columns.ts'
import { kept } from '../cuts.ts'
import { shortCommit, showNames, usualBranch } from '../test-names.ts'

/** A test as a row: where it is in the repository, and how it ended last. */
export const testColumns = {
  id: z.string(),
  title: rowTitle,
  file: repositoryPath,
  last: z.string(),
  issue: z.string(),
  status: TestSchema.shape.status,
  quarantined: flag,
}

/** A test as a row, with its status only where it is not active, and the names that only reports give it. */
export async function describeTest(test: Test, local: LocalFiles | undefined) {
  const { facts, reported } = await showNames({ ...test.automation_ref, ...test }, local)
  const id = keyOrId(test)
  const row = {
    id,
    ...facts,
    last: lastResult(test),
    issue: issueWords(test),
    status: test.status === 'TEST_STATUS_ACTIVE' ? undefined : test.status,
    quarantined: test.quarantined,
  }
  return { row, reported: reported && { id, ...reported } }
}

/** `passed 2026-11-21T11:50Z`, or `never run`; undefined where the deployment does not say it. */
export function lastResult({ last_result: last, kind }: Test): string | undefined {
  // A suite has no result of its own.
  if (last === null) return kind === undefined ? undefined : 'never run'
  return (
    [withoutPrefix(last?.status, 'RESULT_STATUS_'), toMinute(last?.executed_at)].filter(Boolean).join(' ') || undefined
  )
}

/** The issue that a test reproduces: `SHOP-7`, or `SHOP-7 resolved`. */
export function issueWords({ issue }: Pick<Test, 'issue'>): string | undefined {
  if (issue === null || issue === undefined) return undefined
  const key = keyOrId({ id: issue.id, key: issue.short_id })
  return issue.status === 'resolved' ? `${key} resolved` : key
}

/** What is shown of what failures say, by detail; message and trace in characters. */
const limits = {
  concise: { message: 400, trace: 1500, earlier: 2 },
  full: { message: 2000, trace: 16_000, earlier: 10 },
} as const

type Result = Received<z.output<typeof TestResult>>

/** Newest first; the number says what below belongs to it: a failure, and names that only the report gives. */
export function describeResult(result: Result, index: number) {
  const nr = index + 1
  const { environment, release, commit_sha: commit, git_branch: branch } = result
  const facts = {
    environment: knownName(environment, result.environment_known),
    release: knownName(release, result.release_known),
    commit: shortCommit(commit),
    branch: usualBranch(branch),
  }
  const given = { environment, release, commit, branch }
  const reported = Object.entries(given).flatMap(([name, text]) =>
    hasText(text) && facts[name as keyof typeof facts] === undefined ? [[name, quoted`${text}`.cut(120)] as const] : [],
  )
  const attempts = (result.attempts ?? 1) > 1 ? result.attempts : undefined
  return {
    row: { ...result, ...facts, nr, at: result.executed_at, attempts },
    reported: reported.length === 0 ? undefined : { nr, ...Object.fromEntries(reported) },
  }
}

/** What the newest failure says, and the messages of those before it, with how many of these are shown. */
export function describeFailures(results: readonly Result[], detail: keyof typeof limits) {
  const limit = limits[detail]
  const [latest, ...earlier] = results
    .map(({ message, trace }, index) => ({ nr: index + 1, message, trace }))
    .filter(({ message, trace }) => hasText(message) || hasText(trace))
  if (latest === undefined) return { told: {}, earlier: kept([], 0) }
  const told = {
    latest_failure: {
      result: latest.nr,
      message: quoted`${latest.message}`.cut(limit.message).keepLines(),
      trace: quoted`${latest.trace}`.cut(limit.trace).keepLines(),
    },
    earlier_failures: earlier
      .slice(0, limit.earlier)
      .map(({ nr, message }) => ({ result: nr, message: quoted`${message}`.cut(limit.message) })),
  }
  return { told, earlier: kept(earlier, limit.earlier) }
}
