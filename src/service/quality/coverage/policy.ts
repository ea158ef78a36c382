import { GatePolicy } from '../../../contract/gate-policy.ts'
import { hourMs } from '../../shared/times.ts'

/** How old a result may be to count, in milliseconds; 0 = no limit. From `product.gate_policy` (JSON). */
export function maxResultAgeMs(gatePolicy: string): number {
  return GatePolicy.parse(JSON.parse(gatePolicy)).result_max_age_hours * hourMs
}
