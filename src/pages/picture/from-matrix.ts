import type { ReceivedResult } from '../../client/api.ts'
import type { ResultOf } from '../../contract/index.ts'
import { shown } from './shown.ts'
import type { MatrixPicture, MatrixRowPicture } from './types.ts'
import { shownWord } from './words.ts'

type Matrix = ReceivedResult<ResultOf<'getTraceability'>>['traceability_matrix']
type Row = NonNullable<Matrix['rows']>[number]

/** One page of a matrix as a picture; tests and issues by their keys. */
export function traceabilityPicture({ rows = [], totals }: Matrix): MatrixPicture {
  const facts = [
    { label: 'Requirements', value: totals?.requirements },
    { label: 'Verified', value: totals?.verified },
    { label: 'Not run', value: totals?.not_run },
    { label: 'Without a test', value: totals?.no_test },
    { label: 'Failing', value: totals?.failing },
    { label: 'In doubt', value: totals?.suspect },
    { label: 'Tests without a requirement', value: totals?.unlinked_tests },
  ]
  return {
    rows: rows.map(rowPicture),
    totals: facts.map(({ label, value }) => ({ label, value: value === undefined ? 'not stated' : String(value) })),
  }
}

function rowPicture(row: Row): MatrixRowPicture {
  const { requirement, coverage_state: state, failing, suspect, tests = [], issues = [], risk_ids: risks } = row
  return {
    key: requirement?.key || requirement?.id || 'not stated',
    title: shown(requirement?.title),
    state,
    failing: failing === true,
    suspect: suspect === true,
    tests: tests.map((test) => `${test.key || test.id} ${testState(test)}`),
    issues: issues.map(({ short_id: key, id }) => key ?? id),
    risks: risks?.length,
  }
}

function testState({ link_state: link, last_result: result }: NonNullable<Row['tests']>[number]): string {
  if (link === 'LINK_STATE_SUSPECT') return '(in doubt)'
  if (result === undefined) return '(result not stated)'
  const status = result?.status
  return status === undefined ? '(not run)' : `(${shownWord(status.replace(/^RESULT_STATUS_/, ''))})`
}
