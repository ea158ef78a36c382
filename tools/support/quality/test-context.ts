import * as z from 'zod'
import type { Received } from '../../../src/client/api.ts'
import { Ref } from '../../../src/contract/base/common.ts'
import { TestSuggestion, type TestContext as TestContextSchema } from '../../../src/contract/test-context.ts'
import { counted } from '../../../src/lib/counted.ts'
import type { LocalFiles } from '../../../src/mcp/files/local-files.ts'
import { issueName } from '../../../src/mcp/resolve/ids.ts'
import type { Product } from '../../../src/mcp/resolve/types.ts'
import { fields, rows, teamLine, upTo } from '../../../src/mcp/result/output.ts'
import { combined, hasText, knownName, quoted, type BlockContent } from '../../../src/mcp/text/untrusted.ts'
import { keyOrId, listed, repositoryPath, rowTitle } from '../columns.ts'
import { existingPath, hasFacts, runnerName, showNames } from '../test-names.ts'
import { criterionCovered, criterionText } from './criteria.ts'

export type TestContext = Received<z.output<typeof TestContextSchema>>
type Detail = 'concise' | 'full'

const EXCERPT = { concise: 400, full: 2000 } as const
const SYMBOLS = { concise: 4, full: 8 } as const
const FRAMES = { concise: 1, full: 5 } as const
const EXAMPLES = { concise: 2, full: 5 } as const

export const conventions = fields({
  framework: z.string(),
  files: upTo(teamLine, 100),
  suites: upTo(teamLine, 100),
  suite: upTo(teamLine, 200),
  case_names: z.array(rowTitle),
})

export const suggestions = fields({
  file: repositoryPath,
  suite: teamLine,
  cases: rows({
    technique: z.string(),
    criterion: z.int(),
    title: TestSuggestion.shape.title,
    notes: TestSuggestion.shape.notes,
  }),
})

export const codeFileRows = rows({
  file: z.string(),
  why: z.string(),
  component: upTo(Ref.shape.title, 60),
  issues: z.string(),
})

const whyWords: Readonly<Record<string, string>> = {
  declared: 'named by the requirement',
  marker: 'marked in the code',
  component_glob: 'of its component',
  stack_frame: 'in a crash',
}

interface Showing {
  local: LocalFiles | undefined
  products: readonly Product[]
  detail: Detail
}

/**
 * The files to read, each as a row of facts and what events say about it. A path that members gave, or that exists on this
 * machine, is a fact; one that only a stack frame names stays with outsiders' text (mcp §6.3).
 */
export async function describeCodeFiles({ code_files: files = [] }: TestContext, { local, products, detail }: Showing) {
  return Promise.all(
    files.map(async ({ path, reason, component, symbols = [], excerpt, recent_issues: issues = [] }) => {
      const isGiven = reason !== undefined && reason !== 'stack_frame'
      const file = (isGiven ? knownName(path, true) : await existingPath(path, local)) || undefined
      const about: { readonly [name: string]: BlockContent } = {
        symbols: symbols.slice(0, SYMBOLS[detail]).map((symbol) => quoted`${symbol}`.cut(80)),
        excerpt: hasText(excerpt) ? quoted`${excerpt}`.cut(EXCERPT[detail]).keepLines() : undefined,
      }
      if (file === undefined) return { row: undefined, reason, untrusted: { file: quoted`${path}`.cut(200), ...about } }
      const row = {
        file,
        why: whyWords[reason ?? ''] ?? reason,
        component: component?.title,
        issues: listed(issues.map((issue) => issueName(issue, products))),
      }
      return { row, reason, untrusted: symbols.length > 0 || hasText(excerpt) ? { file, ...about } : undefined }
    }),
  )
}

/** The acceptance criteria by number: a number is cheaper than an id, and no tool takes the id. */
export function numberCriteria({ acceptance_criteria: criteria, coverage, linked_tests: tests }: TestContext) {
  return criteria?.map((criterion, index) => {
    const { id, covered, covering_test_keys: naming } = criterion
    const isNamed = naming && naming.length > 0
    const facts = { id, coverage, isNamed, isLinked: isNamed === true || (tests && tests.length > 0) }
    return {
      nr: index + 1,
      covered: covered === true ? ('yes' as const) : criterionCovered(facts),
      criterion: criterionText(criterion),
      tests: listed(naming ?? []),
    }
  })
}

