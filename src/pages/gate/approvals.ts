import type { ReceivedResult } from '../../client/api.ts'
import type { RequestOf, ResultOf } from '../../contract/index.ts'

type Risks = ReceivedResult<ResultOf<'getGate'>>['verdict']['risks']

/** The risks of a verdict that wait for a second person. */
export interface Approvals {
  waiting: number
  /** What the second person runs; it asks for their own token. Empty for a scope that the command cannot name. */
  commands: readonly string[]
}

/** How the pending risks of a scope are approved. The page cannot link their confirmation: a session only reads (decision 061). */
export function approvals(risks: Risks, scope: RequestOf<'getGate'>): Approvals {
  const pending = (risks ?? []).filter(({ state }) => state === 'RISK_STATE_PENDING_APPROVAL')
  return { waiting: pending.length, commands: pending.flatMap(({ id }) => command(id, scope) ?? []) }
}

/** Names ids alone: nothing of a command that is copied into a shell may be outsiders' text. */
function command(riskId: string, scope: RequestOf<'getGate'>): string | undefined {
  if (scope.commit_sha !== undefined || scope.git_branch !== undefined) return undefined
  const flags = { product: scope.product_id, release: scope.release_id, environment: scope.environment_id }
  const given = Object.entries(flags).filter((flag): flag is [string, string] => flag[1] !== undefined)
  const isPlain = [riskId, ...given.map(([, id]) => id)].every((id) => /^\w[\w-]*$/.test(id))
  if (!isPlain) return undefined
  return ['tracegate approve', riskId, ...given.map(([name, id]) => `--${name} ${id}`)].join(' ')
}
