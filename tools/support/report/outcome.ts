import * as z from 'zod'
import type { ReceivedResult } from '../../../src/client/api.ts'
import { ResultStatus } from '../../../src/contract/base/common.ts'
import type { ResultOf } from '../../../src/contract/index.ts'
import type { LocalFiles } from '../../../src/mcp/files/local-files.ts'
import { counts, fields, flag, rows, teamLine, upTo } from '../../../src/mcp/result/output.ts'
import { hasText, quoted, textMatching } from '../../../src/mcp/text/untrusted.ts'
import { type Kept, kept } from '../cuts.ts'
import { coverageState, listed, repositoryPath, rowTitle } from '../columns.ts'
import { hasFacts, isOutsideError, showNames } from '../test-names.ts'
import type { KnownCases } from '../quality/coverage-change.ts'
import { issueWords } from '../quality/tests.ts'

export type Ingest = ReceivedResult<ResultOf<'ingestTests'>>['ingest']
/** Rows of each list in the answer. */
export const ROWS = 30

const transition = z.string()

/** The output of `ingest_test_report`. */
export const reportOutcome = z.object({
  dry_run: flag.optional(),
  totals: fields(counts('tests', 'passed', 'failed', 'errors', 'flaky', 'blocked', 'skipped')),
  results: fields(counts('recorded', 'known_already')).optional(),
  coverage: fields({ verified: transition, not_run: transition, no_test: transition }).optional(),
  requirements: rows({ id: z.string(), was: z.string(), ...coverageState, title: rowTitle }).optional(),
  failing_tests: rows({
    id: z.string().optional(),
    nr: z.int(),
    status: ResultStatus,
    name: rowTitle,
    file: repositoryPath,
    requirements: z.string(),
    issue: z.string(),
  }).optional(),
  unresolved_references: rows({ reference: upTo(teamLine, 60), test: z.string() }).optional(),
  tests: fields(
    counts('created', 'renamed', 'updated', 'links_made', 'links_proposed', 'without_requirement'),
  ).optional(),
  renamed_tests: rows({ id: z.string().optional(), nr: z.int(), name: rowTitle, file: repositoryPath }).optional(),
  warnings: rows({ code: z.string(), message: teamLine, line: z.int() }).optional(),
  secrets_in_report: z.string().optional(),
  gate: z.string().optional(),
})

/** A preview's cases without the keys of new ones: another call may get them. */
export function withoutNewKeys(ingest: Ingest): Ingest {
  const cases = ingest.cases?.map((one) => (one.action === 'INGEST_ACTION_CREATED' ? { ...one, key: '' } : one))
  return { ...ingest, cases }
}

/** How many cases ended in which way: as the summary states it, else counted from the cases, else undefined. */
export function countResults({ summary, cases }: Ingest) {
  const listed = countCases(cases)
  const stated = (name: keyof CaseCounts) => summary?.[name] ?? listed?.[name]
  const [passed, failed, skipped, blocked] = [stated('passed'), stated('failed'), stated('skipped'), stated('blocked')]
  const [errors, flaky] = [stated('errors'), stated('flaky')]
  const known = [passed, failed, errors, flaky, skipped].filter((count) => count !== undefined)
  return {
    tests: known.length === 0 && cases === undefined ? undefined : Math.max(sum(known), cases?.length ?? 0),
    passed,
    failed,
    errors: errors || undefined,
    flaky: flaky || undefined,
    blocked: blocked || undefined,
    skipped: skipped === undefined ? undefined : Math.max(0, skipped - (blocked ?? 0)) || undefined,
  }
}

type CaseCounts = Record<'passed' | 'failed' | 'errors' | 'flaky' | 'skipped' | 'blocked', number>

