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

/** A file that holds registered tests. */
export interface TestFile {
  path: string
  /** Whether members vouch for it (contract §4.4). */
  isKnown: boolean
}

/**
 * Derives how a product's tests are written from its registered cases, and the files of these (contract §9.2). What most of
 * them do not show is empty.
 */
export async function readConventions(
  rows: Rows,
  productId: number,
): Promise<{ conventions: ConventionsBody; testFiles: TestFile[] }> {
  const cases = rows
    .selectFrom('test')
    .where('product_id', '=', productId)
    .where('kind', '=', 'TEST_KIND_CASE')
    .where('deleted_at', 'is', null)
  const readFrameworks = cases
    .select(['framework', sql<number>`count(*)`.as('cases')])
    .where('framework', '<>', '')
    .groupBy('framework')
    .orderBy('cases', 'desc')
    .orderBy('framework')
    .execute()
  const readSample = cases
    .select(['file_path', 'suite_path', 'name', 'tags', 'labels', 'names_known'])
    .where('file_path', '<>', '')
    .orderBy('number', 'desc')
    .limit(SAMPLE)
    .execute()
  const [frameworks, sample] = await Promise.all([readFrameworks, readSample])
  const total = frameworks.reduce((sum, row) => sum + row.cases, 0)
  const depth = mostCommon(sample.map(({ suite_path }) => readTexts(suite_path).length))
  // What members wrote shows better how tests are named, and is no text of a report.
  const vouched = sample.filter(({ names_known: known }) => known === 1)
  const shown = vouched.length > 0 ? vouched : sample
  const suites = shown.map(({ suite_path }) => readTexts(suite_path))
  const testFiles = distinctFiles(sample)
  const { pattern, alike } = filePattern(testFiles.map(({ path }) => path))
  const conventions = {
    frameworks: frameworks.map(({ framework, cases: count }) => ({
      name: framework,
      cases: count,
      share: Math.round((count / total) * 1000) / 1000,
    })),
    dominant_framework: frameworks[0]?.framework ?? '',
    test_file_pattern: pattern,
    test_files: testFiles.length,
    test_files_alike: alike,
    suite_naming: suiteNaming(depth),
    suite_naming_example: suites.find(({ length }) => length === depth) ?? [],
    case_naming_examples: [...new Set(shown.map(({ name }) => name))].slice(0, EXAMPLES),
    examples_known: vouched.length > 0,
    requirement_annotation: requirementAnnotation(sample),
  }
  return { conventions, testFiles }
}

function distinctFiles(sample: readonly { file_path: string; names_known: number }[]): TestFile[] {
  const known = new Map<string, boolean>()
  for (const { file_path, names_known } of sample)
    known.set(file_path, known.get(file_path) === true || names_known === 1)
  return Array.from(known, ([path, isKnown]) => ({ path, isKnown }))
}

/**
 * The pattern of most test files, such as `test/<name>.test.ts` or `test/<dir>/<name>.test.ts`, and how many files are like
 * it; empty when no more than half of them are alike.
 */
export function filePattern(files: readonly string[]): { pattern: string; alike: number } {
  const patterns = files.map((file) => {
    const name = named(testFileEnding(file))
    const [root = '', ...folders] = file.split('/').slice(0, -1)
    const isRoot = TEST_ROOTS.includes(root)
    const dir = (isRoot ? folders.length > 0 : root !== '') ? '<dir>/' : ''
    return `${isRoot ? `${root}/` : ''}${dir}${name}`
  })
  const pattern = mostCommon(patterns) ?? ''
  const alike = patterns.filter((one) => one === pattern).length
  return alike * 2 > files.length ? { pattern, alike } : { pattern: '', alike: 0 }
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

/** How the cases that name a requirement do it, with the place that most of them give it; empty when none does. */
function requirementAnnotation(
  sample: readonly { name: string; tags: string; labels: string }[],
): ConventionsBody['requirement_annotation'] {
  const styles = sample.flatMap(({ name, tags, labels }) => annotationStyle(name, tags, labels) ?? [])
  const example = mostCommon(styles) ?? ''
  const alike = styles.filter((one) => one === example).length
  const isUsual = alike * 2 > styles.length
  const style = example.includes('[') || example === '' ? 'bracket' : example.startsWith('@') ? 'tag' : 'property'
  return { style, example: isUsual ? example : '', cases: styles.length, cases_alike: isUsual ? alike : 0 }
}

/** How one case names a requirement; undefined for one that names none. */
function annotationStyle(name: string, tags: string, labels: string): string | undefined {
  const bracket = /\[REQ-\d+(?:\.\d+)?\]/i.exec(name)
  if (bracket !== null) {
    if (bracket.index === 0) return '[REQ-12] …'
    return name.trimEnd().endsWith(bracket[0]) ? '… [REQ-12]' : '… [REQ-12] …'
  }
  if (/REQ-\d+/i.test(tags) || /@REQ-\d+/i.test(name)) return '@REQ-12'
  return /REQ-\d+/i.test(labels) ? 'requirement=REQ-12' : undefined
}

function mostCommon<T extends string | number>(values: readonly T[]): T | undefined {
  const counts = new Map<T, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0]
}
