import * as z from 'zod'
import { AgentConfig, AgentRun, AgentRunState } from '../src/contract/agents.ts'
import { Actor } from '../src/contract/base/common.ts'
import { Environment, Release } from '../src/contract/environments.ts'
import { Onboarding, Product as ProductSchema, Token, User, Workspace } from '../src/contract/products.ts'
import { counted } from '../src/lib/counted.ts'
import { defineTool, type Context } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { ifOffered, notOfferedSentence } from '../src/mcp/resolve/offered.ts'
import { rowsSearched } from '../src/mcp/resolve/requests.ts'
import type { Branch, Product } from '../src/mcp/resolve/types.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { fields, pick, rows, teamLine } from '../src/mcp/result/output.ts'
import { isShowable } from '../src/mcp/result/teach.ts'
import { teamText } from '../src/mcp/text/team.ts'
import { isSameVersion, knownName, nameContains, quoted } from '../src/mcp/text/untrusted.ts'
import { unvouchedMembers, vouchedName } from './support/columns.ts'
import { cutNames, kept } from './support/cuts.ts'
import { eventOrReport } from './support/test-names.ts'

/** Rows of one extra list; the newest releases of a long-lived product do not fill a page. */
const ROWS = 30
/** Of a component's globs. */
const GLOBS = 3

const lists = ['environments', 'components', 'releases', 'branches', 'agent_configs'] as const

const named = { id: z.string(), name: teamLine }