/** How the product's tests are written; names of tests are examples of it, and only those that members gave are facts. */
export function describeConventions({ conventions }: TestContext, detail: Detail) {
  const { examples_known: isKnown, dominant_framework: framework } = conventions ?? {}
  const runner = runnerName(framework)
  const suite = combined(conventions?.suite_naming_example ?? [], (titles) => titles.join(' > '))
  const example = knownName(suite, isKnown)
  const names = (conventions?.case_naming_examples ?? []).slice(0, EXAMPLES[detail])
  return {
    facts: {
      framework: runner,
      files: filesLike(conventions),
      suites: conventions?.suite_naming,
      suite: example,
      case_names: names.flatMap((name) => knownName(name, isKnown) ?? []),
    },
    reported: {
      framework: runner === undefined ? quoted`${framework}`.cut(60) : undefined,
      suite: example === undefined ? quoted`${suite}`.cut(200) : undefined,
      case_names: names
        .filter((name) => knownName(name, isKnown) === undefined)
        .map((name) => quoted`${name}`.cut(120)),
    },
  }
}

/** `test/{name}.test.ts (12 of 14 files)` */
function filesLike(conventions: TestContext['conventions']): string | undefined {
  const { test_file_pattern: pattern = '', test_files: files = 0, test_files_alike: alike } = conventions ?? {}
  const like = pattern.replaceAll(/<(\w+)>/g, '{$1}')
  return like === '' || files === 0 || alike === undefined ? like : `${like} (${alike} of ${counted(files, 'file')})`
}

/** Where a new test goes: facts, and for the untrusted block a place that only a report names. */
export async function describeTarget({ suggestions }: TestContext, local: LocalFiles | undefined) {
  const { target_file: path, suite, names_known: isKnown } = suggestions ?? {}
  const facts = {
    file: knownName(path, isKnown) ?? (await existingPath(path, local)),
    suite: knownName(suite, isKnown),
  }
  const reported = {
    file: facts.file === undefined ? quoted`${path}`.cut(160) : undefined,
    suite: facts.suite === undefined ? quoted`${suite}`.cut(200) : undefined,
  }
  return { facts, reported }
}

/** What a new test should show. A case that only repeats its criterion has the number of that. */
export function describeSuggestions({ suggestions, acceptance_criteria: criteria = [] }: TestContext, detail: Detail) {
  return {
    cases: suggestions?.cases?.map(({ criterion_id: id, title, technique, notes }) => {
      const at = criteria.findIndex((criterion) => criterion.id === id)
      return {
        technique: technique?.replace('_', ' '),
        criterion: at < 0 ? undefined : at + 1,
        title: at < 0 || detail === 'full' ? title : undefined,
        notes,
      }
    }),
  }
}

/** Other tests that read alike, to write like. */
export function similarTests({ similar_tests: tests = [] }: TestContext, most: number, local: LocalFiles | undefined) {
  return Promise.all(
    tests.slice(0, most).map(async (test) => {
      const { facts, reported } = await showNames(test, local)
      const id = keyOrId(test)
      return { row: hasFacts(facts) ? { id, ...facts } : undefined, reported: reported && { id, ...reported } }
    }),
  )
}

/** Failures of the linked tests, newest first: when, and what the test said. */
export function pastFailures({ past_failures: failures = [] }: TestContext, most: number) {
  return failures
    .slice(0, most)
    .map(({ test_key: test, executed_at: at, message, release, release_known: isKnown }) => {
      const known = knownName(release, isKnown)
      return {
        row: { test, at, release: known },
        untrusted: {
          test,
          release: known === undefined ? quoted`${release}`.cut(120) : undefined,
          message: quoted`${message}`.cut(300),
        },
      }
    })
}

/** Unresolved issues in the files of the requirement. */
export function relatedIssues({ related_issues: issues = [] }: TestContext, { products, detail }: Showing) {
  return issues.map((issue) => {
    const id = issueName(issue, products)
    const frames = (issue.top_frames ?? []).slice(0, FRAMES[detail]).map((frame) => quoted`${frame}`.cut(160).aside())
    return {
      row: { id, level: issue.level, times_seen: issue.times_seen },
      untrusted: { id, title: quoted`${issue.title}`.cut(120).aside(), frames },
    }
  })
}
