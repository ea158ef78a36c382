import type * as z from 'zod'
import type { Evidence } from '../../../../contract/quality-gate/verdict.ts'
import { plainWord } from './plain-words.ts'

/** An item of evidence as the output shows it: a link by its key alone, because its id is two ids. */
export function shownItem({ type, id, key, title, state, because }: z.input<typeof Evidence>) {
  return { type, ...(type !== 'link' && { id }), key, title, state: plainWord(state), because }
}
