import { ServiceError } from '../../src/errors.ts'
import type { Context } from '../../src/mcp/define/define.ts'
import { branchArgument, branchLabel, branchesCall } from '../../src/mcp/resolve/find-branch.ts'
import { ifOffered } from '../../src/mcp/resolve/offered.ts'
import type { ListedRows } from '../../src/mcp/resolve/requests.ts'
import type { Branch } from '../../src/mcp/resolve/types.ts'
import { describeValue, TeachingError } from '../../src/mcp/result/teach.ts'

/** The open quality branch that a call names; undefined where it names none, which means the main tree. */
export async function namedBranch(
  given: string | undefined,
  productId: string | undefined,
  { resolve }: Pick<Context, 'resolve'>,
): Promise<Branch | undefined> {
  return given === undefined ? undefined : resolve.branch(given, productId)
}

/** The open quality branch of this id or name; undefined for any other text, which may be a git ref. */
export async function branchOrRef(
  given: string | undefined,
  productId: string,
  { resolve }: Pick<Context, 'resolve'>,
): Promise<Branch | undefined> {
  const listed = given === undefined ? undefined : await ifOffered(resolve.branches(productId))
  return listed?.rows.find(({ id, name }) => id === given || name === given)
}

/** ` On quality branch pricing.`: whose things an answer is about; empty for the main tree. */
export function branchSentence(branch: Branch | undefined): string {
  return branch === undefined ? '' : ` On quality branch ${branchLabel(branch)}.`
}

/** ` on quality branch pricing`, inside a sentence; empty for the main tree. */
export function branchWords(branch: Branch | undefined): string {
  return branch === undefined ? '' : ` on quality branch ${branchLabel(branch)}`
}

/** `branchSentence` of rows that were listed, or that the deployment has not listed those of the branch. */
export function listedSentence(branch: Branch | undefined, { notApplied }: ListedRows<unknown>['reading']): string {
  const isOfBranch = branch === undefined || !notApplied.includes('branch_id')
  return isOfBranch ? branchSentence(branch) : ' Those of this branch are not stated.'
}

/** The `branch` of a call that goes on with the same branch. */
export function onBranch(branch: Branch | undefined): { branch?: string } {
  return branch === undefined ? {} : { branch: branchArgument(branch) }
}

/** For `catch`: explains that the branch was merged or closed while the call ran; throws any other failure as it is. */
export function explainMissingBranch(
  branch: Pick<Branch, 'id' | 'name' | 'product_id'> | undefined,
): (error: unknown) => never {
  return (error) => {
    if (branch === undefined || !isBranchGone(error)) throw error
    throw new TeachingError(
      error.code,
      `quality branch ${branchLabel(branch)} is not open`,
      {
        sent: `branch = ${describeValue(branch.name ?? branch.id)}`,
        expected: EXPECTED,
        next: branchesCall(branch.product_id),
      },
      { reason: error.reason, cause: error },
    )
  }
}

/** Whether a request failed because its branch is not there, or not open. */
export function isBranchGone(error: unknown): error is ServiceError {
  return error instanceof ServiceError && GONE.has(error.reason)
}

const GONE: ReadonlySet<string> = new Set(['BRANCH_NOT_FOUND', 'BRANCH_NOT_OPEN'])
const EXPECTED = 'an open quality branch, which is not a git branch; leave branch out for the main tree'
