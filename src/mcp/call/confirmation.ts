import { effects, type Tool } from '../define/define.ts'
import { TeachingError } from '../result/teach.ts'
import { MOST_CHANGES, type RecentChanges } from './recent-changes.ts'

/** The highest level that needs no person (mcp §7). */
const UNCONFIRMED = 1

/** Who calls, and what all callers changed lately. */
export interface Changing {
  caller: string
  recent: RecentChanges
}

/**
 * Refuses a call above level 1 with `confirmation_required`: no dialog of this server can ask the person yet, so the
 * answer says how to do it in steps that need none.
 */
export function requireConfirmation(tool: Tool, args: Readonly<Record<string, unknown>>): void {
  const level = tool.level?.(args) ?? effects[tool.effect].level
  if (level > UNCONFIRMED) throw refusal(tool, `${tool.name} with these arguments needs a person's confirmation`)
}

/**
 * Counts things that the tool is about to change. Throws `confirmation_required` when they are a wide change (level 2),
 * alone or together with what the caller changed by other calls of the last five minutes.
 */
export function countChanges(tool: Tool, things: readonly string[], { caller, recent }: Changing): void {
  const before = recent.add(caller, tool.name, things)
  if (before === undefined) return
  const earlier = before === 0 ? '' : `; ${String(before)} were changed in the last five minutes`
  const message = `changing more than ${String(MOST_CHANGES)} with ${tool.name} needs a person's confirmation${earlier}`
  throw refusal(tool, message)
}

function refusal(tool: Tool, message: string): TeachingError {
  return new TeachingError('confirmation_required', message, {
    ...(tool.unconfirmed !== undefined && { hint: tool.unconfirmed }),
  })
}
