import { counted } from '../../../../lib/counted.ts'
import { requireTest } from '../../../quality/cases/access.ts'
import { updateTest } from '../../../quality/cases/test-store.ts'
import { isQuarantined } from '../../../quality/coverage/quarantine.ts'
import { dayMs, timestamp } from '../../../shared/times.ts'
import type { AgentContext, AgentWrite } from '../../define.ts'
import type { FlakyCaseBody, Options, OutputBody } from './schema.ts'

/**
 * Quarantines the cases whose suggestion says so, each as an exclusion that no person has reviewed (contract §7.2); a case
 * that was deleted or put in quarantine since the scan stays as it is. Returns what was quarantined.
 */
export async function applyQuarantine(
  { call, now }: AgentContext,
  { rows, prepare, action }: AgentWrite,
  flaky: readonly FlakyCaseBody[],
  { owner, days }: Options,
): Promise<OutputBody['quarantined']> {
  const quarantined: OutputBody['quarantined'] = []
  const until = timestamp(now + days * dayMs)
  for (const { id, key, suggestion, requirements } of flaky) {
    if (suggestion.action !== 'QUARANTINE') continue
    const stored = await rows
      .selectFrom('test')
      .select(['deleted_at', 'quarantined_until'])
      .where('id', '=', id)
      .executeTakeFirst()
    if (stored?.deleted_at !== null || isQuarantined(stored, now)) continue
    const found = await requireTest(rows, call.principal, id)
    await updateTest(rows, prepare, call, found, {
      quarantined: true,
      quarantine_reason: suggestion.reason,
      quarantine_owner: owner,
      quarantined_until: until,
    })
    const left = requirements.filter((one) => one.is_only_proof).map((one) => one.key)
    const effect = left.length === 0 ? '' : ` No other test counts for ${left.join(', ')}.`
    action(`${key} is in quarantine for ${counted(days, 'day')}.${effect}`, { test_id: id, test_key: key, until })
    quarantined.push({ id, key, until })
  }
  return quarantined
}
