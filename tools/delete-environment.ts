import * as z from 'zod'
import { Environment as EnvironmentSchema } from '../src/contract/environments.ts'
import { counted } from '../src/lib/counted.ts'
import { stateDigest } from '../src/mcp/confirm/state.ts'
import { type Context, defineTool, type Question } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { ifOffered } from '../src/mcp/resolve/offered.ts'
import type { Environment, Product } from '../src/mcp/resolve/types.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { fields, flag, pick } from '../src/mcp/result/output.ts'
import { toMinute, withoutPrefix } from '../src/mcp/result/present.ts'
import { describePage } from '../src/mcp/result/page.ts'
import { TeachingError } from '../src/mcp/result/teach.ts'
import { hasText, isSameName, knownName, quoted } from '../src/mcp/text/untrusted.ts'
import { vouchedName } from './support/columns.ts'
import { factList, removeThing } from './support/deleting/remove.ts'
import { errorEvent } from './support/errors/issues.ts'
import { PREVIEW } from './support/words.ts'
import { READ_BACK } from './support/writes/outcome.ts'

const input = z.strictObject({
  product: parameters.Product,
  environment: parameters.named('Environment id or name.', z.string().min(1)),
  dry_run: parameters.DryRun,
  confirmation: parameters.Confirmation,
})

export const deleteEnvironment = defineTool({
  name: 'delete_environment',
  toolset: 'setup',
  effect: 'delete',
  unconfirmed: 'ask the user to delete it in the web interface',
  title: 'Delete an environment',
  description: 'Delete an environment, such as a misspelt one, and its releases, once the user confirms.',
  input,
  output: z.object({
    dry_run: flag.optional(),
    outcome: z.enum(['deleted', 'would_delete']),
    environment: fields({ id: z.string(), name: z.string(), ...pick(EnvironmentSchema, 'kind') }),
    releases: z.int().optional(),
  }),

  async confirm(args, context) {
    const { name, product, environment, releases } = await readSubject(args, context)
    const { id, etag, kind, known } = environment
    // The time of the last event is shown, and may change while a person decides.
    const state = stateDigest([id, etag, name, kind, known, releases])
    const facts = environmentFacts(environment, name, releases)
    return { asks: `Delete environment ${name}`, product, facts, key: name, undo: '', state }
  },

  async run({ dry_run: dryRun, ...args }, context) {
    const { name, product, environment, releases } = await readSubject(args, context)
    const isReadBack = dryRun ? false : await remove(environment, product, context)
    const isVouchedFor = knownName(environment.name, environment.known) !== undefined
    const gone = releases === undefined ? '' : ` with ${counted(releases, 'release')}`
    return {
      answer: `${dryRun ? `${PREVIEW}would delete` : 'Deleted'} environment ${name}${gone}.${isReadBack ? READ_BACK : ''}`,
      product,
      data: {
        dry_run: dryRun,
        outcome: dryRun ? ('would_delete' as const) : ('deleted' as const),
        environment: { ...environment, name: vouchedName(environment.name, environment.known) },
        releases,
      },
      untrusted: {
        ...errorEvent,
        content: {
          environment:
            isVouchedFor || !hasText(environment.name) ? undefined : { name: quoted`${environment.name}`.cut(120) },
        },
      },
      next: [listCall(product)],
    }
  },
})

function listCall({ id }: Product) {
  return nextCall('get_workspace_context', { product: id, include: ['environments'] }, 'the environments there are')
}

interface Subject {
  /** What the person types: its name, or its id where only events gave the name. */
  name: string
  product: Product
  environment: Environment
  releases: number | undefined
}

async function readSubject(
  { product: given, environment: named }: { product?: string | undefined; environment: string },
  context: Context,
): Promise<Subject> {
  const { api, resolve, signal } = context
  const product = await resolve.product(given, { write: true })
  const found = await requireWholeName(named, product, context)
  const environment = (await ifOffered(api.getEnvironment({ id: found.id }, { signal })))?.environment ?? found
  const name = knownName(environment.name, environment.known) ?? environment.id
  return { name, product, environment, releases: await countReleases(environment, product, context) }
}

/** True where the reply was lost and a read shows that it is gone. */
function remove({ id, etag }: Environment, product: Product, { api, signal }: Context): Promise<boolean> {
  return removeThing({
    noun: 'environments',
    remove: () => api.deleteEnvironment({ id, ...(etag !== undefined && { etag }) }, { signal }),
    read: () => api.getEnvironment({ id }, { signal }),
    check: listCall(product),
  })
}

function environmentFacts(environment: Environment, name: string, releases: number | undefined): Question['facts'] {
  return factList({
    environment: name === environment.id ? 'its name only comes from events' : name,
    kind: withoutPrefix(environment.kind, 'ENVIRONMENT_KIND_'),
    'releases that go with it': releases === undefined ? 'not stated' : String(releases),
    'last event': toMinute(environment.last_event_at ?? undefined),
    kept: 'error issues and test results, with its name',
    afterwards: 'the next event with its name creates it again, without its releases',
  })
}

/** The environment by its id or whole name: the beginning of a name is not enough to delete it. */
async function requireWholeName(given: string, product: Product, { resolve }: Context): Promise<Environment> {
  const found = await resolve.environment(product.id, given)
  const isWhole = found.id === given || isSameName(found.name, given)
  if (isWhole) return found
  throw new TeachingError('not_found', 'environment not found', {
    expected: 'the whole name or the id of an environment',
    next: listCall(product),
  })
}

/** How many releases are listed for it; undefined where the deployment does not count them. */
async function countReleases({ id }: Environment, product: Product, { api, signal }: Context) {
  const query = { product_id: product.id, environment_id: id, page_size: 1 }
  const list = await ifOffered(api.listReleases(query, { signal }))
  if (list === undefined || list.reading.notApplied.includes('environment_id')) return undefined
  return describePage(list, list.releases.length, undefined).total
}
