import { nextCall, type NextAction } from '../../../src/mcp/result/next-action.ts'
import { keyOrId } from '../columns.ts'
import type { GateScope } from './scope.ts'
import type { Verdict } from './verdict.ts'

/**
 * The calls that lead to green: the cheapest item of the first failing blocking condition whose risk is not accepted yet,
 * the approval of an accepted one, then the decision that only the user can make.
 */
export function nextCalls(verdict: Verdict, { args }: GateScope): NextAction[] {
  const { conditions = [], risks = [] } = verdict
  const failing = conditions.filter((one) => one.status === 'CONDITION_STATUS_FAIL' && !isAccepted(one, risks))
  const [first] = [
    ...failing.filter(({ severity }) => severity === 'CONDITION_SEVERITY_BLOCKING'),
    ...failing,
    ...conditions.filter(({ status }) => status === 'CONDITION_STATUS_NOT_EVALUATED'),
  ]
  const item = first?.evidence?.[0]
  const product = args['product']
  const mend = item && mendCall(item, product)
  // A risk is accepted for a release or an environment.
  const isOfResults = args['commit'] !== undefined || args['git_branch'] !== undefined
  const isRisk =
    !isOfResults &&
    first !== undefined &&
    first.status === 'CONDITION_STATUS_FAIL' &&
    first.severity === 'CONDITION_SEVERITY_BLOCKING'
  const accept = nextCall(
    'accept_gate_risk',
    { ...args, blocker: first?.id },
    'only if the user decides to ship with it; add their reason',
  )
  const pending = (verdict.pending_risk_ids ?? [])[0]
  const approve = nextCall('approve_gate_risk', { ...args, risk: pending }, 'says where a second person decides')
  return [...(mend ? [mend] : []), ...(pending === undefined ? [] : [approve]), ...(isRisk ? [accept] : [])].slice(0, 3)
}

type Condition = NonNullable<Verdict['conditions']>[number]
type Item = NonNullable<NonNullable<Condition['evidence']>[number]>

/** Whether accepted risks name the condition and cover each item that it lists. */
function isAccepted({ id, evidence = [] }: Condition, risks: NonNullable<Verdict['risks']>): boolean {
  const naming = risks.filter(({ condition_ids: ids = [] }) => ids.includes(id))
  const covers = ({ covered_evidence: covered }: (typeof naming)[number], item: Item) =>
    covered === undefined || covered.some((one) => one.type === item.type && one.id === item.id)
  return naming.length > 0 && evidence.every((item) => naming.some((risk) => covers(risk, item)))
}

/** What helps with one item. */
function mendCall(item: Item, product: string | undefined): NextAction | undefined {
  const id = keyOrId(item)
  if (item.type === 'requirement') {
    return nextCall('get_test_context', { product, requirement: id }, 'what a test of the first blocker has to show')
  }
  if (item.type === 'issue')
    return nextCall('get_fix_context', { product, issue: id }, 'the code behind the first blocker')
  if (item.type === 'test') return nextCall('get_test', { product, test: id }, 'the failing test and its requirements')
  return undefined
}
