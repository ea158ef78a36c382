import { applyRequirements } from './requirements.ts'
import { applyTests } from './tests.ts'
import type { AppliedChange, Applying } from './types.ts'

export interface Applied {
  /** Tests of the main tree that are used instead of tests that the branch creates, because they have their code location. */
  sameTests: Map<string, string>
}

/**
 * Applies changes with the ordinary write functions of quality, without audit rows. It never fails because the main tree has
 * changed: changes of what is deleted and references to it are left out, what loses its parent goes to the root, and what
 * would be below itself stays where it is.
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
