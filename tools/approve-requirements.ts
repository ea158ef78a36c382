import * as z from 'zod'
import { Requirement as RequirementSchema } from '../src/contract/requirements.ts'
import { counted } from '../src/lib/counted.ts'
import { stateDigest } from '../src/mcp/confirm/state.ts'
import { type Context, defineTool } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { fields, flag } from '../src/mcp/result/output.ts'
import { coverageState, rowTitle } from './support/columns.ts'
import { approve, outcomes, readApprovals, selectWaiting, type Approval } from './support/quality/approvals.ts'
import { PREVIEW } from './support/words.ts'
import { READ_BACK, UNKNOWN_ROWS } from './support/writes/outcome.ts'

/** The most requirements that a question names. */
const NAMED = 20

const input = z.strictObject({
  product: parameters.Product,
  requirements: z.array(z.string().min(1)).min(1).max(100).describe('Keys or ids. From list_requirements.'),
  dry_run: parameters.DryRun,
  confirmation: parameters.Confirmation,
})

export const approveRequirements = defineTool({
  name: 'approve_requirements',
  toolset: 'requirements',
  effect: 'update',
  // What the gate requires is for people to decide.
  level: () => 2,
  unconfirmed: 'ask the user to approve them in the web interface',
  title: 'Approve requirements',
  description: 'Approve requirements (accept, sign off, activate), once the user confirms; the gate counts no others.',
  input,
  output: z.object({
    dry_run: flag.optional(),
    rows: z.array(
      fields({ id: z.string(), title: rowTitle }).extend({
        outcome: z.enum(outcomes),
        ...fields({ from: RequirementSchema.shape.status, ...coverageState, error: z.string() }).shape,
      }),
    ),
  }),
  cuts: [{ path: 'rows' }],

  async lacks(args, context) {
    const { product, rows } = await readChange(args, context)
    if (selectWaiting(rows).length > 0) return undefined
    return { answer: outcomeWords(rows), product, data: { rows: rows.map(shown) } }
  },

  async confirm(args, context) {
    const { product, rows } = await readChange(args, context)
    const waiting = selectWaiting(rows)
    const asks = `Approve ${counted(waiting.length, 'requirement')}`
    const more = waiting.length - NAMED
    return {
      asks,
      product,
      facts: [
        ...waiting.slice(0, NAMED).map(({ key, requirement }) => ({
          label: key,
          value: requirement.title ?? 'title not stated',
        })),
        ...(more > 0 ? [{ label: 'and', value: `${String(more)} more` }] : []),
        { label: 'afterwards', value: 'the quality gate counts them' },
      ],
      key: asks,
      undo: 'a person sets them back to draft in the web interface',
      state: stateDigest(waiting.map(({ requirement: { id, etag, status } }) => [id, etag, status])),
    }
  },

  async run(args, context) {
    const { product, rows } = await readChange(args, context)
    if (!args.dry_run) await approve(rows, context)
    const isUnknown = rows.some(({ outcome }) => outcome === 'unknown')
    const isReadBack = rows.some((row) => row.isReadBack)
    return {
      answer: `${args.dry_run ? PREVIEW : ''}${outcomeWords(rows)}${isUnknown ? ` ${UNKNOWN_ROWS}` : ''}${isReadBack ? READ_BACK : ''}`,
      product,
      data: { dry_run: args.dry_run, rows: rows.map(shown) },
      next: args.dry_run ? [] : [nextCall('compute_quality_gate', { product: product.id }, 'the verdict with them')],
    }
  },
})

async function readChange(
  { product: given, requirements }: Pick<z.output<typeof input>, 'product' | 'requirements'>,
  context: Context,
) {
  const product = await context.resolve.product(given, { write: true })
  return { product, rows: await readApprovals(requirements, product, context) }
}

/** `2 approved, 1 already.` */
function outcomeWords(rows: readonly Approval[]): string {
  const counts = Map.groupBy(rows, ({ outcome }) => outcome.replaceAll('_', ' '))
  return `${[...counts].map(([outcome, some]) => `${String(some.length)} ${outcome}`).join(', ')}.`
}

function shown({ key, requirement: { title, coverage }, outcome, from, error }: Approval) {
  return { ...coverage, id: key, title, outcome, from, error }
}
