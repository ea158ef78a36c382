import type { Matrix, MatrixRow } from './model.ts'

/** The name of the product and what the matrix is of, as label and value: every format begins with them. */
export function heading(matrix: Matrix, product: string): readonly (readonly [label: string, value: string])[] {
  const { scope, filter, verdict, version, digest, totals, rows } = matrix
  const scoped = Object.entries(scope).filter(([, value]) => value !== '')
  return [
    ['product', product],
    ['scope', scoped.map(([name, value]) => `${name}=${value}`).join(' ') || 'everything'],
    ['filter', filter.join(' ') || 'none'],
    ['verdict', verdict === null ? 'not computed' : `${shortName(verdict.status, 'VERDICT_STATUS_')} ${verdict.id}`],
    ['shown', `${String(rows.length)} of ${String(totals.requirements)} requirements`],
    ...Object.entries(totals).map(([name, count]) => [name, String(count)] as const),
    ['version', version],
    ['digest', digest],
  ]
}

/** One line of a flat format: a requirement with one of its tests, or without one. */
export type Line = Record<(typeof columns)[number], string>

export const columns = [
  'requirement',
  'title',
  'kind',
  'status',
  'priority',
  'risk',
  'coverage',
  'failing',
  'suspect',
  'test',
  'test_title',
  'test_file',
  'level',
  'role',
  'link',
  'result',
  'executed_at',
  'release',
  'environment',
  'code',
  'components',
  'issues',
  'risks',
] as const

/** The rows of the matrix as lines, one for each requirement and test (RFC 4180 has no nested rows). */
export function toLines(rows: readonly MatrixRow[]): Line[] {
  return rows.flatMap((row) => {
    const tests = row.tests.length === 0 ? [undefined] : row.tests
    return tests.map((test) => ({ ...requirementCells(row), ...testCells(test) }))
  })
}

function requirementCells({ requirement, coverage_state: state, failing, suspect, ...row }: MatrixRow) {
  return {
    requirement: requirement.key,
    title: requirement.title,
    kind: shortName(requirement.kind, 'REQUIREMENT_KIND_'),
    status: shortName(requirement.status, 'REQUIREMENT_STATUS_'),
    priority: shortName(requirement.priority, 'PRIORITY_'),
    risk: shortName(requirement.risk, 'RISK_LEVEL_'),
    coverage: state,
    failing: failing ? 'yes' : 'no',
    suspect: suspect ? 'yes' : 'no',
    code: row.code.map(({ path }) => path).join(' '),
    components: row.components.map(({ title }) => title).join(' '),
    issues: row.issues.map(({ short_id: key }) => key).join(' '),
    risks: row.risk_ids.join(' '),
  }
}

function testCells(test: MatrixRow['tests'][number] | undefined) {
  const result = test?.last_result
  return {
    test: test?.key ?? '',
    test_title: test?.title ?? '',
    test_file: test?.file_path ?? '',
    level: shortName(test?.level ?? '', 'TEST_LEVEL_'),
    role: shortName(test?.role ?? '', 'LINK_ROLE_'),
    link: shortName(test?.link_state ?? '', 'LINK_STATE_'),
    result: shortName(result?.status ?? '', 'RESULT_STATUS_'),
    executed_at: result?.executed_at ?? '',
    release: result?.release ?? '',
    environment: result?.environment ?? '',
  }
}

/** `high` of `PRIORITY_HIGH`. */
function shortName(value: string, prefix: string): string {
  return value.replace(prefix, '').toLowerCase()
}
