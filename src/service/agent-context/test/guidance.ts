import type { CoverageBody } from '../../quality/coverage/rule.ts'
import type { GapBody } from '../../quality/gaps/view.ts'
import { isProvisionalKey } from '../../quality/keys.ts'
import type { ConventionsBody } from './conventions.ts'

export interface GuidanceFacts {
  key: string
  coverage: CoverageBody
  gap: Pick<GapBody, 'type' | 'suggested_action' | 'reproduced_issues'> | null
  /** The keys of the linked tests, and of those that were skipped in their newest run. */
  tests: readonly string[]
  skipped: readonly string[]
  /** The number of its acceptance criteria. */
  criteria: number
  conventions: Pick<ConventionsBody, 'requirement_annotation' | 'dominant_framework'>
  /** Paths and globs that tell the language of the test by their endings, the surest first. */
  files: readonly string[]
}

/** Keys named in a sentence. */
const KEYS = 5
const RUN_FIRST = 'it already has tests: run them and send the report before you write another'

/** What to do next, in our own words: never quotes events, reports or members. */
export function guidanceFor(facts: GuidanceFacts): string[] {
  const { coverage, tests } = facts
  return [
    ...firstStep(facts),
    ...(coverage.uncovered_criterion_ids.length > 0 && tests.length > 0
      ? ['write one case per uncovered criterion']
      : []),
    namingStep(facts),
    'run the tests, then send the test report: only a passing result verifies the requirement',
  ]
}

/**
 * How the report links a test, as most tests of the product do it; where none does, as the runner of its language can. No
 * report reads the key of a requirement that a branch creates, because the merge gives it another one.
 */
function namingStep({ key, criteria, conventions, files }: GuidanceFacts): string {
  const { style, example, cases, cases_alike: alike } = conventions.requirement_annotation
  const named = criteria === 0 ? key : `${key}.1`
  const one = criteria === 0 ? '' : ` (for its criterion 1; ${key} alone proves none)`
  if (isProvisionalKey(key))
    return `keep ${key} out of the name of the test: the key is provisional until the merge, so no report reads it; link the test to ${named} on the branch${one}`
  const forms = {
    bracket: `[${named}] in the name of each case`,
    tag: `@${named} as a tag`,
    property: `requirement=${named} as a property`,
  }
  const how =
    example === ''
      ? `with ${cases === 0 ? (byLanguage(named, files) ?? forms.bracket) : forms[style]}`
      : `as ${alike} of ${cases} tests do: ${example.replaceAll('REQ-12', named)}`
  return `name the requirement in the test, ${how}${one}; the report then links it`
}

/** Where the name of a test is that of a function, nothing in brackets fits into it. */
function byLanguage(key: string, files: readonly string[]): string | undefined {
  const forms: Readonly<Record<string, string>> = {
    py: `record_property("requirement", "${key}") in the test, run with pytest -o junit_family=xunit1`,
    go: `a subtest, t.Run("[${key}] …", …)`,
    java: `@DisplayName("[${key}] …")`,
    kt: `@DisplayName("[${key}] …")`,
    cs: `a category, such as [TestCategory("${key}")]`,
  }
  const ending = files.map((file) => /\.(\w+)$/.exec(file)?.[1]).find((found) => found !== undefined)
  return ending !== undefined && Object.hasOwn(forms, ending) ? forms[ending] : undefined
}

function firstStep({ gap, tests, skipped, coverage }: GuidanceFacts): string[] {
  if (gap?.suggested_action === 'GAP_ACTION_FIX_CODE') return [fixStep(gap.reproduced_issues)]
  const type: string = gap?.type ?? ''
  switch (type) {
    case 'GAP_TYPE_FAILING':
      return ['a linked test fails: find out whether the test or the code is wrong before you write another test']
    case 'GAP_TYPE_NOT_RUN':
      return skipped.length > 0 ? [skippedStep(skipped)] : [RUN_FIRST]
    case 'GAP_TYPE_STALE':
      return [RUN_FIRST]
    case 'GAP_TYPE_SUSPECT':
      return [
        'its text has changed since its tests were linked: compare them with the new text, then confirm their links, with the reason',
      ]
    case '':
      if (tests.length === 0) return []
      return coverage.state === 'verified'
        ? ['it is verified: only write another test for a case that its tests miss']
        : ['its own tests pass: a requirement below it is what is missing']
    default:
      return []
  }
}

function fixStep(issues: GapBody['reproduced_issues']): string {
  const keys = issues.filter(({ status }) => status !== 'resolved').map((issue) => issue.short_id)
  return `its failing tests are right: they are red because of ${keys.join(', ')}; fix the code, then run them`
}

function skippedStep(skipped: readonly string[]): string {
  const more = skipped.length > KEYS ? ` and ${skipped.length - KEYS} more` : ''
  const isOne = skipped.length === 1
  return `${skipped.slice(0, KEYS).join(', ')}${more} ${isOne ? 'was' : 'were'} skipped: read ${isOne ? 'it' : 'them'} first, because a skipped or empty test proves nothing`
}
