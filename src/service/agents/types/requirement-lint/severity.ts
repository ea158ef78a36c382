import type * as z from 'zod'
import type { LintCode } from '../../../../contract/requirements.ts'
import { Severity } from './schema.ts'

type Rule = z.output<typeof LintCode>
type SeverityName = z.output<typeof Severity>

/** How much each rule matters: whether a test can decide the requirement at all comes first. */
const severities: Readonly<Record<Rule, SeverityName>> = {
  TBD: 'HIGH',
  ESCAPE_CLAUSE: 'HIGH',
  NO_MEASURE: 'HIGH',
  AMBIGUOUS_TERM: 'MEDIUM',
  MULTIPLE_SHALL: 'MEDIUM',
  PRONOUN_SUBJECT: 'MEDIUM',
  PASSIVE_NO_ACTOR: 'LOW',
  UNIVERSAL: 'LOW',
}

/** The severity of a wording rule. */
export function findSeverity(rule: Rule): SeverityName {
  return severities[rule]
}

/** Sorts the severest first. */
export function bySeverity(one: { severity: SeverityName }, other: { severity: SeverityName }): number {
  return Severity.options.indexOf(one.severity) - Severity.options.indexOf(other.severity)
}
