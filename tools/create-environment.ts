import * as z from 'zod'
import { Environment } from '../src/contract/environments.ts'
import { defineTool } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { fields, flag, pick } from '../src/mcp/result/output.ts'
import { isShowable } from '../src/mcp/result/teach.ts'
import { vouchedName } from './support/columns.ts'
import { PREVIEW } from './support/words.ts'
import { makeEnvironment } from './support/workspace/environment-writes.ts'
import { READ_BACK } from './support/writes/outcome.ts'

export const createEnvironment = defineTool({
  name: 'create_environment',
  toolset: 'setup',
  // One that exists stays as it is.
  effect: 'update',
  title: 'Create an environment',
  description:
    'Create an environment such as staging, or take over one that only events have named. ' +
    'Safe to repeat: one that exists stays as it is.',
  input: z.strictObject({
    product: parameters.Product,
    name: parameters.named('Environment name.', z.string().trim().min(1).max(64)),
    dry_run: parameters.DryRun,
  }),
  output: z.object({
    dry_run: flag.optional(),
    outcome: z.enum(['created', 'would_create', 'adopted', 'would_adopt', 'already', 'not_stated']),
    environment: fields({ id: z.string().optional(), name: z.string(), ...pick(Environment, 'kind') }).optional(),
  }),

  async run({ product: given, name, dry_run: dryRun }, context) {
    const product = await context.resolve.product(given, { write: true })
    const { outcome, environment, isReadBack } = await makeEnvironment({ product, name, dryRun }, context)
    const { id } = environment ?? {}
    const isMade = outcome === 'created' || outcome === 'adopted'
    const undo = { product: product.id, environment: id }
    return {
      answer: `${words[outcome]} ${isShowable(name) ? name : 'of that name'}${ends[outcome]}.${isReadBack ? READ_BACK : ''}`,
      product,
      data: {
        dry_run: dryRun,
        outcome,
        environment: environment && { ...environment, name: vouchedName(environment.name, environment.known) },
      },
      next:
        isMade && id !== undefined
          ? [nextCall('delete_environment', undo, 'takes it away, only if the user decides so')]
          : [],
    }
  },
})

const words = {
  created: 'Created environment',
  would_create: `${PREVIEW}would create environment`,
  adopted: 'Took over environment',
  would_adopt: `${PREVIEW}would take over environment`,
  already: 'There is an environment',
  not_stated: `${PREVIEW}would create, unless it is there, environment`,
} as const

const FROM_EVENTS = ', which only events had named'

const ends = {
  created: '',
  would_create: '',
  adopted: FROM_EVENTS,
  would_adopt: FROM_EVENTS,
  already: '; nothing was changed',
  not_stated: '',
} as const
