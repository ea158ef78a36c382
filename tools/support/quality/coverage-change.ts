import type { Received } from '../../../src/client/api.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import { everyPage } from '../../../src/mcp/resolve/requests.ts'
import type { Requirement, Test } from '../../../src/mcp/resolve/types.ts'
import { ifReadable } from '../writes/outcome.ts'

/** A requirement that a report is about. */
export interface Changed {
  requirement: Requirement
  /** Its state before, where that is known and was another. */
  was: string | undefined
}

/** Requirements that were not verified, by key. */
export interface Open {
  states: ReadonlyMap<string, string | undefined>
  /** No other requirement was open: the list is of open ones, was read to its end, and names each. */
  isWhole: boolean
}

const PAGE = 200
/** Cases whose requirements are looked up, in addition to those that the answer itself names. */
const CASES = 200
const REQUIREMENTS = 100

/** The open requirements before a report; undefined where the service does not list them: nothing depends on it. */
export async function openRequirements(productId: string, { api, signal }: Context): Promise<Open | undefined> {
  const filter = { coverage_state: ['not_run' as const, 'no_test' as const], view: 'REQUIREMENT_VIEW_BASIC' as const }
  const found = await ifReadable(
    api.listRequirements({ product_id: productId, ...filter, page_size: PAGE }, { signal }),
  )
  if (found === undefined) return undefined
  const { requirements, reading } = found
  const isOpenOnly = !reading.notApplied.includes('coverage_state')
  const states = requirements.flatMap(({ key, coverage }) =>
    key === undefined ? [] : [[key, coverage?.state] as const],
  )
  const isWhole = reading.isComplete === true && isOpenOnly && states.length === requirements.length
  return { states: new Map(states), isWhole }
}

export type ReportedCase = Received<{ key: string; status: string; requirement_keys: string[] }>

/** What the service knows of the reported cases, by the key of each. */
export interface KnownCases {
  /** Keys of the requirements that each is linked to. */
  links: Map<string, string[]>
  /** The issues that they reproduce. */
  issues: Map<string, NonNullable<Test['issue']>>
}

/**
 * The requirements that each reported case is linked to, and the issue it reproduces: a report names only the requirements
 * in its tags, the others the test names. Failing cases are looked up first; a case that was not looked up and has no tag is
 * not in it.
 */
export async function readKnownCases(
  productId: string,
  cases: readonly ReportedCase[],
  { api, signal }: Context,
): Promise<KnownCases> {
  const issues: KnownCases['issues'] = new Map()
  const known = cases.filter(({ key }) => key !== undefined && key !== '')
  const links = new Map(
    known.flatMap(({ key = '', requirement_keys: named = [] }) => (named.length === 0 ? [] : [[key, named] as const])),
  )
  const isFailing = ({ status }: ReportedCase) => status === 'RESULT_STATUS_FAILED' || status === 'RESULT_STATUS_ERROR'
  const ordered = [...known.filter(isFailing), ...known.filter((one) => !isFailing(one))]
  const key = ordered.flatMap((one) => one.key ?? []).slice(0, CASES)
  if (key.length === 0) return { links, issues }
  const found = await ifReadable(
    everyPage(
      (page) => api.listTests({ product_id: productId, key, view: 'TEST_VIEW_BASIC', ...page }, { signal }),
      'tests',
    ),
  )
  for (const { key: test = '', requirement_keys: linked, issue } of found?.rows ?? []) {
    // A deployment that does not know the filter would answer with any.
    if (!key.includes(test)) continue
    if (linked !== undefined) links.set(test, [...new Set([...(links.get(test) ?? []), ...linked])])
    if (issue !== null && issue !== undefined) issues.set(test, issue)
  }
  return { links, issues }
}

/**
 * Requirements as they are after a report, those whose state changed first. Empty where they cannot be read: the report is
 * taken all the same.
 */
export async function readStates(
  productId: string,
  keys: Iterable<string>,
  before: Open | undefined,
  { api, signal }: Context,
): Promise<Changed[]> {
  const key = [...new Set(keys)].slice(0, REQUIREMENTS)
  if (key.length === 0) return []
  const found = await ifReadable(
    everyPage(
      (page) =>
        api.listRequirements({ product_id: productId, key, view: 'REQUIREMENT_VIEW_BASIC', ...page }, { signal }),
      'requirements',
    ),
  )
  // A deployment that does not know the filter would answer with any.
  const asked = (found?.rows ?? []).filter((row) => key.includes(row.key ?? ''))
  const rows = asked.map((requirement) => {
    const was = stateBefore(requirement, before)
    return { requirement, was: was === requirement.coverage?.state ? undefined : was }
  })
  return [...rows.filter(({ was }) => was !== undefined), ...rows.filter(({ was }) => was === undefined)]
}

function stateBefore({ key = '' }: Requirement, before: Open | undefined): string | undefined {
  if (before === undefined) return undefined
  if (before.states.has(key)) return before.states.get(key)
  return before.isWhole ? 'verified' : undefined
}
