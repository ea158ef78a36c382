import { ServiceError } from '../../../src/errors.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import { nextCall } from '../../../src/mcp/result/next-action.ts'
import { TeachingError } from '../../../src/mcp/result/teach.ts'
import { explainMissingBranch } from '../named-branch.ts'
import { ifReadable, mayBeDone, unknownOutcome } from '../writes/outcome.ts'
import { mergeFacts } from './merge-facts.ts'
import { requestResolutions } from './merge-preview.ts'
import { nothingToMerge, readFresh, type MergeArguments, type Merging } from './merging.ts'

export type MergeAnswer = Awaited<ReturnType<Context['api']['mergeBranch']>>['merge']

/** Merges what was shown. Where the reply is lost, the state of the branch tells. */
export async function sendMerge(
  { args, subject, preview, resolved }: Merging & { args: MergeArguments },
  context: Context,
): Promise<{ merge: MergeAnswer; isReadBack: boolean }> {
  const { api, signal } = context
  const { branch, product } = subject
  const request = {
    id: branch.id,
    preview_token: preview.preview_token,
    resolutions: requestResolutions(resolved),
    approve_requirements: true,
    note: args.reason,
    ...(context.confirmed !== undefined && { request_id: context.confirmed.nonce }),
  }
  try {
    return { merge: (await api.mergeBranch(request, { signal })).merge, isReadBack: false }
  } catch (error) {
    if (error instanceof ServiceError && error.reason === 'PREVIEW_STALE')
      throw await stale(error, { args, subject, preview, resolved }, context)
    if (error instanceof ServiceError && error.reason === 'NOTHING_TO_MERGE') throw nothingToMerge(subject)
    if (!mayBeDone(error)) return explainMissingBranch(branch)(error)
    const read = await ifReadable(api.getBranch({ id: branch.id }, { signal }))
    if (read?.branch.state === 'BRANCH_STATE_MERGED') return { merge: undefined, isReadBack: true }
    const list = { product: product.id, include: ['branches'] }
    throw unknownOutcome(error, { next: nextCall('get_workspace_context', list, 'a merged branch is not listed') })
  }
}

/** What is different now from what the person saw. */
async function stale(
  error: ServiceError,
  { args, preview, resolved }: Merging & { args: MergeArguments },
  context: Context,
): Promise<TeachingError> {
  const shown = new Map(mergeFacts(preview, resolved).map(({ label, value }) => [label, value]))
  const now = await ifReadable(readFresh({ ...args, resolutions: undefined }, context))
  const facts = now === undefined ? [] : mergeFacts(now.preview, now.resolved)
  const differences = facts
    .filter(({ label, value }) => shown.get(label) !== value)
    .map(({ label, value }) => `${label} was ${shown.get(label) ?? 'not there'}, is ${value}`)
  return new TeachingError(
    'aborted',
    'main or the branch changed after the preview; nothing was merged',
    {
      expected: differences.join('; ') || 'the state that was previewed, which has changed in the meantime',
      hint: 'the same call without confirmation: the user sees the new preview.',
    },
    { reason: error.reason, cause: error },
  )
}
