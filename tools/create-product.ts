import * as z from 'zod'
import { Product as ProductSchema } from '../src/contract/products.ts'
import { type Context, defineTool } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { explainNotOffered } from '../src/mcp/resolve/offered.ts'
import { everyPage, rowsSearched } from '../src/mcp/resolve/requests.ts'
import type { Product, Workspace } from '../src/mcp/resolve/types.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { fields, flag, pick, teamLine } from '../src/mcp/result/output.ts'
import { TeachingError } from '../src/mcp/result/teach.ts'
import { teamText } from '../src/mcp/text/team.ts'
import { isTracegate } from './support/is-tracegate.ts'
import { PREVIEW } from './support/words.ts'
import { ifReadable, mayBeDone, READ_BACK, unknownOutcome } from './support/writes/outcome.ts'

const input = z.strictObject({
  workspace: parameters.named('Workspace id or name.', z.string().min(1).optional()),
  name: parameters.named('Name of the application.', z.string().trim().min(1).max(80)),
  dry_run: parameters.DryRun,
})

export const createProduct = defineTool({
  name: 'create_product',
  toolset: 'setup',
  // A product of the same name is returned instead of a second one.
  effect: 'update',
  title: 'Create a product',
  description:
    'Create a product (project, application) and return its DSN, the address that SDKs send errors to. ' +
    'Safe to repeat: a product of that name is returned as it is.',
  input,
  output: z.object({
    dry_run: flag.optional(),
    outcome: z.enum(['created', 'would_create', 'already', 'not_stated']),
    product: fields({
      id: z.string().optional(),
      name: teamLine,
      ...pick(ProductSchema, 'key_prefix'),
      workspace: teamLine,
      dsn: ProductSchema.shape.ingest.shape.dsn,
    }),
    undo: z.string().optional(),
  }),

  async run({ workspace: given, name, dry_run: dryRun }, context) {
    if (context.options.product !== undefined) throw isPinned()
    const workspace = await context.resolve.workspace(given)
    const { found, searched } = await findProduct(name, workspace, context)
    if (found === undefined && searched !== undefined && !dryRun) throw notSure(searched)
    const made = found === undefined ? await make(name, workspace, dryRun, context) : undefined
    const product = found ?? made?.product
    const outcome: Outcome = found !== undefined ? 'already' : dryRun ? previewed(searched) : 'created'
    const isThere = outcome === 'already' || outcome === 'created'
    const shown = teamText(product?.name ?? name)
    return {
      answer: `${sentence(outcome, shown)}${made?.isReadBack === true ? READ_BACK : ''}`,
      data: {
        dry_run: dryRun,
        outcome,
        product: {
          ...product,
          id: isThere ? product?.id : undefined,
          name: product?.name ?? name,
          workspace: workspace.name,
          // A preview's key belongs to nothing.
          dsn: isThere ? product?.ingest?.dsn : undefined,
        },
        undo: outcome === 'created' ? 'no call deletes a product' : undefined,
      },
      next:
        product === undefined || !isThere
          ? []
          : [nextCall('verify_setup', { product: product.id }, 'what it still needs')],
    }
  },
})

type Outcome = 'created' | 'would_create' | 'already' | 'not_stated'

function previewed(searched: number | undefined): Outcome {
  return searched === undefined ? 'would_create' : 'not_stated'
}

function sentence(outcome: Outcome, name: string): string {
  if (outcome === 'already') return `${name} exists already; nothing was changed.`
  if (outcome === 'created') return `Created ${name}.`
  return `${PREVIEW}would create ${name}${outcome === 'not_stated' ? ', unless it is there' : ''}.`
}

function isPinned(): TeachingError {
  return new TeachingError('unimplemented', 'this server is pinned to one product, so it creates no other', {
    hint: 'ask the user to create it with a server that has no TRACEGATE_PRODUCT, or with tracegate init --name NAME.',
  })
}

/** The product of that name, in any case; `searched` where only so many of the products could be read. */
async function findProduct(
  name: string,
  { id }: Workspace,
  { api, signal }: Pick<Context, 'api' | 'signal'>,
): Promise<{ found: Product | undefined; searched: number | undefined }> {
  const listed = await everyPage(
    (page) => api.listProducts({ workspace_id: id, ...page }, { signal }),
    'products',
  ).catch(explainNotOffered('the list of products', { hint: 'ask the user to create it in the web interface.' }))
  const key = name.toLowerCase()
  return { found: listed.rows.find((row) => row.name?.trim().toLowerCase() === key), searched: rowsSearched(listed) }
}

function notSure(searched: number): TeachingError {
  const message = `whether the product exists is not known: only ${String(searched)} products could be read`
  return new TeachingError('failed_precondition', message, { hint: 'ask the user to create it in the web interface.' })
}

/** Creates the product, or has the service say what it would create. */
async function make(name: string, workspace: Workspace, dryRun: boolean, context: Context) {
  const { api, signal } = context
  const request = { workspace_id: workspace.id, name }
  if (dryRun) {
    if (!(await isTracegate(context))) return undefined
    return { ...(await api.createProduct({ ...request, validate_only: true }, { signal })), isReadBack: false }
  }
  try {
    return { ...(await api.createProduct(request, { signal })), isReadBack: false }
  } catch (error) {
    if (!mayBeDone(error)) return explainRefusal(error)
    const product = (await ifReadable(findProduct(name, workspace, context)))?.found
    if (product !== undefined) return { product, isReadBack: true }
    throw unknownOutcome(error, { next: nextCall('get_workspace_context', {}, 'lists products') })
  }
}

const explainRefusal = explainNotOffered('the creation of products', {
  hint: 'ask the user to create it in the web interface.',
})
