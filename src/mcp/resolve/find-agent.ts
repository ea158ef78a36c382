import { ENDPOINT_MISSING, ServiceError } from '../../errors.ts'
import { oncePer } from '../../lib/once.ts'
import { nextCall, type NextAction } from '../result/next-action.ts'
import { describeValue, isShowable, TeachingError } from '../result/teach.ts'
import { teamText } from '../text/team.ts'
import { compareName } from '../text/untrusted.ts'
import { mayBeId } from './ids.ts'
import { explainNotOffered, ifOffered, isNotOffered } from './offered.ts'
import { everyPage, rowsSearched, undefinedIfNotFound, type ListedRows } from './requests.ts'
import type { AgentConfig, AgentRun, Product, Resolver, ResolverCall } from './types.ts'

/** Configs that an error names. */
const SHOWN = 5
/** Products that are searched for a config without one. */
const PRODUCTS = 5

/** The part of a resolver that finds agent configs and their runs. */
export function createAgentFinder(call: ResolverCall): Pick<Resolver, 'agentConfigs' | 'agentConfig' | 'agentRun'> {
  const { api, signal } = call
  const agentConfigs = oncePer(async (productId: string): Promise<ListedRows<AgentConfig>> => {
    const read = (page: { page_size: number; page_token?: string }) =>
      api.listAgentConfigs({ product_id: productId, ...page }, { signal })
    const listed = await everyPage(read, 'agent_configs')
    // A row of a list that is in the product's path belongs to the product.
    return { ...listed, rows: listed.rows.map((row) => ({ ...row, product_id: productId })) }
  })
  return {
    agentConfigs,
    async agentConfig(given, productGiven) {
      const scope = await searchedProducts(productGiven, call)
      const lists = await Promise.all(scope.map(({ id }) => ifOffered(agentConfigs(id))))
      const rows = lists.flatMap((list) => list?.rows ?? [])
      const config = findConfig(given, rows) ?? (await readConfig(given, call))
      const owners = productGiven === undefined ? await call.products() : scope
      const product = owners.find(({ id }) => id === config?.product_id)
      if (config !== undefined && config.product_id === undefined) throw ownerNotStated('agent config')
      if (config !== undefined && product !== undefined) return { config, product }
      // Without the list nothing is known of names.
      if (lists.includes(undefined)) throw listNotOffered(given)
      throw configNotFound(given, { scope, rows, among: lists.map((list) => list && rowsSearched(list)) })
    },
    async agentRun(given, productGiven) {
      const run = mayBeId(given) ? await readRun(given, call) : undefined
      const products = productGiven === undefined ? await call.products() : [await call.product(productGiven)]
      const owner = run && (run.product_id ?? (await productOfConfig(run, products, agentConfigs)))
      if (run !== undefined && owner === undefined) throw ownerNotStated('agent run')
      const product = products.find(({ id }) => id === owner)
      if (run !== undefined && product !== undefined) return { run, product }
      throw new TeachingError('not_found', 'agent run not found', {
        sent: `run = ${describeValue(given)}`,
        expected: 'the id of an agent run',
        next: configsCall(products[0]?.id),
        hint: 'get_agent_run with config lists the newest runs of an agent config.',
      })
    },
  }
}

async function searchedProducts(given: string | undefined, call: ResolverCall): Promise<readonly Product[]> {
  return given === undefined ? (await call.products()).slice(0, PRODUCTS) : [await call.product(given)]
}

/**
 * The config of this id or name, in any case where none has exactly this name, or the only one of this agent type. Throws
 * `ambiguous_name` where several are meant.
 */
function findConfig(given: string, rows: readonly AgentConfig[]): AgentConfig | undefined {
  const ways = [
    rows.filter(({ id }) => id === given),
    rows.filter(({ name }) => compareName(name, given) === 'exact'),
    rows.filter(({ name }) => compareName(name, given) === 'fold'),
    rows.filter(({ agent_type_id: type }) => type === given.toLowerCase().replaceAll(/[\s-]+/g, '_')),
  ]
  const [found, ...others] = ways.find((matches) => matches.length > 0) ?? []
  if (others.length > 0 && found !== undefined) {
    throw new TeachingError('ambiguous_name', 'several agent configs match', {
      sent: `config = ${describeValue(given)}`,
      expected: `one id: ${labels([found, ...others])}`,
    })
  }
  return found
}

