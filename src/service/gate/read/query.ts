import type * as z from 'zod'
import type { GatePolicy } from '../../../contract/quality-gate/policy.ts'
import type { CoverageScope } from '../../quality/coverage/scope.ts'
import type { GateScope } from '../scope.ts'

/** What to read facts for, with the results that the policy lets count in the scope. */
export interface FactsQuery {
  scope: GateScope
  policy: z.output<typeof GatePolicy>
  counting: CoverageScope
  carried: CoverageScope | undefined
  /** The age from which results prove nothing; 0 = no limit. */
  maxAgeMs: number
  /** Epoch milliseconds. */
  now: number
}
