import type { ReceivedResult } from '../../src/client/api.ts'
import type { ResultOf } from '../../src/contract/index.ts'
import { keyOf, stateOf, teamLine } from './coverage-text.ts'
import { withoutPrefix } from './facts.ts'
import type { Changed } from './state-change.ts'

export type Ingest = ReceivedResult<ResultOf<'ingestTests'>>['ingest']

/** A preview's cases without the keys of those that are not there yet: another call may get them. */
export function withoutNewKeys(ingest: Ingest): Ingest {
  const cases = ingest.cases?.map((one) => (one.action === 'INGEST_ACTION_CREATED' ? { ...one, key: '' } : one))
  return { ...ingest, ...(cases !== undefined && { cases }) }
}

/** The cases of the report by how they ended. */
export function totalsOf({ summary, cases = [] }: Ingest) {
  const { passed = 0, failed = 0, errors = 0, flaky = 0, skipped = 0 } = summary ?? {}
  const tests = passed + failed + errors + flaky + skipped
  return {
    tests: Math.max(tests, cases.length),
    passed,
    failed,
    ...(errors > 0 && { errors }),
    ...(flaky > 0 && { flaky }),
    ...(skipped > 0 && { skipped }),
  }
}

/** What is new in it. */
export function resultsOf({ summary }: Ingest) {
  const { results_recorded: recorded, results_duplicate: known = 0 } = summary ?? {}
  return { recorded, ...(known > 0 && { known_already: known }) }
}

/** Requirements by state, before and after. */
export function coverageOf({ coverage_effect: effect }: Ingest) {
  const { before, after } = effect ?? {}
  const step = (state: 'verified' | 'not_run' | 'no_test') => {
    const [from, to] = [before?.[state], after?.[state]]
    if (from === undefined || to === undefined) return undefined
    return `${String(from)} -> ${String(to)}`
  }
  return { verified: step('verified'), not_run: step('not_run'), no_test: step('no_test') }
}

/** A requirement as it is now, with its state before where that was another. */
export function requirementRow({ requirement, was }: Changed) {
  return {
    id: keyOf(requirement),
    ...(was !== undefined && { was }),
    ...stateOf(requirement.coverage),
    title: teamLine(requirement.title, 120),
  }
}

/** The cases that failed, with the requirements they are linked to. */
export function failingRows({ cases = [] }: Ingest, links: ReadonlyMap<string, readonly string[]>) {
  return cases
    .filter(({ status }) => status === 'RESULT_STATUS_FAILED' || status === 'RESULT_STATUS_ERROR')
    .map(({ key = '', status, name, file_path: file }) => ({
      ...(key !== '' && { id: key }),
      status: withoutPrefix(status, 'RESULT_STATUS_'),
      name: teamLine(name, 120),
      file: teamLine(file, 160),
      requirements: links.get(key)?.join(', ') || undefined,
    }))
}

/** Keys in the report that no requirement has. */
export function unresolved({ unresolved_refs: references = [], cases = [] }: Ingest) {
  const keys = new Map(cases.map(({ test_id: id, key }) => [id, key]))
  return references.flatMap(({ ref, test_id: id }) => {
    const reference = teamLine(ref, 60)
    const test = keys.get(id)
    return reference === undefined ? [] : [{ reference, ...(test !== undefined && test !== '' && { test }) }]
  })
}

/** What was made of the cases, and how many of them prove nothing because no requirement is linked. */
export function testsOf({ summary }: Ingest, links: ReadonlyMap<string, readonly string[]>) {
  const { cases_created, cases_renamed, cases_updated, links_created, link_proposals_created } = summary ?? {}
  const counts = {
    created: cases_created,
    renamed: cases_renamed,
    updated: cases_updated,
    links_made: links_created,
    links_proposed: link_proposals_created,
    without_requirement: [...links.values()].filter((keys) => keys.length === 0).length,
  }
  return Object.fromEntries(Object.entries(counts).filter(([, count = 0]) => count > 0))
}

/** Cases known from another place. */
export function renamed({ cases = [] }: Ingest) {
  return cases
    .filter(({ action }) => action === 'INGEST_ACTION_RENAMED')
    .map(({ key = '', name, file_path: file }) => ({ id: key, name: teamLine(name, 120), file: teamLine(file, 160) }))
}

/** The service's warnings. */
export function warningsOf({ warnings = [] }: Ingest) {
  return warnings.map(({ code, message, file, line = 0 }) => ({
    code,
    message: teamLine(message, 200),
    file: teamLine(file, 120),
    ...(line > 0 && { line }),
  }))
}
