import * as z from 'zod'
import { shortName } from '../../../../contract/quality-gate/short-name.ts'

/** `fail` of `CONDITION_STATUS_FAIL`: a value of an enum as the tools show it. An unknown value stays as it is. */
export function plainWord(value: string): string {
  return shortName(value)
    .replace(/^(?:RESULT_STATUS|LINK_STATE|GAP_ACTION)_/, '')
    .toLowerCase()
}

/** The plain words of an enum. */
export function plainWords({ options }: { options: readonly string[] }) {
  return z.enum(options.map(plainWord))
}
