import { sql } from 'kysely'
import type * as z from 'zod'
import type { Conventions } from '../../../contract/test-context.ts'
import { counted } from '../../../lib/counted.ts'
import type { Rows } from '../../sql/database.ts'
import { readTexts } from '../../sql/json.ts'

export type ConventionsBody = z.input<typeof Conventions>

/** The number of newest cases that are read: enough to show how tests are written today. */
const SAMPLE = 400
const EXAMPLES = 5
const TEST_ROOTS = ['test', 'tests', '__tests__', 'spec', 'specs', 'e2e']
/** A pattern is made of these words only, because anything else in it would be text of a report. */
const SOURCE_FILE =
  /\.(?:[cm]?[jt]s|[jt]sx|vue|svelte|py|rb|go|rs|java|kts?|scala|groovy|clj|cs|fs|vb|php|swift|mm?|c|cc|cpp|cxx|dart|exs?|erl|hs|lua|pl|r|sh|bats|feature)$/i

/**
 * Derives how a product's tests are written from its registered cases (contract §9.2). Texts are empty without cases.
 */
export async function readConventions(rows: Rows, productId: number): Promise<ConventionsBody> {
  const cases = rows
    .selectFrom('test')
    .where('product_id', '=', productId)
    .where('kind', '=', 'TEST_KIND_CASE')
    .where('deleted_at', 'is', null)
  const frameworks = await cases
    .select(['framework', sql<number>`count(*)`.as('cases')])
    .where('framework', '<>', '')
    .groupBy('framework')
    .orderBy('cases', 'desc')
    .orderBy('framework')
    .execute()
  const total = frameworks.reduce((sum, row) => sum + row.cases, 0)
  const sample = await cases
    .select(['file_path', 'suite_path', 'name', 'tags', 'labels', 'names_known'])
    .where('file_path', '<>', '')
    .orderBy('number', 'desc')
    .limit(SAMPLE)
    .execute()
  const depth = mostCommon(sample.map(({ suite_path }) => readTexts(suite_path).length))
  // What members wrote shows better how tests are named, and is no text of a report.
  const vouched = sample.filter(({ names_known: known }) => known === 1)
  const shown = vouched.length > 0 ? vouched : sample
  const suites = shown.map(({ suite_path }) => readTexts(suite_path))
  return {
    frameworks: frameworks.map(({ framework, cases: count }) => ({
      name: framework,
      cases: count,
      share: Math.round((count / total) * 1000) / 1000,
    })),
    dominant_framework: frameworks[0]?.framework ?? '',
    test_file_pattern: filePattern([...new Set(sample.map(({ file_path }) => file_path))]),
    suite_naming: suiteNaming(depth),
    suite_naming_example: suites.find(({ length }) => length === depth) ?? [],
    case_naming_examples: [...new Set(shown.map(({ name }) => name))].slice(0, EXAMPLES),
    examples_known: vouched.length > 0,
    requirement_annotation: requirementAnnotation(sample),
  }
}

/**
 * The pattern of most test files, such as `test/<dir>/<name>.test.ts`: their ending, below the test folder if there is
 * one.
 */
export function filePattern(files: readonly string[]): string {
  if (files.length === 0) return ''
  const ending = mostCommon(files.map(testFileEnding)) ?? ''
  const alike = files.filter((file) => testFileEnding(file) === ending)
  const root = mostCommon(alike.map((file) => file.split('/')[0] ?? ''))
  const isRoot = root !== undefined && TEST_ROOTS.includes(root)
  return isRoot ? `${root}/<dir>/${named(ending)}` : `<dir>/${named(ending)}`
}

/** The part of a file name that marks a test file: `*.test.ts`, `test_*.py`, `*_test.go`, `*Test.java`. */
function testFileEnding(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const extension = SOURCE_FILE.exec(name)?.[0] ?? ''
  const infix = /\.(?:test|spec|e2e|cy)(?=\.\w+$)/.exec(name)?.[0]
  if (infix !== undefined) return `*${infix}${extension}`
  if (name.startsWith('test_')) return `test_*${extension}`
  const suffix = /(?:_test|_spec|Tests?|Spec)(?=\.\w+$)/.exec(name)?.[0] ?? ''
  return `*${suffix}${extension}`
}

function named(ending: string): string {
  return ending.replace('*', '<name>')
}

/** How many suites are around a case. */
function suiteNaming(depth: number | undefined): string {
  if (depth === undefined) return ''
  return depth === 0 ? 'no suites: cases are at the top level of their file' : counted(depth, 'level')
}

/** How cases name their requirement; in brackets in the name if no case does, because every runner supports that. */
function requirementAnnotation(
  sample: readonly { name: string; tags: string; labels: string }[],
): ConventionsBody['requirement_annotation'] {
  const bracket = sample.filter(({ name }) => /\[REQ-\d+/i.test(name)).length
  const tag = sample.filter(({ name, tags }) => /REQ-\d+/i.test(tags) || /@REQ-\d+/i.test(name)).length
  const property = sample.filter(({ labels }) => /REQ-\d+/i.test(labels)).length
  const most = Math.max(bracket, tag, property)
  if (most === 0 || bracket === most) return { style: 'bracket', example: '[REQ-12] adds up the prices' }
  if (tag === most) return { style: 'tag', example: '@REQ-12' }
  return { style: 'property', example: 'requirement=REQ-12' }
}

function mostCommon<T extends string | number>(values: readonly T[]): T | undefined {
  const counts = new Map<T, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0]
}
