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
  const byId = new Map(requirements.map((one) => [one.id, one]))
  const byNumber = new Map(requirements.map((one) => [one.number, one]))
  const found = names.map((name) => {
    const one = byId.get(name) ?? byNumber.get(requirementNumber(name))
    if (one === undefined)
      throw notFound('requirement', name, 'name requirements by key or id; a group has no tests of its own')
    return one
  })
  return [...new Set(found)]
}
