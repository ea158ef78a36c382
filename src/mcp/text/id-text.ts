import { clean, cutTo, inOneLine } from './clean.ts'

/** An id or name from a prompt's argument, quoted and in one line: no more of it gets into a prompt. */
export function idText(value: string): string {
  return JSON.stringify(cutTo(inOneLine(clean(value).text), 100))
}
