import { effects, type Tool } from '../define/define.ts'
import { TeachingError } from '../result/teach.ts'

/** The highest level that needs no person (mcp §7). */
const UNCONFIRMED = 1

/**
 * Refuses a call above level 1 with `confirmation_required`: no dialog of this server can ask the person yet, so the
 * answer says how to do it in steps that need none.
 */
export function requireConfirmation(tool: Tool, args: Readonly<Record<string, unknown>>): void {
  const level = tool.level?.(args) ?? effects[tool.effect].level
  if (level <= UNCONFIRMED) return
  throw new TeachingError('confirmation_required', `${tool.name} with these arguments needs a person's confirmation`, {
    ...(tool.unconfirmed !== undefined && { hint: tool.unconfirmed }),
  })
}
