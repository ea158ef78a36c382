import { applyRequirements } from './requirements.ts'
import { applyTests } from './tests.ts'
import type { AppliedChange, Applying } from './types.ts'

/** What applying changes came to. */
export interface Applied {
  /** By id of a test that the branch creates: the test that has its place in the code already, and is used instead. */
  sameTests: Map<string, string>
}

/**
 * Applies changes with the ordinary write functions of quality, without audit rows, and never fails because of what the main
 * tree did meanwhile. A change of something that is gone is left out. A parent that is gone is the root; what would be below
 * itself stays where it is. References to things that are gone are left out.
 */
export async function applyChanges(applying: Applying, changes: readonly AppliedChange[]): Promise<Applied> {
  await applyRequirements(
    applying,
    changes.filter(({ entityType }) => entityType === 'requirement'),
  )
  const sameTests = await applyTests(
    applying,
    changes.filter(({ entityType }) => entityType === 'test'),
  )
  return { sameTests }
}