/** The statuses of listed cases, counted as the summary does; undefined where one has none that is known. */
function countCases(cases: Ingest['cases']): CaseCounts | undefined {
  const statuses = cases?.map(({ status }) => ResultStatus.safeParse(status).data)
  if (statuses === undefined || statuses.includes(undefined)) return undefined
  const count = (...names: z.output<typeof ResultStatus>[]) =>
    statuses.filter((one) => one && names.includes(one)).length
  return {
    passed: count('RESULT_STATUS_PASSED'),
    failed: count('RESULT_STATUS_FAILED'),
    errors: count('RESULT_STATUS_ERROR'),
    flaky: count('RESULT_STATUS_FLAKY'),
    skipped: count('RESULT_STATUS_SKIPPED', 'RESULT_STATUS_BLOCKED'),
    blocked: count('RESULT_STATUS_BLOCKED'),
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** The cases that report what failed outside of the other cases (contract §4.3). */
export function outsideErrors({ cases = [] }: Ingest): Case[] {
  return cases.filter(({ name, status }) => isFailed(status) && isOutsideError(name))
}

/** Whether the case with this key failed in the report. */
export function isFailing({ cases = [] }: Ingest, test: string): boolean {
  return cases.some(({ key, status }) => key === test && isFailed(status))
}

function isFailed(status: Case['status']): boolean {
  return status === 'RESULT_STATUS_FAILED' || status === 'RESULT_STATUS_ERROR'
}

/** Requirements by state, before and after: `3 -> 4`; of those that are `not_run` now, how many fail or are in doubt. */
export function describeEffect(ingest: Ingest) {
  const { before, after } = ingest.coverage_effect ?? {}
  const step = (state: 'verified' | 'not_run' | 'no_test') => {
    const [from, to] = [before?.[state], after?.[state]]
    return from === undefined || to === undefined ? undefined : `${from} -> ${to}`
  }
  const notRun = step('not_run')
  return {
    verified: step('verified'),
    not_run: notRun && `${notRun}${notRunNow(ingest)}`,
    no_test: step('no_test'),
  }
}

/** ` (4 failing, 1 suspect)`; empty where no requirement is, or where the service does not say it. */
export function notRunNow({ coverage_effect: effect }: Ingest): string {
  const { failing = 0, suspect = 0 } = effect?.after ?? {}
  const words = [failing > 0 && `${failing} failing`, suspect > 0 && `${suspect} suspect`].filter(
    (one) => one !== false,
  )
  return words.length === 0 ? '' : ` (${words.join(', ')})`
}

/** The cases that failed, with the requirements they are linked to and the issue that they reproduce; one without a key has a number. */
export function failingTests({ cases = [] }: Ingest, { links, issues }: KnownCases, local: LocalFiles | undefined) {
  const failed = cases.filter(({ status }) => isFailed(status))
  return describeCases(failed, local, ({ key = '', status }) => ({
    status,
    requirements: listed(links.get(key) ?? []),
    issue: issueWords({ issue: issues.get(key) }),
  }))
}

type Case = NonNullable<Ingest['cases']>[number]
type CaseFacts = Pick<Case, 'status'> & { requirements: string | undefined; issue: string | undefined }

/** Cases as rows, and for the untrusted block the names that only the report gives. */
function describeCases(
  cases: readonly Case[],
  local: LocalFiles | undefined,
  describe: (one: Case) => CaseFacts | undefined,
) {
  return Promise.all(
    cases.slice(0, ROWS).map(async (one, index) => {
      const { name: title, file_path, names_known } = one
      const { facts, reported } = await showNames({ title, file_path, names_known }, local)
      const which = one.key ? { id: one.key } : { nr: index + 1 }
      const about = describe(one)
      const row = { ...which, ...about, name: facts.title, file: facts.file }
      return {
        row: about !== undefined || hasFacts(facts) ? row : undefined,
        reported: reported && { ...which, name: reported.title, file: reported.file },
      }
    }),
  )
}

/** Keys in the report that no requirement has, with the key of the test that names each. */
export function unresolvedReferences({ unresolved_refs: references = [], cases = [] }: Ingest) {
  const keys = new Map(cases.map(({ test_id: id, key }) => [id, key]))
  return references.slice(0, ROWS).map(({ ref, test_id: id }) => {
    const reference = textMatching(ref, /^[A-Z]{2,10}-\??\d{1,9}(?:\.\d{1,3})?$/i)
    const test = keys.get(id ?? '') || undefined
    const reported = reference === undefined && hasText(ref) ? { reference: quoted`${ref}`.cut(60), test } : undefined
    return { row: reference === undefined ? undefined : { reference, test }, reported }
  })
}

/** How many of each list are shown; the failing ones are counted by the service, which lists 500 cases at most. */
export function shownCounts(ingest: Ingest): Record<string, Kept> {
  const { unresolved_refs: references = [], warnings = [], cases = [] } = ingest
  const { failed: failures = 0, errors = 0 } = countResults(ingest)
  const failed = failures + errors
  const renamed = cases.filter(({ action }) => action === 'INGEST_ACTION_RENAMED')
  return {
    failing_tests: { shown: Math.min(ROWS, failed), total: failed },
    unresolved_references: kept(references, ROWS),
    renamed_tests: kept(renamed, ROWS),
    warnings: kept(warnings, ROWS),
  }
}

/** How many tests and links the report made or changed, and how many tests prove nothing because they have no link. */
export function countChanges({ summary }: Ingest, { links }: KnownCases) {
  return {
    created: summary?.cases_created || undefined,
    renamed: summary?.cases_renamed || undefined,
    updated: summary?.cases_updated || undefined,
    links_made: summary?.links_created || undefined,
    links_proposed: summary?.link_proposals_created || undefined,
    without_requirement: [...links.values()].filter((keys) => keys.length === 0).length || undefined,
  }
}

/** Cases that were known at another place. */
export function renamedTests({ cases = [] }: Ingest, local: LocalFiles | undefined) {
  const renamed = cases.filter(({ action }) => action === 'INGEST_ACTION_RENAMED')
  return describeCases(renamed, local, () => undefined)
}

/** The service's warnings, each with the file of the report that it is about. */
export function describeWarnings({ warnings = [] }: Ingest) {
  return warnings.slice(0, ROWS).map(({ code, message, line, file }) => ({
    row: { code, message, line: line || undefined },
    reported: hasText(file) ? { code, file: quoted`${file}`.cut(160) } : undefined,
  }))
}
