import type * as z from 'zod'
import type { RiskState } from '../../../contract/quality-gate/risks.ts'

type State = z.output<typeof RiskState>

/** What decides whether a risk counts. */
export interface CountedRisk {
  state: State
  /** Epoch milliseconds: from then on it does not count. */
  expires_at: number
  release_id: string
  environment_id: string
  /** `1.4.*` or `shop@1.4.*`; empty: not bound to a line of releases. */
  release_line: string
}

/** What a verdict is about, as far as risks are concerned; empty members are not bound. */
export interface RiskScope {
  releaseId: string
  /** Version of the release. */
  version: string
  environmentId: string
}

/**
 * Whether an accepted risk covers its items in a verdict: approved, not expired, and every member that its scope names is
 * the verdict's. This is the only place that decides it, so that no path lets an ended risk through (contract §7).
 */
export function riskCounts(risk: CountedRisk, at: { now: number; scope: RiskScope }): boolean {
  return stateAt(risk, at.now) === 'RISK_STATE_APPROVED' && inScope(risk, at.scope)
}

/** Whether a risk would count in a verdict if it was approved. */
export function riskAwaits(risk: CountedRisk, at: { now: number; scope: RiskScope }): boolean {
  return stateAt(risk, at.now) === 'RISK_STATE_PENDING_APPROVAL' && inScope(risk, at.scope)
}

/** The state at a time: what is pending or approved ends at `expires_at`, also before that is stored. */
export function stateAt({ state, expires_at }: Pick<CountedRisk, 'state' | 'expires_at'>, now: number): State {
  const isOpen = state === 'RISK_STATE_PENDING_APPROVAL' || state === 'RISK_STATE_APPROVED'
  return isOpen && expires_at <= now ? 'RISK_STATE_EXPIRED' : state
}

/** Whether every member that the risk's scope names is the verdict's. */
export function inScope(
  { release_id, environment_id, release_line }: Omit<CountedRisk, 'state' | 'expires_at'>,
  { releaseId, version, environmentId }: RiskScope,
): boolean {
  return (
    (release_id === '' || release_id === releaseId) &&
    (environment_id === '' || environment_id === environmentId) &&
    (release_line === '' || isInLine(version, release_line))
  )
}

/** `1.4.2` and `1.4.2-rc.1` are in the line `1.4.*`, `1.40.0` is not; a package in front has to be the same. */
export function isInLine(version: string, line: string): boolean {
  const beginning = line.slice(0, -1)
  return version.startsWith(beginning) && /^\d/.test(version.slice(beginning.length))
}
