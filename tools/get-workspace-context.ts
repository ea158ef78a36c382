import * as z from 'zod'
import { defineTool, type Context } from '../src/mcp/define/define.ts'
import { errorEvent, toMinute, vouched, withoutPrefix } from './support/facts.ts'
import { counted } from '../src/lib/counted.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import type { Product } from '../src/mcp/resolve/types.ts'
import { knownName, nameContains, quoted, type BlockContent } from '../src/mcp/text/untrusted.ts'

const Named = z.object({ id: z.string(), name: z.string().optional() })
/** Rows of one extra list; the newest releases of a long-lived product do not fill a page. */
const ROWS = 30

export const getWorkspaceContext = defineTool({
  name: 'get_workspace_context',
  toolset: 'default',
  effect: 'read',
  title: 'Workspace and product context',
  description:
    'List your workspaces, products, environments, components and releases with their ids, and who is logged in. ' +
    'Call once at the start, or whenever a name or id is unknown; later calls accept either.',
  input: z.strictObject({
    product: parameters.Product,
    include: z
      .array(z.enum(['environments', 'components', 'releases', 'setup']))
      .optional()
      .describe('Extra lists.'),
    match: z.string().optional().describe('Only names containing this.'),
  }),
  output: z.object({
    principal: z.object({ user: z.string().optional(), token: z.string().optional(), scopes: z.string().optional() }),
    pinned_product: Named.optional(),
    products: z.array(
      Named.extend({
        key_prefix: z.string().optional(),
        workspace: z.string().optional(),
        unresolved_issues: z.int().optional(),
      }),
    ),
    environments: z
      .array(Named.extend({ kind: z.string().optional(), last_event_at: z.string().optional() }))
      .optional(),
    components: z
      .array(Named.extend({ paths: z.string().optional(), unresolved_issues: z.int().optional() }))
      .optional(),
    releases: z
      .array(
        Named.extend({
          environment: z.string().optional(),
          released_at: z.string().optional(),
          new_issues: z.int().optional(),
        }),
      )
      .optional(),
    setup: z
      .object({
        state: z.string().optional(),
        done: z.array(z.string()).optional(),
        missing: z.array(z.string()).optional(),
      })
      .optional(),
    server: z.object({
      name: z.string().optional(),
      mode: z.string().optional(),
      toolsets: z.string(),
      read_only: z.boolean(),
    }),
  }),
  cuts: [
    { path: 'releases', least: 5 },
    { path: 'components', least: 5 },
    { path: 'environments', least: 5 },
    { path: 'names_given_only_by_events', least: 5 },
    { path: 'products', least: 5 },
  ],

  async run({ product, include = [], match = '' }, context) {
    const { api, options, resolve, signal } = context
    const [me, all] = await Promise.all([api.getMe({}, { signal }), resolve.products()])
    const chosen = include.length === 0 && product === undefined ? undefined : await resolve.product(product)
    const workspaces = new Map(me.user.workspaces?.map(({ id, name }) => [id, name]))
    const lists =
      chosen === undefined ? { data: {}, names: [], cut: [] } : await extraLists(chosen, include, match, context)
    const shown = all.filter(({ name }) => nameContains(name, match) || all.length === 1)
    const asked = chosen === undefined ? '' : `; lists are of ${chosen.name ?? chosen.id}`
    return {
      answer: `${counted(all.length, 'product')} visible${asked}.`,
      product: chosen,
      data: {
        principal: {
          user: me.user.display_name ?? me.user.email,
          token: me.token?.name,
          scopes: me.token?.scopes?.join(' '),
        },
        ...(options.product !== undefined && { pinned_product: all.map(({ id, name }) => ({ id, name }))[0] }),
        products: shown.map((row) => ({
          id: row.id,
          name: row.name,
          key_prefix: row.key_prefix,
          workspace: workspaces.get(row.workspace_id ?? ''),
          unresolved_issues: row.counts?.unresolved_issues,
        })),
        ...lists.data,
        ...(include.includes('setup') && {
          setup: {
            state: withoutPrefix(chosen?.setup_state, 'SETUP_STATE_'),
            done: me.onboarding?.completed_steps?.map(stepName),
            missing: me.onboarding?.pending_steps?.map(stepName),
          },
        }),
        server: {
          name: [me.server?.name, me.server?.version].filter(Boolean).join(' '),
          mode: me.server?.mode,
          toolsets: options.toolsets.join(','),
          read_only: options.readOnly,
        },
      },
      untrusted: {
        ...errorEvent,
        content: { names_given_only_by_events: lists.names },
      },
      cut: lists.cut,
      howToGetMore: 'call again with match, a part of the name',
      next: nextOf(all, chosen),
    }
  },
})

function stepName(step: string): string {
  return withoutPrefix(step, 'ONBOARDING_STEP_') ?? step
}

async function extraLists(product: Product, include: readonly string[], match: string, { resolve }: Context) {
  const [environments, components, releases] = await Promise.all([
    include.includes('environments') ? resolve.environments(product.id) : undefined,
    include.includes('components') ? resolve.components(product.id) : undefined,
    include.includes('releases') ? resolve.releases(product.id) : undefined,
  ])
  const lists = {
    environments: environments?.filter(({ name }) => nameContains(name, match)),
    components: components?.filter(({ name }) => nameContains(name, match)),
    releases: releases?.filter(({ version }) => nameContains(version, match)),
  }
  const names: BlockContent[] = [
    ...(lists.environments ?? [])
      .slice(0, ROWS)
      .filter((row) => knownName(row.name, row.known) === undefined)
      .map((row) => ({ id: row.id, name_untrusted: quoted`${row.name}`.cut(120) })),
    ...(lists.releases ?? [])
      .slice(0, ROWS)
      .filter((row) => knownName(row.version, row.known) === undefined)
      .map((row) => ({ id: row.id, name_untrusted: quoted`${row.version}`.cut(120) })),
  ]
  const cut = Object.entries(lists).flatMap(([name, rows]) =>
    rows !== undefined && rows.length > ROWS ? [`${name}: ${String(ROWS)} of ${String(rows.length)}`] : [],
  )
  return {
    names,
    cut,
    data: {
      environments: lists.environments?.slice(0, ROWS).map((row) => ({
        id: row.id,
        name: vouched(row.name, row.known),
        kind: withoutPrefix(row.kind, 'ENVIRONMENT_KIND_'),
        last_event_at: toMinute(row.last_event_at),
      })),
      components: lists.components?.slice(0, ROWS).map((row) => ({
        id: row.id,
        name: row.name,
        paths: row.path_globs?.slice(0, 3).join(' '),
        unresolved_issues: row.stats?.unresolved_issues,
      })),
      releases: lists.releases?.slice(0, ROWS).map((row) => ({
        id: row.id,
        name: vouched(row.version, row.known),
        environment: vouched(row.environment, row.environment_known),
        released_at: toMinute(row.released_at),
        new_issues: row.counts?.new_issues,
      })),
    },
  }
}

function nextOf(all: readonly Product[], chosen: Product | undefined) {
  const product = chosen ?? all[0]
  if (product === undefined) return []
  return [
    {
      tool: 'find_error_issues',
      why: `errors of ${product.name ?? product.id}`,
      args: { product: product.id },
    },
  ]
}
