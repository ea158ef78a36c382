import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { Level } from '../src/contract/base/common.ts'
import { usualNames } from '../src/contract/environment-names.ts'
import { Issue } from '../src/contract/issues.ts'
import { stateDigest } from '../src/mcp/confirm/state.ts'
import { type Context, defineTool } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { ifOffered } from '../src/mcp/resolve/offered.ts'
import type { Product } from '../src/mcp/resolve/types.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { fields, pick } from '../src/mcp/result/output.ts'
import { isShowable, TeachingError } from '../src/mcp/result/teach.ts'
import { isSameName } from '../src/mcp/text/untrusted.ts'
import { findBySdkId } from './support/errors/occurrences.ts'
import { ifReadable, isLost, READ_BACK, unknownOutcome } from './support/writes/outcome.ts'

/** Also with anything but a letter after it, such as `prod-eu-1` and `production2`. */
const PRODUCTION = new RegExp(`^(?:${usualNames.ENVIRONMENT_KIND_PRODUCTION.join('|')})(?![a-z])`, 'i')
/** The issue of an event is among the ones that were last seen. */
const NEWEST = 5

const input = z.strictObject({
  product: parameters.Product,
  message: parameters.named('Short text.', z.string().max(200)),
  level: parameters.named('Severity.', z.enum(Level.options).default('error')),
  // An event without a name would be of production.
  environment: parameters.named('Environment name.', z.string().trim().regex(/./).default('development')),
  release: parameters.named('Version.', z.string().optional()),
  confirmation: parameters.Confirmation,
})

export const sendTestEvent = defineTool({
  name: 'send_test_event',
  toolset: 'ingest_dev',
  effect: 'create',
  level: ({ environment }) => (PRODUCTION.test(environment) ? 2 : 1),
  unconfirmed: 'send it to another environment',
  title: 'Send a test event',
  description: 'Send one synthetic error event to prove that error tracking works.',
  input,
  output: z.object({
    outcome: z.enum(['found', 'sent']),
    issue: fields(pick(Issue, 'id', 'short_id')).optional(),
  }),

  async confirm({ product: given, environment, level }, { resolve }) {
    const product = await resolve.product(given, { write: true })
    const place = isShowable(environment) ? environment : 'production'
    return {
      asks: `Send a test event to environment ${place}`,
      product,
      facts: [
        { label: 'level', value: level },
        { label: 'afterwards', value: 'an error issue of that environment, which people may be alerted to' },
      ],
      key: place,
      undo: 'no call removes an event',
      state: stateDigest([product.id, environment, level]),
    }
  },

  async run(args, context) {
    const product = await context.resolve.product(args.product, { write: true })
    const eventId = randomUUID().replaceAll('-', '')
    const lost = await send(eventId, args, product, context)
    const issue = await findIssue(eventId, product, context)
    const list = nextCall('find_error_issues', { product: product.id, status: 'any' }, 'the newest issues')
    if (lost !== undefined && issue === undefined) throw unknownOutcome(lost, { next: list })
    const where = issue === undefined ? 'The newest issues do not show it yet' : 'Error tracking works: it is stored'
    return {
      answer: `Sent a test event. ${where}.${lost === undefined ? '' : READ_BACK}`,
      product,
      data: { outcome: issue === undefined ? ('sent' as const) : ('found' as const), issue },
      next: [
        issue === undefined
          ? list
          : nextCall('get_error_issue', { product: product.id, issue: issue.id }, 'shows the event'),
      ],
    }
  },
})

type Arguments = z.output<typeof input>

/** Sends it once. Resolves to the failure where it may have arrived. */
async function send(eventId: string, args: Arguments, product: Product, context: Context) {
  const { sendEvent, signal } = context
  const { dsn } = product.ingest ?? {}
  if (dsn === undefined || sendEvent === undefined) throw noDsn()
  await refuseProduction(args.environment, product, context)
  try {
    await sendEvent(dsn, testEvent(eventId, args), { signal })
    return undefined
  } catch (error) {
    if (isLost(error)) return error
    throw error
  }
}

/** Without a time, so that it is the ingest's: the clock of this machine may be wrong. */
function testEvent(eventId: string, { message, level, environment, release }: Arguments) {
  return {
    event_id: eventId,
    platform: 'other',
    level,
    environment,
    ...(release !== undefined && { release }),
    message: `Test of Tracegate: ${message}`,
    tags: { 'tracegate.test': 'true' },
  }
}

function noDsn(): TeachingError {
  return new TeachingError('unimplemented', 'the DSN of the product is not stated, so no event can be sent', {
    hint: 'ask the user for the DSN in the web interface, and send an event with an SDK.',
  })
}

/** A production environment may have any name. */
async function refuseProduction(name: string, { id }: Product, { resolve, confirmed }: Context): Promise<void> {
  if (confirmed !== undefined) return
  const listed = await ifOffered(resolve.environments(id))
  const isProduction = listed?.rows.some(
    (row) => row.kind === 'ENVIRONMENT_KIND_PRODUCTION' && isSameName(row.name, name),
  )
  if (isProduction !== true) return
  throw new TeachingError('failed_precondition', 'that environment is a production environment', {
    expected: 'environment: one that is not for production, such as development',
    hint: 'the same call with environment development.',
  })
}

/** The issue that has the event; undefined where no read shows it. */
async function findIssue(eventId: string, { id }: Product, context: Context) {
  const { api, signal } = context
  const list = await ifReadable(api.listIssues({ product_id: id, page_size: NEWEST }, { signal }))
  for (const issue of (list?.issues ?? []).slice(0, NEWEST)) {
    if ((await ifReadable(findBySdkId(issue.id, eventId, context))) !== undefined) return issue
  }
  return undefined
}
