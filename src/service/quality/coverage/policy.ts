import { GatePolicy } from '../../../contract/quality-gate/policy.ts'
import { hourMs } from '../../shared/times.ts'
import { readJson } from '../../sql/json.ts'

/** The highest age at which a result counts, in milliseconds; 0 means no limit. From `product.gate_policy` (JSON). */
export function maxResultAgeMs(gatePolicy: string): number {
  return readJson(GatePolicy, gatePolicy).result_max_age_hours * hourMs
}
