import type { Suggest, SuggestContext } from '../define/define.ts'
import { clean, inOneLine } from '../../lib/outside-text/clean.ts'
import { issueName, keyPrefix } from '../resolve/ids.ts'
import { configArgument } from '../resolve/find-agent.ts'
import { branchArgument } from '../resolve/find-branch.ts'
import type { AgentConfig, Product } from '../resolve/types.ts'
import { knownName } from '../text/untrusted.ts'

/** Number of products that are searched for one suggestion. */
const PRODUCTS = 5
const ISSUES = 100
const REQUIREMENTS = 200

/** Keys of issues, the unresolved ones first, each group last seen first. */
export const issueKeys: Suggest = async (typed, context) => {
  const { api, resolve, signal } = context
  const [all, meant] = await Promise.all([resolve.products(), searchedProducts(context)])
  const products = meant.filter((product) => canHaveKey(product, typed))
  const read = (status?: 'unresolved') =>
    Promise.all(products.map(({ id }) => api.listIssues({ product_id: id, status, page_size: ISSUES }, { signal })))
  const lists = (await Promise.all([read('unresolved'), read()])).flat()
  const keys = lists.flatMap(({ issues }) => issues.map((issue) => issueName(issue, all)))
  return [...new Set(keys)].filter(beginsWith(typed))
}

/** Names of products whose name or key prefix begins with the typed text. */
export const productNames: Suggest = async (typed, { resolve }) => {
  const products = await resolve.products()
  return products
    .filter(({ name = '', key_prefix: prefix = '' }) => [name, prefix].some(beginsWith(typed)))
    .map(({ id, name }) => (name === undefined ? id : inOneLine(clean(name))))
}

/** Names of environments that the workspace vouches for; names that only events used are not suggested. */
export const environmentNames: Suggest = async (typed, context) => {
  const meant = await searchedProducts(context)
  const lists = await Promise.all(meant.map(({ id }) => context.resolve.environments(id)))
  const names = lists.flatMap(({ rows }) => rows).flatMap(({ name, known }) => knownName(name, known) ?? [])
  return [...new Set(names)].filter(beginsWith(typed))
}

/** Names of components. */
export const componentNames: Suggest = async (typed, context) => {
  const meant = await searchedProducts(context)
  const lists = await Promise.all(meant.map(({ id }) => context.resolve.components(id)))
  const names = lists
    .flatMap(({ rows }) => rows)
    .flatMap(({ name }) => (name === undefined ? [] : [inOneLine(clean(name))]))
  return [...new Set(names)].filter(beginsWith(typed))
}

/** Names of open quality branches. */
export const branchNames: Suggest = async (typed, context) => {
  const meant = await searchedProducts(context)
  const lists = await Promise.all(meant.map(({ id }) => context.resolve.branches(id)))
  const names = lists.flatMap(({ rows }) => rows).map(branchArgument)
  return [...new Set(names)].filter(beginsWith(typed))
}

/** Names of agent configs. */
export const agentConfigNames: Suggest = async (typed, context) => {
  const names = (await readConfigs(context)).map(configArgument)
  return [...new Set(names)].filter(beginsWith(typed))
}

/** Ids of the last run of each agent config. */
export const agentRunIds: Suggest = async (typed, context) => {
  const ids = (await readConfigs(context)).flatMap(({ last_run: run }) => run?.id ?? [])
  return ids.filter(beginsWith(typed))
}

async function readConfigs(context: SuggestContext): Promise<AgentConfig[]> {
  const meant = await searchedProducts(context)
  const lists = await Promise.all(meant.map(({ id }) => context.resolve.agentConfigs(id)))
  return lists.flatMap(({ rows }) => rows)
}

/** Keys of requirements, the unverified ones first; only with a single product, because keys are unique only within one. */
export const requirementKeys: Suggest = async (typed, context) => {
  const { api, signal } = context
  const [product, ...others] = await searchedProducts(context)
  if (product === undefined || others.length > 0) return []
  const page = { product_id: product.id, view: 'REQUIREMENT_VIEW_BASIC', page_size: REQUIREMENTS } as const
  const lists = await Promise.all([
    api.listRequirements({ ...page, coverage_state: ['no_test', 'not_run'] }, { signal }),
    api.listRequirements(page, { signal }),
  ])
  const keys = lists.flatMap(({ requirements }) => requirements.flatMap(({ key }) => key ?? []))
  return [...new Set(keys)].filter(beginsWith(typed))
}

/** The product that the caller filled in, otherwise the first visible ones. */
async function searchedProducts({ resolve, given }: SuggestContext): Promise<Product[]> {
  const { product } = given
  if (product !== undefined && product !== '') return [await resolve.product(product)]
  return (await resolve.products()).slice(0, PRODUCTS)
}

/** Whether an issue of the product can have a key that begins with the typed text. */
function canHaveKey({ key_prefix: prefix }: Product, typed: string): boolean {
  if (prefix === undefined || typed === '') return true
  return keyPrefix(typed) === prefix || beginsWith(typed)(`${prefix}-`)
}

function beginsWith(typed: string): (value: string) => boolean {
  const fold = typed.trim().toLowerCase()
  return (value) => value.toLowerCase().startsWith(fold)
}
