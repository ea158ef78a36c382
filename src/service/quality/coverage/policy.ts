import { GatePolicy } from '../../../contract/gate-policy.ts'
import { hourMs } from '../../shared/times.ts'
import { readJson } from '../../sql/json.ts'

/** How old a result may be to count, in milliseconds; 0 = no limit. From `product.gate_policy` (JSON). */
export function maxResultAgeMs(gatePolicy: string): number {
  return readJson(GatePolicy, gatePolicy).result_max_age_hours * hourMs
}
