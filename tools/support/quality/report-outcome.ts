import * as z from 'zod'
import type { ReceivedResult } from '../../../src/client/api.ts'
import { ResultStatus } from '../../../src/contract/base/common.ts'
import type { ResultOf } from '../../../src/contract/index.ts'
import { counts, fields, flag, rows, teamLine, upTo } from '../../../src/mcp/result/output.ts'
import { coverageState, listed, repositoryPath, rowTitle } from '../columns.ts'

export type Ingest = ReceivedResult<ResultOf<'ingestTests'>>['ingest']
/** Keys of the requirements that each case is linked to, by the key of the case. */
type Links = ReadonlyMap<string, readonly string[]>

const transition = z.string()

/** The output of `ingest_test_report`. */
export const reportOutcome = z.object({
  dry_run: flag.optional(),
  totals: fields(counts('tests', 'passed', 'failed', 'errors', 'flaky', 'skipped')),
  results: fields(counts('recorded', 'known_already')).optional(),
  coverage: fields({ verified: transition, not_run: transition, no_test: transition }).optional(),
  requirements: rows({ id: z.string(), was: z.string(), ...coverageState, title: rowTitle }).optional(),
  failing_tests: rows({
    id: z.string().optional(),
    status: ResultStatus,
    name: rowTitle,
    file: repositoryPath,
    requirements: z.string(),
  }).optional(),
  unresolved_references: rows({ reference: upTo(teamLine, 60), test: z.string() }).optional(),
  tests: fields(
    counts('created', 'renamed', 'updated', 'links_made', 'links_proposed', 'without_requirement'),
  ).optional(),
  renamed_tests: rows({ id: z.string(), name: rowTitle, file: repositoryPath }).optional(),
  warnings: rows({ code: z.string(), message: teamLine, file: repositoryPath, line: z.int() }).optional(),
  secrets_in_report: z.string().optional(),
  gate: z.string().optional(),
})

/** A preview's cases without the keys of new ones: another call may get them. */
export function withoutNewKeys(ingest: Ingest): Ingest {
  const cases = ingest.cases?.map((one) => (one.action === 'INGEST_ACTION_CREATED' ? { ...one, key: '' } : one))
  return { ...ingest, cases }
}

/** The cases of the report by how they ended. */
export function countResults({ summary, cases = [] }: Ingest) {
  const { passed = 0, failed = 0, errors = 0, flaky = 0, skipped = 0 } = summary ?? {}
  return {
    tests: Math.max(passed + failed + errors + flaky + skipped, cases.length),
    passed,
    failed,
    errors: errors || undefined,
    flaky: flaky || undefined,
    skipped: skipped || undefined,
  }
}

/** Requirements by state, before and after: `3 -> 4`. */
export function describeEffect({ coverage_effect: effect }: Ingest) {
  const { before, after } = effect ?? {}
  const step = (state: 'verified' | 'not_run' | 'no_test') => {
    const [from, to] = [before?.[state], after?.[state]]
    return from === undefined || to === undefined ? undefined : `${from} -> ${to}`
  }
  return { verified: step('verified'), not_run: step('not_run'), no_test: step('no_test') }
}

/** The cases that failed, with the requirements they are linked to. */
export function failingTests({ cases = [] }: Ingest, links: Links) {
  return cases
    .filter(({ status }) => status === 'RESULT_STATUS_FAILED' || status === 'RESULT_STATUS_ERROR')
    .map(({ key = '', status, name, file_path: file }) => ({
      id: key || undefined,
      status,
      name,
      file,
      requirements: listed(links.get(key) ?? []),
    }))
}

/** Keys in the report that no requirement has, with the key of the test that names each. */
export function unresolvedReferences({ unresolved_refs: references = [], cases = [] }: Ingest) {
  const keys = new Map(cases.map(({ test_id: id, key }) => [id, key]))
  return references.flatMap(({ ref: reference, test_id: id }) =>
    reference ? [{ reference, test: keys.get(id) || undefined }] : [],
  )
}

/** How many tests and links the report made or changed, and how many tests prove nothing because they have no link. */
export function countChanges({ summary }: Ingest, links: Links) {
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
export function renamedTests({ cases = [] }: Ingest) {
  return cases
    .filter(({ action }) => action === 'INGEST_ACTION_RENAMED')
    .map(({ key: id = '', name, file_path: file }) => ({ id, name, file }))
}

/** The service's warnings. */
export function warningRows({ warnings = [] }: Ingest) {
  return warnings.map((warning) => ({ ...warning, line: warning.line || undefined }))
}
