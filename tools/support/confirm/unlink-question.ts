import { stateDigest } from '../../../src/mcp/confirm/state.ts'
import type { Question } from '../../../src/mcp/define/define.ts'
import type { Product } from '../../../src/mcp/resolve/types.ts'
import { withoutPrefix } from '../../../src/mcp/result/present.ts'
import type { RequirementInFull, RequirementLink } from '../quality/requirement-in-full.ts'
import { expectedCoverage, undoNote } from '../quality/unlinking.ts'

export interface Unlinking {
  names: { test: string; requirement: string }
  product: Product
  /** The requirement as it is now. */
  before: RequirementInFull
  /** Undefined where the two are not linked. */
  link: RequirementLink | undefined
  /** Whether a call links the test again. */
  hasUndo: boolean
}

/** What a person is asked before a link is removed, when many were removed lately. A test's title is a report's text. */
export function unlinkQuestion({ names, product, before, link, hasUndo }: Unlinking): Question {
  const { coverage, title } = before.requirement
  const then = link && expectedCoverage(before, link)
  return {
    asks: `Unlink test ${names.test} from requirement ${names.requirement}`,
    product,
    facts: [
      { label: 'requirement', value: title ?? 'title not stated' },
      {
        label: 'link',
        value: link === undefined ? 'none' : (withoutPrefix(link.state, 'LINK_STATE_') ?? 'not stated'),
      },
      { label: 'coverage now', value: coverage?.state ?? 'not stated' },
      { label: 'coverage then', value: then?.state ?? 'depends on its other links' },
    ],
    key: `${names.test} ${names.requirement}`,
    undo: (link && undoNote(link, hasUndo)) ?? 'record_tests links it again',
    state: stateDigest([
      before.requirement.id,
      coverage?.state,
      link?.test_id,
      link?.state,
      link?.role,
      link?.criterion_ids,
    ]),
  }
}
