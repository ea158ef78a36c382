import { ServiceError } from '../../../src/errors.ts'
import type { Context, Question } from '../../../src/mcp/define/define.ts'
import type { NextAction } from '../../../src/mcp/result/next-action.ts'
import { explainNotOffered, isNotOffered } from '../../../src/mcp/resolve/offered.ts'
import { undefinedIfNotFound } from '../../../src/mcp/resolve/requests.ts'
import { isTracegate } from '../is-tracegate.ts'
import { ifReadable, mayBeDone, unknownOutcome } from '../writes/outcome.ts'

interface Removal {
  /** What is deleted, in the plural: `requirements`. */
  noun: string
  /** Sends the delete. */
  remove: () => Promise<unknown>
  /** Reads the thing alone; it is gone when that is not found. */
  read: () => Promise<unknown>
  /** The call that shows whether it is still there. */
  check: NextAction
}

/**
 * Deletes a thing that this call has read. True where the reply was lost and a read shows that it is gone; throws
 * `outcome_unknown` where none can tell.
 */
export async function removeThing({ noun, remove, read, check }: Removal): Promise<boolean> {
  try {
    await remove()
    return false
  } catch (error) {
    const mayBeGone = mayBeDone(error) || (error instanceof ServiceError && error.code === 'not_found')
    if (!mayBeGone) return explainRefusal(noun)(error)
    const after = await ifReadable(existence(read))
    if (after === 'gone') return true
    if (after === 'there' && isNotOffered(error)) return explainRefusal(noun)(error)
    if (!mayBeDone(error)) throw error
    throw unknownOutcome(error, { next: check })
  }
}

async function existence(read: Removal['read']): Promise<'there' | 'gone'> {
  return (await undefinedIfNotFound(read())) === undefined ? 'gone' : 'there'
}

function explainRefusal(noun: string) {
  return explainNotOffered(`the deletion of ${noun}`, { hint: 'ask the user to delete it in the web interface.' })
}

/** The `reason` of a delete, for our service alone: another deployment may refuse a parameter that it does not know. */
export async function saidReason(reason: string, context: Context): Promise<{ reason?: string }> {
  return (await ifReadable(isTracegate(context))) === true ? { reason } : {}
}

/**
 * Called before a thing is deleted on a branch, where no person is asked: throws where they have to be, because many were
 * changed lately, or because a deployment that does not know `branch_id` would delete it in the main tree.
 */
export async function requireDraft(id: string, context: Context): Promise<void> {
  if (!(await isTracegate(context))) context.requirePerson('this deployment may delete it in the main tree')
  context.countChanges([id])
}

/** Facts as a person reads them, without those that are not stated. */
export function factList(facts: Readonly<Record<string, string | undefined>>): Question['facts'] {
  return Object.entries(facts).flatMap(([label, value]) => (value ? [{ label, value }] : []))
}
