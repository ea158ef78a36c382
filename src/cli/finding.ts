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
  // oxlint-disable-next-line no-control-regex -- the rule is about exactly these characters
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '')
}
