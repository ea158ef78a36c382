import { ServiceError } from '../../../src/errors.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import { branchesCall } from '../../../src/mcp/resolve/find-branch.ts'
import { TeachingError } from '../../../src/mcp/result/teach.ts'
import { explainMissingBranch } from '../named-branch.ts'
import { ifReadable, mayBeDone, unknownOutcome } from '../writes/outcome.ts'
import { mergeFacts } from './merge-facts.ts'
import {
  mergeRequest,
  nothingToMerge,
  readFresh,
  type MergeAnswer,
  type MergeArguments,
  type Merging,
} from './merging.ts'

/** Merges what was shown. Where the reply is lost, the state of the branch tells. */
export async function sendMerge(
  merging: Merging,
  args: MergeArguments,
  context: Context,
): Promise<{ merge: MergeAnswer; isReadBack: boolean }> {
  const { api, signal } = context
  const { subject } = merging
  const { branch, product } = subject
  const request = {
    ...mergeRequest(merging, args),
    ...(context.confirmed !== undefined && { request_id: context.confirmed.nonce }),
  }
  try {
    return { merge: (await api.mergeBranch(request, { signal })).merge, isReadBack: false }
  } catch (error) {
    if (error instanceof ServiceError && error.reason === 'PREVIEW_STALE')
      throw await stale(error, { ...merging, args }, context)
    if (error instanceof ServiceError && error.reason === 'NOTHING_TO_MERGE') throw nothingToMerge(subject)
    if (!mayBeDone(error)) return explainMissingBranch(branch)(error)
    const read = await ifReadable(api.getBranch({ id: branch.id }, { signal }))
    if (read?.branch.state === 'BRANCH_STATE_MERGED') return { merge: undefined, isReadBack: true }
    throw unknownOutcome(error, { next: branchesCall(product.id) })
  }
}

/** What is different now from what the person saw. */
async function stale(
  error: ServiceError,
  { args, ...merging }: Merging & { args: MergeArguments },
  context: Context,
): Promise<TeachingError> {
  const shown = new Map(mergeFacts(merging).map(({ label, value }) => [label, value]))
  const now = await ifReadable(readFresh(args, context))
  const facts = now === undefined ? [] : mergeFacts(now)
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
