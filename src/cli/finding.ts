import { replaceControls } from '../lib/text.ts'

/** One thing that doctor has looked at. */
export interface Finding {
  what: string
  ok: boolean
  found: string
  /** How to mend it. */
  mend?: string
}

/** Without what a terminal would obey: others wrote some of these names. */
export function plain(text: string): string {
  return replaceControls(text)
}
