import { oncePer } from '../../lib/once.ts'
import { compareName } from '../text/untrusted.ts'
import { teamText } from '../text/team.ts'
import { nextCall, type NextAction } from '../result/next-action.ts'
import { withoutPrefix } from '../result/present.ts'
import { describeValue, isShowable, TeachingError } from '../result/teach.ts'
import { isUuid, mayBeId } from './ids.ts'
import { explainNotOffered, ifOffered, isNotOffered } from './offered.ts'
import { everyPage, rowsSearched, undefinedIfNotFound, type ListedRows } from './requests.ts'
import type { Branch, Product, Resolver, ResolverCall } from './types.ts'

/** Branches that an error names. */
const SHOWN = 5
/** Products that are searched for a branch without one. */
const PRODUCTS = 5

/** The part of a resolver that finds quality branches. */
export function createBranchFinder(call: ResolverCall): Pick<Resolver, 'branches' | 'branch'> {
  const { api, signal } = call
  const branches = oncePer(async (productId: string): Promise<ListedRows<Branch>> => {
    const filter = { product_id: productId, state: ['BRANCH_STATE_OPEN' as const] }
    const listed = await everyPage((page) => api.listBranches({ ...filter, ...page }, { signal }), 'branches')
    // A row of a list that is in the product's path belongs to the product.
    return { ...listed, rows: listed.rows.filter(isOpen).map((row) => ({ ...row, product_id: productId })) }
  })
  return {
    branches,
    async branch(given, productId) {
      const scope = productId === undefined ? (await call.products()).slice(0, PRODUCTS) : [{ id: productId }]
      const lists = await Promise.all(scope.map(({ id }) => unlessId(given, branches(id))))
      const open = lists.flatMap((list) => list?.rows ?? [])
      const found = findOpen(given, open)
      if (found !== undefined) return found
      const alone = await readAlone(given, call)
      if (alone === 'not offered' && lists.includes(undefined)) return { id: given }
      const isOurs = typeof alone === 'object' && scope.some(({ id }) => id === alone.product_id)
      const ended = isOurs ? alone : await findEnded(given, scope, call)
      if (ended !== undefined) return requireOpen(ended)
      throw notFound(given, { scope, open, among: lists.map((list) => list && rowsSearched(list)) })
    },
  }
}

/** Whether a branch is open; one whose state is not stated, or not known here, may be. */
export function isOpen({ state }: Branch): boolean {
  return state !== 'BRANCH_STATE_MERGED' && state !== 'BRANCH_STATE_CLOSED'
}

/**
 * The branch of this id or name, in any case where none has exactly this name. Throws `ambiguous_name` where several rows
 * are meant.
 */
export function findOpen(given: string, rows: readonly Branch[]): Branch | undefined {
  const [found, ...others] = matching(given, rows)
  if (found !== undefined && others.length > 0) throw severalMatch(given, [found, ...others])
  return found
}

/** The rows meant: the one with the id, else those of the name, else those of the name in another case. */
function matching(given: string, rows: readonly Branch[]): Branch[] {
  const byId = rows.find(({ id }) => id === given)
  if (byId !== undefined) return [byId]
  const named = (how: string) => rows.filter(({ name }) => compareName(name, given) === how)
  const exact = named('exact')
  return exact.length > 0 ? exact : named('fold')
}

/** The list; undefined where this deployment does not offer it and a UUID was given, which needs none. */
async function unlessId<T>(given: string, list: Promise<T>): Promise<T | undefined> {
  try {
    return await list
  } catch (error) {
    if (isNotOffered(error) && isUuid(given)) return undefined
    return explainNotOffered('quality branches', { sent: sentWords(given), hint: WITHOUT })(error)
  }
}

/** A branch that is not among the open ones, by its id; undefined for what is no id of a branch. */
async function readAlone(given: string, { api, signal }: ResolverCall): Promise<Branch | 'not offered' | undefined> {
  if (!mayBeId(given)) return undefined
  try {
    return (await api.getBranch({ id: given }, { signal })).branch
  } catch (error) {
    if (isNotOffered(error)) return 'not offered'
    return undefinedIfNotFound<undefined>(Promise.reject(error))
  }
}