/** A config that is in no list, by its id; undefined for what is no id of one. */
async function readConfig(given: string, { api, signal }: ResolverCall): Promise<AgentConfig | undefined> {
  if (!mayBeId(given)) return undefined
  const read = api.getAgentConfig({ id: given }, { signal }).then(({ agent_config: config }) => config)
  return undefinedIfNotFound(read.catch(explainUnlessMissing('agent configs')))
}

async function readRun(given: string, { api, signal }: ResolverCall): Promise<AgentRun | undefined> {
  const read = api.getAgentRun({ id: given }, { signal }).then(({ agent_run: run }) => run)
  return undefinedIfNotFound(read.catch(explainUnlessMissing('agent runs')))
}

/** For `catch` of a read by id, where 404 usually means that the thing is missing and not its endpoint. */
function explainUnlessMissing(what: string): (error: unknown) => never {
  return (error) => {
    const isMissing = error instanceof ServiceError && error.code === 'not_found'
    if (isMissing || !isNotOffered(error)) throw error
    return explainNotOffered(what, { hint: 'ask the user to look at it in the web interface.' })(error)
  }
}

/** The product in whose list the run's config is; undefined where no list says it. */
async function productOfConfig(
  { agent_config_id: config }: AgentRun,
  products: readonly Product[],
  list: Resolver['agentConfigs'],
): Promise<string | undefined> {
  if (config === undefined) return undefined
  const lists = await Promise.all(products.slice(0, PRODUCTS).map(({ id }) => ifOffered(list(id))))
  return lists.flatMap((listed) => listed?.rows ?? []).find(({ id }) => id === config)?.product_id
}

function listNotOffered(given: string): TeachingError {
  return new TeachingError(
    'unimplemented',
    'this deployment does not offer the list of agent configs',
    { sent: `config = ${describeValue(given)}`, expected: 'the id of an agent config' },
    { reason: ENDPOINT_MISSING },
  )
}

function ownerNotStated(what: string): ServiceError {
  return new ServiceError('upstream_shape_unknown', `the deployment does not say which product the ${what} belongs to`)
}

interface Searched {
  scope: readonly Product[]
  rows: readonly AgentConfig[]
  /** How many were read of each list that may have more. */
  among: readonly (number | undefined)[]
}

function configNotFound(given: string, { scope, rows, among }: Searched): TeachingError {
  const some = among.find((count) => count !== undefined)
  const where = some === undefined ? '' : ` among the first ${some.toLocaleString('en')}`
  return new TeachingError('not_found', `agent config not found${where}`, {
    sent: `config = ${describeValue(given)}`,
    expected: rows.length === 0 ? 'there is no agent config yet' : `one of ${labels(rows)}`,
    next: [...(rows.length === 0 ? [typesCall(scope[0]?.id)] : []), configsCall(scope[0]?.id)],
  })
}

/** The call that lists the agent types, for the first config. */
function typesCall(product?: string): NextAction {
  return nextCall('get_agent_config', { ...(product !== undefined && { product }) }, 'lists agent types')
}

/** The call that lists the agent configs of a product. */
export function configsCall(product?: string): NextAction {
  const args = { ...(product !== undefined && { product }), include: ['agent_configs'] }
  return nextCall('get_workspace_context', args, 'lists agent configs')
}

function labels(rows: readonly AgentConfig[]): string {
  const shown = rows.slice(0, SHOWN).map((row) => `${configLabel(row)} (${row.id})`)
  return rows.length > SHOWN ? `${shown.join(', ')} and ${String(rows.length - SHOWN)} more` : shown.join(', ')
}

/** What a sentence calls an agent config: its name, else its id. */
export function configLabel({ id, name }: Pick<AgentConfig, 'id' | 'name'>): string {
  return name === undefined || name === '' ? id : teamText(name, { characters: 60 })
}

/** What a call names an agent config by: its name where that can be repeated as it is, else its id (decision 013). */
export function configArgument({ id, name }: Pick<AgentConfig, 'id' | 'name'>): string {
  return name !== undefined && name !== '' && isShowable(name) ? name : id
}
