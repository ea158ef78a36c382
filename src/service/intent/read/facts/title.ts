import { capitalised } from '../../../../lib/counted.ts'

const LONGEST = 120

/** A title in the words of the text: its start, cut between words. */
export function titleFrom(text: string): string {
  const words = text.replace(/[.:;,!\s]+$/, '').trim()
  const start = capitalised(words)
  if (start.length <= LONGEST) return start
  const cut = start.lastIndexOf(' ', LONGEST)
  return start.slice(0, cut > LONGEST / 2 ? cut : LONGEST).replace(/[\s,;:(-]+$/, '')
}