/** The newest branch of this name that was merged or closed. */
async function findEnded(
  given: string,
  scope: readonly Product[],
  { api, signal }: ResolverCall,
): Promise<Branch | undefined> {
  const ended = { state: ['BRANCH_STATE_MERGED' as const, 'BRANCH_STATE_CLOSED' as const], name: given, page_size: 1 }
  const lists = await Promise.all(
    scope.map(({ id }) => ifOffered(api.listBranches({ product_id: id, ...ended }, { signal }))),
  )
  return lists.flatMap((list) => list?.branches ?? []).find((row) => row.name === given && !isOpen(row))
}

/** The branch if it is open. Throws `BRANCH_NOT_OPEN` with what became of it. */
function requireOpen(branch: Branch): Branch {
  if (isOpen(branch)) return branch
  const { id, name, state, merged_at: mergedAt, product_id: product } = branch
  const day = mergedAt === null || mergedAt === undefined ? '' : ` on ${mergedAt.slice(0, 10)}`
  const what = withoutPrefix(state, 'BRANCH_STATE_') ?? 'closed'
  const isMerged = what === 'merged'
  throw new TeachingError(
    'failed_precondition',
    `quality branch ${branchLabel({ id, name })} was ${what}${isMerged ? day : ''}`,
    {
      expected: isMerged ? 'its changes are in the main tree: the same call without branch' : 'an open quality branch',
      next: branchesCall(product),
    },
    { reason: 'BRANCH_NOT_OPEN' },
  )
}

function severalMatch(given: string, rows: readonly Branch[]): TeachingError {
  return new TeachingError('ambiguous_name', 'several quality branches match', {
    sent: sentWords(given),
    expected: `one id: ${labels(rows)}`,
  })
}

interface Searched {
  scope: readonly Product[]
  open: readonly Branch[]
  /** How many were read of each list that may have more. */
  among: readonly (number | undefined)[]
}

function notFound(given: string, { scope, open, among }: Searched): TeachingError {
  if (open.length > 0 && open.every(({ name }) => name === undefined)) {
    const lesson = { sent: sentWords(given), expected: `an id: ${labels(open)}` }
    return new TeachingError('wrong_id_kind', 'this deployment does not show the names of quality branches', lesson)
  }
  const some = among.find((count) => count !== undefined)
  const where = some === undefined ? '' : ` among the first ${some.toLocaleString('en')}`
  const list = open.length === 0 ? 'none is open' : `open: ${labels(open)}`
  return new TeachingError('not_found', `quality branch not found${where}`, {
    sent: sentWords(given),
    expected: `${list}. A quality branch holds planned requirements, a git branch is something else`,
    next: scope.length === 1 ? branchesCall(scope[0]?.id) : [],
    hint: WITHOUT,
  })
}

const WITHOUT = 'leave branch out for the main tree.'

function sentWords(given: string): string {
  return `branch = ${describeValue(given)}`
}

/** The call that lists the open branches of a product. */
export function branchesCall(product?: string): NextAction {
  const args = { ...(product !== undefined && { product }), include: ['branches'] }
  return nextCall('get_workspace_context', args, 'lists the open quality branches')
}

function labels(rows: readonly Branch[]): string {
  const shown = rows.slice(0, SHOWN).map((row) => `${branchLabel(row)} (${row.id})`)
  return rows.length > SHOWN ? `${shown.join(', ')} and ${String(rows.length - SHOWN)} more` : shown.join(', ')
}

/** What a sentence calls a branch: its name, else its id. */
export function branchLabel({ id, name }: Pick<Branch, 'id' | 'name'>): string {
  return name === undefined || name === '' ? id : teamText(name, { characters: 60 })
}

/** What a call names a branch by: its name where that can be repeated as it is, else its id (decision 013). */
export function branchArgument({ id, name }: Pick<Branch, 'id' | 'name'>): string {
  return name !== undefined && name !== '' && isShowable(name) ? name : id
}
