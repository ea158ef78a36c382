import { heading } from './lines.ts'
import type { Matrix, MatrixRow } from './model.ts'

/**
 * The matrix as `needs.json` of sphinx-needs, without `created`, as its `needs_reproducible_json` writes it: requirements
 * are needs of type `req` with their parent in `links`, tests of type `test` with their requirements. A parent that is not in
 * the file, as groups are not, is left out: sphinx-needs reports a link to an unknown need.
 */
export function asNeeds(matrix: Matrix, product: string): string {
  const facts = Object.fromEntries(heading(matrix, product))
  const needs = { ...requirementNeeds(matrix.rows), ...testNeeds(matrix.rows) }
  const version = { needs, needs_amount: Object.keys(needs).length, needs_defaults_removed: true, tracegate: facts }
  return `${JSON.stringify({ current_version: '1', project: product, versions: { '1': version } }, undefined, 2)}\n`
}

function requirementNeeds(rows: readonly MatrixRow[]) {
  const known = new Set(rows.map(({ requirement }) => requirement.key))
  return Object.fromEntries(
    rows.map(({ requirement, coverage_state: coverage, failing, suspect, tests, code, issues, risk_ids: risks }) => {
      const { key, title, status, priority, risk, kind, parent_key: parent } = requirement
      const need = {
        id: key,
        type: 'req',
        title,
        status,
        kind,
        priority,
        risk,
        coverage,
        failing,
        suspect,
        links: known.has(parent) ? [parent] : [],
        tests: tests.map((test) => test.key),
        code: code.map(({ path }) => path),
        issues: issues.map(({ short_id: issue }) => issue),
        risks,
      }
      return [key, need]
    }),
  )
}

function testNeeds(rows: readonly MatrixRow[]) {
  const tests = new Map<string, MatrixRow['tests'][number]>()
  const links = new Map<string, string[]>()
  for (const { requirement, tests: linked } of rows) {
    for (const test of linked) {
      tests.set(test.key, test)
      links.set(test.key, [...(links.get(test.key) ?? []), requirement.key])
    }
  }
  return Object.fromEntries(
    Array.from(tests, ([key, { title, file_path: file, level, last_result: result }]) => [
      key,
      { id: key, type: 'test', title, file, level, status: result?.status ?? '', links: links.get(key) ?? [] },
    ]),
  )
}
