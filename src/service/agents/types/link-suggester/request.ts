import { notFound } from '../../../../errors.ts'
import { requirementNumber } from '../../../quality/keys.ts'
import type { RequirementFacts } from './facts.ts'

/**
 * The requirements that a run looks for tests of: those that are named by key or id, or all that demand a test and have none.
 * Throws `not_found` for one that the product does not have, or that is a group.
 */
export function chooseTargets(
  requirements: readonly RequirementFacts[],
  names: readonly string[] | undefined,
): RequirementFacts[] {
  if (names === undefined) {
    return requirements.filter(({ isNormative, isDeprecated, hasTest }) => isNormative && !isDeprecated && !hasTest)
  }
  const found = names.map((name) => {
    const wanted = requirementNumber(name)
    const one = requirements.find(({ id, number }) => id === name || number === wanted)
    if (one === undefined)
      throw notFound('requirement', name, 'name requirements by key or id; a group has no tests of its own')
    return one
  })
  return [...new Set(found)]
}
