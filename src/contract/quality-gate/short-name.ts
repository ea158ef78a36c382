/** The short name of a value of the gate's enums: `FAIL` of `VERDICT_STATUS_FAIL`. An unknown value stays as it is. */
export function shortName(value: string): string {
  return value.replace(/^(?:VERDICT_STATUS|CONDITION_STATUS|CONDITION_SEVERITY|RISK_STATE)_/, '')
}