export const getWorkspaceContext = defineTool({
  name: 'get_workspace_context',
  toolset: 'default',
  effect: 'read',
  title: 'Workspace and product context',
  description:
    'List your workspaces, products, environments, components, releases, quality branches and agent configs with ids, and who is logged in. ' +
    'Call once at the start, or whenever a name or id is unknown; later calls accept either.',
  input: z.strictObject({
    product: parameters.Product,
    include: parameters.named('Extra lists.', z.array(z.enum([...lists, 'setup'])).optional()),
    match: parameters.named('Only names containing this.', z.string().optional()),
  }),
  output: z.object({
    principal: fields({ user: User.shape.display_name, token: Token.shape.name, scopes: z.string() }),
    pinned_product: fields(named).optional(),
    products: rows({ ...named, key_prefix: z.string(), workspace: Workspace.shape.name, unresolved_issues: z.int() }),
    environments: rows({ id: z.string(), name: z.string(), ...pick(Environment, 'kind', 'last_event_at') }).optional(),
    components: rows({ ...named, paths: teamLine, unresolved_issues: z.int() }).optional(),
    releases: rows({
      id: z.string(),
      name: z.string(),
      environment: z.string(),
      released_at: Release.shape.released_at,
      new_issues: z.int(),
    }).optional(),
    branches: rows({
      ...named,
      changes: z.int(),
      decisions_open: z.int(),
      created_by: Actor.shape.display_name,
    }).optional(),
    agent_configs: rows({
      ...named,
      type: AgentConfig.shape.agent_type_id,
      last_run: AgentRunState,
      finished_at: AgentRun.shape.finished_at,
    }).optional(),
    setup: fields({
      state: ProductSchema.shape.setup_state,
      done: Onboarding.shape.completed_steps,
      missing: Onboarding.shape.pending_steps,
      dsn: ProductSchema.shape.ingest.shape.dsn,
    }).optional(),
    server: z.object({
      name: z.string().optional(),
      mode: z.string().optional(),
      surface: z.string(),
      toolsets: z.string(),
      read_only: z.boolean(),
    }),
  }),
  cuts: [
    { path: 'agent_configs', least: 5 },
    { path: 'branches', least: 5 },
    { path: 'releases', least: 5 },
    { path: 'components', least: 5 },
    { path: 'environments', least: 5 },
    { path: 'named_only_by_events_or_tests', least: 5 },
    { path: 'names_not_vouched_for', least: 5 },
    { path: 'products', least: 5 },
  ],

  async run({ product: given, include = [], match = '' }, context) {
    const { api, options, resolve, signal } = context
    const [me, all] = await Promise.all([ifOffered(api.getMe({}, { signal })), resolve.products()])
    const chosen = include.length === 0 && given === undefined ? undefined : await resolve.product(given)
    const workspaces = new Map(me?.user.workspaces?.map(({ id, name }) => [id, name]))
    const { lists, missing, unread } = await readLists(chosen, include, match, context)
    const { environments, components, releases, branches, agent_configs: configs } = lists
    const whoWords = me === undefined ? ' This deployment does not say who is logged in.' : ''
    const product = chosen ?? all[0]
    const name = teamText(product?.name ?? product?.id ?? '')
    const products = matchingProducts(all, { chosen, match, isListed: Object.values(lists).some((list) => list) })
    const missed = match === '' ? '' : missedWords(match, { products, ...lists }, unread)
    return {
      answer: `${counted(all.length, 'product')} visible${chosen === undefined ? '' : `; lists are of ${name}`}.${missed}${unreadWords(unread)}${whoWords}${notOfferedSentence(missing.map(nounWords))}`,
      product: chosen,
      data: {
        principal: {
          user: me?.user.display_name ?? me?.user.email ?? 'not stated',
          token: me?.token?.name,
          scopes: me?.token?.scopes?.join(' '),
        },
        pinned_product: options.product === undefined ? undefined : all[0],
        products: products.map((row) => ({
          ...row,
          workspace: workspaces.get(row.workspace_id ?? ''),
          unresolved_issues: row.counts?.unresolved_issues,
        })),
        environments: environments?.slice(0, ROWS).map((row) => ({ ...row, name: vouchedName(row.name, row.known) })),
        components: components?.slice(0, ROWS).map((row) => ({
          ...row,
          paths: firstPaths(row.path_globs),
          unresolved_issues: row.stats?.unresolved_issues,
        })),
        releases: releases?.slice(0, ROWS).map((row) => ({
          ...row,
          name: vouchedName(row.version, row.known),
          environment: vouchedName(row.environment, row.environment_known),
          new_issues: row.counts?.new_issues,
        })),
        branches: branches?.slice(0, ROWS).map((row) => ({
          ...row,
          changes: changeCount(row),
          decisions_open: row.counts?.needs_decision,
          created_by: row.created_by?.display_name,
        })),
        agent_configs: configs?.slice(0, ROWS).map((row) => ({
          ...row,
          type: row.agent_type_id,
          last_run: row.last_run?.state,
          finished_at: row.last_run?.finished_at,
        })),
        setup: include.includes('setup')
          ? {
              state: chosen?.setup_state,
              done: me?.onboarding?.completed_steps,
              missing: me?.onboarding?.pending_steps,
              dsn: chosen?.ingest?.dsn,
            }
          : undefined,
        server: {
          name: [me?.server?.name, me?.server?.version].filter(Boolean).join(' '),
          mode: me?.server?.mode,
          surface: context.surfaceDigest,
          toolsets: options.toolsets.join(','),
          read_only: options.readOnly,
        },
      },
      untrusted: { ...eventOrReport, content: unvouchedNames(lists) },
      cut: cutNames([], {
        environments: kept(environments ?? [], ROWS),
        components: kept(components ?? [], ROWS),
        releases: kept(releases ?? [], ROWS),
        branches: kept(branches ?? [], ROWS),
        agent_configs: kept(configs ?? [], ROWS),
      }),
      howToGetMore: 'call again with match, a part of the name',
      next: [
        product && isUnused(product) ? setupCall(product, include, context) : undefined,
        chosen && configs && nextCall('get_agent_config', { product: chosen.id }, 'what each agent type does'),
        product && nextCall('find_error_issues', { product: product.id }, `errors of ${name}`),
      ],
    }
  },
})

/** What a product that nothing has reached needs: its checks, else its DSN unless this answer has it. */
function setupCall({ id }: Product, include: readonly string[], { offers }: Context) {
  if (offers('verify_setup')) return nextCall('verify_setup', { product: id }, 'what is missing')
  if (include.includes('setup')) return undefined
  return nextCall(
    'get_workspace_context',
    { product: id, include: ['setup'] },
    'has its DSN; the prompt set_up_product connects an application',
  )
}

/** Whether the product states that its setup is incomplete and that it has neither open issues nor tests. */
function isUnused({ setup_state: state, counts }: Product): boolean {
  return state === 'SETUP_STATE_INCOMPLETE' && counts?.unresolved_issues === 0 && counts.tests === 0
}

/** How many requirements and tests a branch changes; undefined where the deployment does not count them. */
function changeCount({ counts }: Branch): number | undefined {
  const { created, modified, deleted, moved } = counts ?? {}
  if (created === undefined || modified === undefined) return undefined
  return created + modified + (deleted ?? 0) + (moved ?? 0)
}

