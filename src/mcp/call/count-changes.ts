import type { Tool } from '../define/define.ts'
import { NeedsPerson } from './needs-person.ts'
import { MOST_CHANGES, type RecentChanges } from './recent-changes.ts'

/** Who calls, and what all callers changed lately. */
export interface Changing {
  caller: string
  recent: RecentChanges
}

/**
 * Counts things that the tool is about to change. Throws `NeedsPerson` when they are too many, alone or together with what
 * the caller changed by other calls of the last five minutes.
 */
export function countChanges(tool: Tool, things: readonly string[], { caller, recent }: Changing): void {
  const before = recent.add(caller, tool.name, things)
  if (before === undefined) return
  const earlier = before === 0 ? '' : `; ${String(before)} were changed in the last five minutes`
  throw new NeedsPerson(
    `changing more than ${String(MOST_CHANGES)} with ${tool.name} needs a person's confirmation${earlier}`,
  )
}
