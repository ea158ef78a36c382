import { clean, cutTo, inOneLine } from '../../lib/outside-text/clean.ts'

/** An id or name from a prompt argument, quoted and on one line, so that it cannot add anything else to the prompt. */
export function idText(value: string): string {
  return JSON.stringify(cutTo(inOneLine(clean(value)), 100))
}