/** `a/** b/** c/** and 2 more` */
function firstPaths(globs: readonly string[] = []): string {
  const rest = globs.length - GLOBS
  return [...globs.slice(0, GLOBS), ...(rest > 0 ? [`and ${rest} more`] : [])].join(' ')
}

/** The products that match; where lists of one product are searched, that one. */
function matchingProducts(
  all: readonly Product[],
  { chosen, match, isListed }: { chosen: Product | undefined; match: string; isListed: boolean },
): readonly Product[] {
  if (match === '') return all
  if (chosen !== undefined && isListed) return [chosen]
  return all.filter((row) => [row.name, row.slug, row.key_prefix].some((name) => nameContains(name, match)))
}

/** ` No release has "2.0" in its name.`: a sentence for each list in which nothing matches. */
function missedWords(
  match: string,
  lists: Readonly<Record<string, readonly unknown[] | undefined>>,
  unread: Unread,
): string {
  const text = isShowable(match) ? JSON.stringify(match) : 'the text in match'
  return Object.entries(lists)
    .filter(([, list]) => list?.length === 0)
    .map(([noun]) => {
      const some = unread.get(noun)
      const none =
        some === undefined ? `No ${singular(noun)}` : `None of these ${some.toLocaleString('en')} ${nounWords(noun)}`
      return ` ${none} has ${text} in its name.`
    })
    .join('')
}

/** `branch` of `branches`, `agent config` of `agent_configs`. */
function singular(noun: string): string {
  return nounWords(noun).replace(/(?<=ch)es$|s$/, '')
}

function nounWords(list: string): string {
  return list.replaceAll('_', ' ')
}

/** How many rows were read of each list that may have more. */
type Unread = ReadonlyMap<string, number>

/** ` Only the first 50 releases were read.`: a sentence for each list that may have more rows. */
function unreadWords(unread: Unread): string {
  return [...unread]
    .map(([noun, count]) => ` There may be more than the first ${count.toLocaleString('en')} ${nounWords(noun)}.`)
    .join('')
}

/** The lists that the caller wants, with the rows whose names contain `match`. */
async function readLists(
  product: Product | undefined,
  include: readonly string[],
  match: string,
  { resolve }: Context,
) {
  const wants = (list: string) => product !== undefined && include.includes(list)
  const id = product?.id ?? ''
  const wanted = {
    environments: wants('environments'),
    components: wants('components'),
    releases: wants('releases'),
    branches: wants('branches'),
    agent_configs: wants('agent_configs'),
  }
  const [environments, components, releases, branches, configs] = await Promise.all([
    wanted.environments ? ifOffered(resolve.environments(id)) : undefined,
    wanted.components ? ifOffered(resolve.components(id)) : undefined,
    wanted.releases ? ifOffered(resolve.releases(id)) : undefined,
    wanted.branches ? ifOffered(resolve.branches(id)) : undefined,
    wanted.agent_configs ? ifOffered(resolve.agentConfigs(id)) : undefined,
  ])
  const read = { environments, components, releases, branches, agent_configs: configs }
  return {
    lists: {
      environments: environments?.rows.filter(({ name }) => nameContains(name, match)),
      components: components?.rows.filter(({ name }) => nameContains(name, match)),
      releases: releases?.rows.filter(({ version }) => nameContains(version, match) || isSameVersion(version, match)),
      branches: branches?.rows.filter(({ name = '' }) => nameContains(name, match)),
      agent_configs: configs?.rows.filter(({ name = '' }) => nameContains(name, match)),
    },
    missing: lists.filter((list) => wanted[list] && read[list] === undefined),
    unread: new Map(
      lists.flatMap((list) => {
        const count = read[list] && rowsSearched(read[list])
        return count === undefined ? [] : [[list, count] as const]
      }),
    ),
  }
}

/** Names of the rows shown that the workspace does not vouch for, by their ids. */
function unvouchedNames({ environments = [], releases = [] }: Awaited<ReturnType<typeof readLists>>['lists']) {
  const given = [
    ...environments.slice(0, ROWS),
    ...releases.slice(0, ROWS).map(({ id, version, known }) => ({ id, name: version, known })),
  ]
  const left = given.filter(({ name, known }) => knownName(name, known) === undefined)
  return unvouchedMembers(left.map(({ id, name, known }) => ({ known, shown: { id, name: quoted`${name}`.cut(120) } })))
}
