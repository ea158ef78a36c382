import type { Context, Level, Tool, Way } from '../define/define.ts'
import type { FormKind } from './form.ts'
import type { ConfirmOptions } from './options.ts'

/** A call above level 1, or one that turned out to be wide. */
export interface Asking {
  tool: Tool
  args: Readonly<Record<string, unknown>>
  context: Context
  level: Level
  options: ConfirmOptions
  /** Whose call it is (`Changing.caller`). */
  caller: string
  /** The form that the client can show; undefined if it shows none. */
  form: FormKind | undefined
}

/** The highest level that needs no person. */
export const UNCONFIRMED = 1
/** The level from which a person types what the decision is about. */
const TYPING = 3
/** A decision that is the person's own. */
const DECIDING = 4

/** Whether the person has to type the key. */
export function asksForKey({ level }: Pick<Asking, 'level'>): boolean {
  return level >= TYPING
}

/** Whether a person may confirm this call in this way; the operator's mode and the tool only take ways away. */
export function isAllowed(way: Way, { tool, form, options: { mode }, level }: Asking): boolean {
  if (tool.ways !== undefined && !tool.ways.includes(way)) return false
  if (way === 'form') return form !== undefined && mode !== 'page'
  if (way !== 'handle') return true
  // Where the client can show a form, a handle would be a way round the answer to it.
  if (form !== undefined || !('confirmation' in tool.input.shape)) return false
  return mode === 'handle' || (mode === 'ask' && level < DECIDING)
}
