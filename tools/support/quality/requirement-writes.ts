import { ServiceError } from '../../../src/errors.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import { isNotOffered, notOffered } from '../../../src/mcp/resolve/offered.ts'
import type { Branch, Requirement } from '../../../src/mcp/resolve/types.ts'
import { nextCall } from '../../../src/mcp/result/next-action.ts'
import { isShowable } from '../../../src/mcp/result/teach.ts'
import { explainMissingBranch } from '../named-branch.ts'
import { keyOrId } from '../columns.ts'
import { criterionText } from './criteria.ts'
import { ifReadable, isLost, mayBeDone, unknownOutcome } from '../writes/outcome.ts'
import { changedParts, requestFields, type WantedRequirement } from './requirement-edit.ts'
import type { RequirementInFull } from './requirement-in-full.ts'

/** What a requirement should say, and where it is written. */
interface RequirementWrite extends WantedRequirement {
  branch?: Branch | undefined
}

export type CreatedRequirement = Awaited<ReturnType<Context['api']['createRequirement']>>

/** Creates a requirement. Throws `outcome_unknown` with the search that shows it when the answer is lost. */
export async function createRequirement(
  wanted: RequirementWrite,
  productId: string,
  context: Context,
): Promise<CreatedRequirement> {
  try {
    return await sendNew(wanted, productId, context)
  } catch (error) {
    if (isNotOffered(error)) throw notOffered('the creation of requirements', { hint: READING_WORKS }, error)
    if (!isLost(error)) throw error
    const args = { product: productId, ...(isShowable(wanted.title) && { match: wanted.title }) }
    throw unknownOutcome(error, { next: nextCall('list_requirements', args, 'shows whether it was created') })
  }
}

const READING_WORKS = 'list_requirements and get_requirement still work; a person can do this in the web interface.'

/** What our own service says about these words as a new requirement. */
export async function previewRequirement(
  wanted: RequirementWrite,
  productId: string,
  context: Context,
): Promise<CreatedRequirement> {
  return sendNew(wanted, productId, context, true)
}

/** The same before an update. Undefined if the service cannot say it now, because the update does not depend on it. */
export async function wordingBeforeUpdate(wanted: RequirementWrite, productId: string, context: Context) {
  try {
    return await sendNew(wanted, productId, context, true)
  } catch (error) {
    if (isNotOffered(error) || isNoAnswer(error)) return undefined
    throw error
  }
}

/** Whether the service gave no usable answer, in contrast to a refusal of the words. */
function isNoAnswer(error: unknown): boolean {
  return error instanceof ServiceError && (error.code === 'unavailable' || error.code === 'upstream_shape_unknown')
}

function sendNew(
  wanted: RequirementWrite,
  productId: string,
  { api, signal }: Context,
  validateOnly?: true,
): Promise<CreatedRequirement> {
  const fields = {
    product_id: productId,
    ...requestFields(wanted),
    branch_id: wanted.branch?.id,
    validate_only: validateOnly,
  }
  return api.createRequirement(fields, { signal }).catch(explainMissingBranch(wanted.branch))
}

/** The words as they are after the change. */
export function withChanges<W extends RequirementWrite>(wanted: W, before: Requirement): W {
  const criteria = wanted.criteria ?? (before.acceptance_criteria ?? []).map(criterionText)
  return { ...wanted, body: wanted.body ?? before.statement, criteria }
}

/** A requirement after its update. */
export interface Updated {
  requirement: Requirement
  /** Links in doubt; undefined where the service does not say it. */
  suspects: number | undefined
  /** The reply could not be read; a read after it shows the words. */
  isReadBack?: true
}

/**
 * Updates a requirement, unless it was changed since it was read. When the reply is lost, or the repeated request finds
 * the first one done, the requirement is read again: its words decide.
 */
export async function updateRequirement(
  wanted: RequirementWrite,
  before: Requirement,
  context: Context,
): Promise<Updated> {
  const { api, signal } = context
  const fields = { id: before.id, ...requestFields(wanted, before), branch_id: wanted.branch?.id, etag: before.etag }
  try {
    const written = await api.updateRequirement(fields, { signal }).catch(explainMissingBranch(wanted.branch))
    return { requirement: written.requirement, suspects: written.suspect_link_count }
  } catch (error) {
    if (isNotOffered(error)) throw notOffered('changes of requirements', { hint: READING_WORKS }, error)
    const isConflict = error instanceof ServiceError && error.code === 'aborted'
    if (!isConflict && !mayBeDone(error)) throw error
    const read = await ifReadable(api.getRequirement({ id: before.id, branch_id: wanted.branch?.id }, { signal }))
    if (read !== undefined && changedParts(wanted, read.requirement).parts.length === 0) {
      const suspects = read.links?.filter(({ state }) => state === 'LINK_STATE_SUSPECT').length
      return { requirement: read.requirement, suspects, isReadBack: true }
    }
    if (isConflict) throw error
    const next = nextCall(
      'get_requirement',
      { requirement: keyOrId(before), product: before.product_id },
      'its words now',
    )
    throw unknownOutcome(error, { next })
  }
}

/**
 * The links that the change of wording puts in doubt; those that were in doubt before are not among them. `suspects` is how
 * many there are after the change; in a preview of our own service `isRevision` says that all active ones are.
 */
export function doubtedLinks({ links = [] }: RequirementInFull, isRevision: boolean, suspects: number | undefined) {
  const active = links.filter(({ state }) => state === 'LINK_STATE_ACTIVE')
  const stated = suspects === undefined ? undefined : suspects - (links.length - active.length)
  const count = stated ?? (isRevision ? active.length : 0)
  const tests = active.map((link) => keyOrId({ id: link.test_id, key: link.test_key }))
  return { count, tests: count === active.length ? tests : undefined }
}
