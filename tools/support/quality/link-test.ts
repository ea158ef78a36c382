import { counted } from '../../../src/lib/counted.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import { isNotOffered, notOffered } from '../../../src/mcp/resolve/offered.ts'
import type { Requirement, Test } from '../../../src/mcp/resolve/types.ts'
import { failureWords, mayBeDone } from '../writes/outcome.ts'

export interface Linked {
  /** As the caller wrote it. */
  given: string
  requirement: Requirement | undefined
  outcome:
    | 'linked'
    | 'confirmed'
    | 'in_doubt'
    | 'already'
    | 'proposed'
    | 'would_link'
    | 'would_confirm'
    | 'unknown'
    | 'failed'
  /** Of a link that is or was in doubt: how the requirement changed since it was made. */
  change?: string | undefined
  error?: string
}

/** A requirement to link, and the numbers of its criteria that the test proves; none for the whole of it. */
export interface WantedLink {
  given: string
  requirement: Requirement | undefined
  criteria: readonly number[]
}

interface Linking {
  context: Pick<Context, 'api' | 'signal'>
  branch: string | undefined
  /** Why links in doubt still hold; undefined: they stay in doubt. */
  confirm: string | undefined
  /** Nothing is written. */
  dryRun: boolean
}

/** Enough for the links of one test. */
const LINKS = 200

/**
 * Links a test to requirements, each by itself: one that fails does not stop the others. An existing link stays, one in
 * doubt stays so unless it is to be confirmed, and one that does not count as coverage becomes one that does.
 */
export async function linkRequirements(
  /** Undefined in a preview of a new one. */
  test: Test | undefined,
  wanted: readonly WantedLink[],
  linking: Linking,
): Promise<Linked[]> {
  const before = await readLinks(test, linking)
  if (typeof before === 'string')
    return wanted.map(({ given, requirement }) => ({ given, requirement, outcome: 'failed', error: before }))
  const links: Linked[] = []
  for (const one of wanted) {
    const { given, requirement } = one
    const known = before.find(({ requirement_id: id }) => id === requirement?.id)
    const linked = await linkOne(test, one, known, linking)
    links.push({ given, requirement, change: known?.requirement_changes || undefined, ...linked })
  }
  return links
}

type Known = Exclude<Awaited<ReturnType<typeof readLinks>>, string>[number]

/** The existing links, or in words why they cannot be read. */
async function readLinks(test: Pick<Test, 'id' | 'link_count'> | undefined, { context: { api, signal } }: Linking) {
  if (test === undefined || test.link_count === 0) return []
  try {
    return (await api.listTestLinks({ test_id: test.id, page_size: LINKS }, { signal })).links
  } catch (error) {
    // Linking again does no harm, so none has to be known where the deployment does not list them.
    return isNotOffered(error) ? [] : failureWords(error)
  }
}

async function linkOne(
  test: Test | undefined,
  { requirement, criteria }: WantedLink,
  known: Known | undefined,
  linking: Linking,
): Promise<Pick<Linked, 'outcome' | 'error'>> {
  if (requirement === undefined) return { outcome: 'failed', error: 'no such requirement in the product' }
  if (requirement.kind === 'REQUIREMENT_KIND_GROUP') return { outcome: 'failed', error: 'a group: link what it holds' }
  const { acceptance_criteria: all = [] } = requirement
  const wanted = criteria.flatMap((number) => all[number - 1]?.id ?? [])
  const missing = criteria.find((number) => all[number - 1] === undefined)
  if (missing !== undefined) {
    const has = counted(all.length, 'acceptance criterion', 'acceptance criteria')
    return { outcome: 'failed', error: `it has ${has}, and no criterion ${String(missing)}` }
  }
  const isConfirming = isInDoubt(known) && linking.confirm !== undefined
  if (isThere(known, wanted) && !isConfirming) return { outcome: isInDoubt(known) ? 'in_doubt' : 'already' }
  if (linking.dryRun || test === undefined) return { outcome: isConfirming ? 'would_confirm' : 'would_link' }
  try {
    const { link, proposal } = await sendLink(test, requirement, { known, wanted }, linking)
    if (proposal !== null && proposal !== undefined) return { outcome: 'proposed' }
    return { outcome: linkedWord(known, link ?? undefined) }
  } catch (error) {
    if (isNotOffered(error)) return { outcome: 'failed', error: failureWords(notOffered('links of tests', {}, error)) }
    if (!mayBeDone(error)) return { outcome: 'failed', error: failureWords(error) }
    const now = await linkNow(test, requirement, linking)
    const isDone = isThere(now, wanted) && !(isConfirming && isInDoubt(now))
    return { outcome: isDone ? linkedWord(known, now) : 'unknown' }
  }
}

/** Whether a link counts as coverage and has these criteria. */
function isThere(link: Known | undefined, criteria: readonly string[]): boolean {
  if (link === undefined || link.role === 'LINK_ROLE_EXERCISES') return false
  return criteria.every((id) => link.criterion_ids?.includes(id))
}

/** Whether the requirement changed since the link was made; a deployment that has no states has no links in doubt. */
function isInDoubt(link: Pick<Known, 'state'> | undefined): boolean {
  return link?.state === 'LINK_STATE_SUSPECT'
}

function linkedWord(before: Known | undefined, after: Pick<Known, 'state'> | undefined) {
  if (isInDoubt(after)) return 'in_doubt'
  return isInDoubt(before) ? 'confirmed' : 'linked'
}

function sendLink(
  test: Test,
  requirement: Requirement,
  { known, wanted }: { known: Known | undefined; wanted: readonly string[] },
  { context: { api, signal }, branch, confirm }: Linking,
) {
  return api.linkTest(
    {
      test_id: test.id,
      requirement_id: requirement.id,
      role: known?.role === 'LINK_ROLE_EXERCISES' ? 'LINK_ROLE_VERIFIES' : undefined,
      criterion_ids: wanted.length === 0 ? undefined : [...new Set([...(known?.criterion_ids ?? []), ...wanted])],
      branch_id: branch,
      ...(confirm !== undefined && isInDoubt(known) && { confirm: true, reason: confirm }),
    },
    { signal },
  )
}

/** The link after a request without a usable reply; a proposal on a branch is not among the links. */
async function linkNow(test: Test, requirement: Requirement, linking: Linking): Promise<Known | undefined> {
  const links = await readLinks({ ...test, link_count: undefined }, linking)
  if (typeof links === 'string') return undefined
  return links.find(({ requirement_id: id }) => id === requirement.id)
}
