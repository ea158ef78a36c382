import type * as z from 'zod'
import type { Received } from '../../src/client/api.ts'
import type { TestContext } from '../../src/contract/test-context.ts'
import { criterionText } from './criterion-text.ts'
import { existing, keyOf, teamLine } from './coverage-text.ts'
import { toMinute, vouched, withoutPrefix } from './facts.ts'
import type { Test, Product } from '../../src/mcp/resolve/types.ts'
import { issueName } from '../../src/mcp/resolve/ids.ts'
import type { LocalFiles } from '../../src/mcp/files/local-files.ts'
import { hasText, knownName, quoted, type BlockContent } from '../../src/mcp/text/untrusted.ts'

export type ToldTestContext = Received<z.output<typeof TestContext>>
type Detail = 'concise' | 'full'

const EXCERPT = { concise: 400, full: 2000 } as const
const SYMBOLS = { concise: 4, full: 8 } as const
const FRAMES = { concise: 1, full: 5 } as const
const EXAMPLES = { concise: 2, full: 5 } as const

/** The acceptance criteria by number: a number is cheaper than an id, and no tool takes the id. */
export function criterionRows({ acceptance_criteria: criteria = [] }: ToldTestContext, characters: number) {
  return criteria.map((criterion, index) => {
    const { covered, covering_test_keys: tests = [] } = criterion
    return {
      nr: index + 1,
      covered,
      criterion: teamLine(criterionText(criterion), characters),
      tests: tests.length === 0 ? undefined : tests.join(', '),
    }
  })
}

/** A test as a row: where it is and how it ended last. */
export function testRow(test: Test) {
  const { automation_ref: place, status, quarantined } = test
  const file = teamLine(place?.file_path, 160)
  const line = place?.line ?? 0
  const state = withoutPrefix(status, 'TEST_STATUS_')
  return {
    id: keyOf(test),
    title: teamLine(test.title, 120),
    file: file === undefined || line === 0 ? file : `${file}:${String(line)}`,
    last: lastOf(test),
    ...(state !== undefined && state !== 'active' && { status: state }),
    ...(quarantined === true && { quarantined }),
  }
}

/** `passed 2026-11-21T11:50Z` */
export function lastOf({ last_result: last }: Test): string {
  if (last === null || last === undefined) return 'never run'
  return [withoutPrefix(last.status, 'RESULT_STATUS_'), toMinute(last.executed_at)].filter(Boolean).join(' ')
}

const whyWords: Readonly<Record<string, string>> = {
  declared: 'named by the requirement',
  marker: 'marked in the code',
  component_glob: 'of its component',
  stack_frame: 'in a crash',
}

/**
 * The files to read, each as a row of facts and what events say about it. A path that members gave, or that exists on this
 * machine, is a fact; one that only a stack frame names stays with outsiders' text (mcp §6.3).
 */
export async function codeFiles(
  { code_files: files = [] }: ToldTestContext,
  { local, products, detail }: { local: LocalFiles | undefined; products: readonly Product[]; detail: Detail },
) {
  return Promise.all(
    files.map(async ({ path, reason, component, symbols = [], excerpt, recent_issues: issues = [] }) => {
      const isGiven = reason !== undefined && reason !== 'stack_frame'
      const file = (isGiven ? knownName(path, true) : await existing(path, local)) ?? ''
      const names = issues.map((issue) => issueName(issue, products))
      const row = {
        file,
        why: whyWords[reason ?? ''] ?? reason,
        component: teamLine(component?.title, 60),
        issues: names.length === 0 ? undefined : names.join(', '),
      }
      const shown = symbols.slice(0, SYMBOLS[detail]).map((symbol) => quoted`${symbol}`.cut(80))
      const said: { readonly [name: string]: BlockContent } = {
        symbols: shown,
        excerpt: hasText(excerpt) ? quoted`${excerpt}`.cut(EXCERPT[detail]).keepLines() : undefined,
      }
      const isQuiet = shown.length === 0 && !hasText(excerpt)
      return {
        row: file === '' ? undefined : row,
        said: file === '' ? { file: quoted`${path}`.cut(200), ...said } : isQuiet ? undefined : { file, ...said },
      }
    }),
  )
}

/** How the product's tests are written. */
export function conventionsOf({ conventions }: ToldTestContext, detail: Detail) {
  const examples = conventions?.case_naming_examples?.slice(0, EXAMPLES[detail]) ?? []
  return {
    framework: teamLine(conventions?.dominant_framework, 40),
    files: teamLine(conventions?.test_file_pattern?.replaceAll(/<(\w+)>/g, '{$1}'), 120),
    suites: teamLine(conventions?.suite_naming, 160),
    case_names: examples.flatMap((name) => teamLine(name, 120) ?? []),
  }
}

/** Where a new test goes and what it should show. A case that only repeats its criterion has the number of that. */
export function suggestionsOf({ suggestions, acceptance_criteria: criteria = [] }: ToldTestContext, detail: Detail) {
  const cases = suggestions?.cases ?? []
  return {
    file: teamLine(suggestions?.target_file, 160),
    suite: teamLine(suggestions?.suite, 160),
    name_like: teamLine(suggestions?.annotation, 80),
    cases: cases.map(({ criterion_id: id, title, technique, notes }) => {
      const at = criteria.findIndex((criterion) => criterion.id === id)
      return {
        technique: technique?.replace('_', ' '),
        criterion: at < 0 ? undefined : at + 1,
        title: at < 0 || detail === 'full' ? teamLine(title, 160) : undefined,
        notes: teamLine(notes, 160),
      }
    }),
  }
}

/** Other tests that read alike, to write like. */
export function similarRows({ similar_tests: tests = [] }: ToldTestContext) {
  return tests.map((test) => ({
    id: keyOf(test),
    title: teamLine(test.title, 120),
    file: teamLine(test.file_path, 160),
  }))
}

/** Failures of the linked tests, newest first: when, and what the test said. */
export function pastFailures({ past_failures: failures = [] }: ToldTestContext, most: number) {
  return failures.slice(0, most).map(({ test_key: test, executed_at: at, message, release, release_known: known }) => ({
    row: { test, at: toMinute(at), release: vouched(hasText(release) ? release : undefined, known) },
    said: { test, message: quoted`${message}`.cut(300) },
  }))
}

/** Unresolved issues in the files of the requirement. */
export function relatedIssues(
  { related_issues: issues = [] }: ToldTestContext,
  { products, detail }: { products: readonly Product[]; detail: Detail },
) {
  return issues.map((issue) => {
    const id = issueName(issue, products)
    const frames = (issue.top_frames ?? []).slice(0, FRAMES[detail]).map((frame) => quoted`${frame}`.cut(160))
    return {
      row: { id, level: issue.level, times_seen: issue.times_seen },
      said: { id, title_untrusted: quoted`${issue.title}`.cut(120), frames },
    }
  })
}
