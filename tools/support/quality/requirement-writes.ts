import type { Context } from '../../../src/mcp/define/define.ts'
import type { Requirement } from '../../../src/mcp/resolve/types.ts'
import { explainMissingBranch } from './branches.ts'
import { keyOrId } from '../columns.ts'
import { criterionText } from './criteria.ts'
import { isTracegate } from '../is-tracegate.ts'
import { requestFields, type WantedRequirement } from './requirement-edit.ts'
import type { RequirementInFull } from './requirement-in-full.ts'

/** What a requirement should say, and where it is written. */
interface RequirementWrite extends WantedRequirement {
  branch?: string | undefined
}

export type CreatedRequirement = Awaited<ReturnType<Context['api']['createRequirement']>>

/** Creates a requirement; with `validateOnly` the service says what it would create. */
export function createRequirement(
  wanted: RequirementWrite,
  productId: string,
  { api, signal }: Context,
  validateOnly?: true,
): Promise<CreatedRequirement> {
  const fields = {
    product_id: productId,
    ...requestFields(wanted),
    branch_id: wanted.branch,
    validate_only: validateOnly,
  }
  return api.createRequirement(fields, { signal }).catch(explainMissingBranch(wanted.branch))
}

/** What the service says about these words as a new requirement; undefined where only a write would show it. */
export async function previewWording(
  wanted: RequirementWrite,
  productId: string,
  context: Context,
): Promise<CreatedRequirement | undefined> {
  return (await isTracegate(context)) ? createRequirement(wanted, productId, context, true) : undefined
}

/** The words as they are after the change. */
export function withChanges<W extends RequirementWrite>(wanted: W, before: Requirement): W {
  const criteria = wanted.criteria ?? (before.acceptance_criteria ?? []).map(criterionText)
  return { ...wanted, body: wanted.body ?? before.statement, criteria }
}

/** Updates a requirement, unless it was changed since it was read. */
export function updateRequirement(wanted: RequirementWrite, before: Requirement, { api, signal }: Context) {
  const fields = { id: before.id, ...requestFields(wanted, before), branch_id: wanted.branch, etag: before.etag }
  return api.updateRequirement(fields, { signal }).catch(explainMissingBranch(wanted.branch))
}

/** The links that the change of wording puts in doubt; those that were in doubt before are not among them. */
export function doubtedLinks({ links = [] }: RequirementInFull, isRevision: boolean, suspects: number | undefined) {
  const active = links.filter(({ state }) => state === 'LINK_STATE_ACTIVE')
  const stated = suspects === undefined ? undefined : suspects - (links.length - active.length)
  const count = stated ?? (isRevision ? active.length : 0)
  const tests = active.map((link) => keyOrId({ id: link.test_id, key: link.test_key }))
  return { count, tests: count === active.length ? tests : undefined }
}
