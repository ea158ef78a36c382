import type { CoverageBody } from '../../quality/coverage/rule.ts'
import type { ConventionsBody } from './conventions.ts'

export interface GuidanceFacts {
  key: string
  coverage: CoverageBody
  /** Type of its gap, '' for none. */
  gap: string
  /** Tests linked to it. */
  tests: number
  conventions: Pick<ConventionsBody, 'requirement_annotation' | 'dominant_framework'>
}

/** What to do next, in sentences of our own: no text of events, reports or members. */
export function guidanceFor({ key, coverage, gap, tests, conventions }: GuidanceFacts): string[] {
  const { style } = conventions.requirement_annotation
  const how = {
    bracket: `[${key}] in the name of each case`,
    tag: `@${key} as a tag`,
    property: `requirement=${key} as a property`,
  }
  return [
    ...firstStep(gap, tests),
    ...(coverage.uncovered_criterion_ids.length > 0 && tests > 0
      ? ['write one case per criterion that is not covered']
      : []),
    `name the requirement in the test, with ${how[style]}: the report then links it by itself`,
    'run the tests, then send the report of the run: only a result that passed verifies the requirement',
  ]
}

function firstStep(gap: string, tests: number): string[] {
  switch (gap) {
    case 'GAP_TYPE_FAILING':
      return ['a linked test fails: find out whether the test or the code is wrong before you write another']
    case 'GAP_TYPE_NOT_RUN':
    case 'GAP_TYPE_STALE':
      return ['its tests are there: run them and send the report before you write another']
    case 'GAP_TYPE_SUSPECT':
      return ['its text has changed since: read its tests against the new text, then link them again to confirm']
    case '':
      return tests > 0 ? ['it is verified: a further test is for a case that its tests leave out'] : []
    default:
      return []
  }
}
