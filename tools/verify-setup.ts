import * as z from 'zod'
import { Product, Setup, SetupCheck, SetupCheckStatus, Step } from '../src/contract/products.ts'
import { counted } from '../src/lib/counted.ts'
import { type Context, defineTool } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { explainNotOffered } from '../src/mcp/resolve/offered.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { fields, pick, rows } from '../src/mcp/result/output.ts'
import { withoutPrefix } from '../src/mcp/result/present.ts'
import { remedy } from './support/workspace/remedies.ts'
import { ifReadable, mayBeDone, unknownOutcome } from './support/writes/outcome.ts'

const steps = Step.options.map((step) => step.replace('ONBOARDING_STEP_', '').toLowerCase())

export const verifySetup = defineTool({
  name: 'verify_setup',
  toolset: 'setup',
  effect: 'update',
  title: 'Verify the setup of a product',
  description:
    'Check whether a product is set up: do errors and test reports arrive, are components, requirements and releases ' +
    'there; lists missing steps with the call for each. Also marks an onboarding step as done.',
  input: z.strictObject({
    product: parameters.Product,
    complete_onboarding_step: parameters.named(
      'Step to mark as done.',
      z.enum(steps as [string, ...string[]]).optional(),
    ),
  }),
  output: z.object({
    setup: fields(pick(Setup, 'state', 'completed_checks', 'total_checks')),
    open: rows({
      check: SetupCheck.shape.id,
      ...pick(SetupCheck, 'status', 'detail'),
      how: z.string(),
    }).optional(),
    done: z.string().optional(),
    not_needed: z.string().optional(),
    dsn: Product.shape.ingest.shape.dsn.optional(),
    onboarding_missing: z.string().optional(),
  }),

  async run({ product: given, complete_onboarding_step: step }, context) {
    const { api, resolve, signal, offers } = context
    const product = await resolve.product(given, { write: true })
    const onboarding = step === undefined ? undefined : await completeStep(step, product.id, context)
    const { setup } = await api
      .verifySetup({ product_id: product.id }, { signal })
      .catch((error: unknown) => explainCheck(error, product.id))
    const isStated = setup.checks?.every(({ status }) => SetupCheckStatus.safeParse(status).success) === true
    const open = isStated ? setup.checks?.filter(isOpen) : undefined
    const marked = onboarding === undefined ? '' : ` Marked ${String(step)} as done.`
    const isSilent = open?.some(({ id }) => id === 'event_received') === true
    return {
      answer: `${sentence(setup.state, open)}${marked}`,
      product,
      data: {
        setup,
        open: open?.map(({ id, status, detail, remediation }) => ({
          check: id,
          status,
          detail,
          how: remedy({ id, remediation }, offers),
        })),
        done: isStated ? names(setup.checks, 'OK') : undefined,
        not_needed: isStated ? names(setup.checks, 'NOT_APPLICABLE') : undefined,
        dsn: isSilent ? product.ingest?.dsn : undefined,
        onboarding_missing: onboarding?.pending_steps?.map((one) => withoutPrefix(one, 'ONBOARDING_STEP_')).join(', '),
      },
      next: isSilent
        ? [
            nextCall('send_test_event', { product: product.id, message: 'setup' }, 'proves that events arrive'),
            // In the list where the prompt is.
            nextCall('find_error_issues', { product: product.id }, 'its events; the prompt set_up_product leads there'),
          ]
        : [nextCall('find_coverage_gaps', { product: product.id }, 'what is not tested')],
    }
  },
})

type Check = NonNullable<Awaited<ReturnType<Context['api']['verifySetup']>>['setup']['checks']>[number]

function isOpen({ status }: Check): boolean {
  return status === 'SETUP_CHECK_STATUS_MISSING' || status === 'SETUP_CHECK_STATUS_WARNING'
}

/** The checks with this status; undefined where there are none. */
function names(checks: readonly Check[] | undefined, status: string): string | undefined {
  const found = checks?.filter((check) => check.status === `SETUP_CHECK_STATUS_${status}`).map(({ id }) => id)
  return found?.join(', ') || undefined
}

/** A setup is complete without the checks that only warn (contract §2). */
function sentence(state: string | undefined, open: readonly Check[] | undefined): string {
  const word = withoutPrefix(state, 'SETUP_STATE_') ?? 'of a state that is not stated'
  if (open === undefined) return `The setup is ${word}; its checks are not stated.`
  if (open.length === 0) return `The setup is ${word}: no check is open.`
  const optional = open.filter(({ status }) => status === 'SETUP_CHECK_STATUS_WARNING').length
  if (optional === open.length)
    return `The setup is ${word}: only ${counted(optional, 'optional check')} ${optional === 1 ? 'is' : 'are'} open, which ${optional === 1 ? 'counts' : 'count'} as completed.`
  const part = optional === 0 ? '' : `, ${String(optional)} of them optional`
  return `The setup is ${word}: ${counted(open.length, 'open check')}${part}.`
}

/** Marks the step. Where the reply is lost, a read decides whether it was done. */
async function completeStep(step: string, product: string, { api, signal }: Context) {
  const wanted = Step.parse(`ONBOARDING_STEP_${step.toUpperCase()}`)
  try {
    return (await api.updateOnboarding({ onboarding: { completed_steps: [wanted] } }, { signal })).onboarding
  } catch (error) {
    if (!mayBeDone(error)) return explainSteps(error)
    const read = await ifReadable(api.getMe({}, { signal }))
    if (read?.onboarding?.completed_steps?.includes(wanted) === true) return read.onboarding
    const next = nextCall('get_workspace_context', { product, include: ['setup'] }, 'lists the steps that are done')
    throw unknownOutcome(error, { next })
  }
}

const explainSteps = explainNotOffered('onboarding steps', { hint: 'the same call without complete_onboarding_step.' })

function explainCheck(error: unknown, product: string): never {
  const next = contextCall(product)
  if (mayBeDone(error)) throw unknownOutcome(error, { next })
  return explainNotOffered('the check of a setup', { next })(error)
}

function contextCall(product: string) {
  return nextCall('get_workspace_context', { product, include: ['setup'] }, 'what is known of the setup')
}
