import type { FieldViolation } from '../../../errors.ts'
import { dayMs, timestamp } from '../../shared/times.ts'
import { isQuarantined } from '../coverage/quarantine.ts'
import { invalid } from '../requirements/content.ts'
import type { StoredTest } from './access.ts'

/** The longest time that a test may be in quarantine without being put there again. */
const LONGEST_DAYS = 30

type Stored = Pick<StoredTest, 'quarantined_until' | 'quarantine_reason' | 'quarantine_owner'>

/** The members of a request that are about quarantine. */
export interface QuarantineFields {
  quarantined?: boolean | undefined
  quarantine_reason?: string | undefined
  quarantine_owner?: string | undefined
  quarantined_until?: string | null | undefined
}

/**
 * The columns of quarantine that a request sets. Throws `invalid_argument` for a quarantine without a reason, an owner or
 * an end in the next 30 days; what the request leaves out is that of the quarantine that the test is in.
 */
export function quarantineColumns(fields: QuarantineFields, before: Stored | undefined, now: number): Partial<Stored> {
  const { quarantined, quarantine_reason, quarantine_owner, quarantined_until } = fields
  const none = { quarantined_until: null, quarantine_reason: '', quarantine_owner: '' }
  if (quarantined === false) return none
  const given = [quarantine_reason, quarantine_owner, quarantined_until]
  const current = before !== undefined && isQuarantined(before, now) ? before : none
  if (quarantined === undefined && current === none) return refuseWithout(given)
  if (quarantined === undefined && given.every((member) => member === undefined)) return {}
  const until = quarantined_until === undefined ? current.quarantined_until : Date.parse(quarantined_until ?? '')
  const wanted = {
    quarantined_until: until,
    quarantine_reason: (quarantine_reason ?? current.quarantine_reason).trim(),
    quarantine_owner: (quarantine_owner ?? current.quarantine_owner).trim(),
  }
  checkQuarantine(wanted, now)
  return wanted
}

function refuseWithout(given: readonly (string | null | undefined)[]): Partial<Stored> {
  if (given.some(Boolean)) {
    const description = 'must be true when a reason, an owner or an end of the quarantine is given'
    throw invalid([{ field: 'quarantined', description }])
  }
  return {}
}

function checkQuarantine(
  { quarantined_until: until, quarantine_reason: reason, quarantine_owner: owner }: Stored,
  now: number,
) {
  const latest = now + LONGEST_DAYS * dayMs
  const violations: FieldViolation[] = []
  if (reason === '')
    violations.push({ field: 'quarantine_reason', description: 'is required: say why it is in quarantine' })
  if (owner === '')
    violations.push({ field: 'quarantine_owner', description: 'is required: say who will mend the test' })
  if (until === null || !(until > now && until <= latest)) {
    const description = `is required: a time after now and by ${timestamp(latest)}, ${String(LONGEST_DAYS)} days ahead`
    violations.push({ field: 'quarantined_until', description })
  }
  if (violations.length > 0) throw invalid(violations)
}
