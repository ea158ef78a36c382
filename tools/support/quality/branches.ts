import { ServiceError } from '../../../src/errors.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import { describeValue, TeachingError } from '../../../src/mcp/result/teach.ts'

/** For `catch`: explains the failure that the quality branch does not exist; throws any other failure as it is. */
export function explainMissingBranch(branch: string | undefined): (error: unknown) => never {
  return (error) => {
    if (branch === undefined || !(error instanceof ServiceError) || error.reason !== 'BRANCH_NOT_FOUND') throw error
    throw new TeachingError(
      'not_found',
      'quality branch not found',
      {
        sent: `branch = ${describeValue(branch)}`,
        expected: 'the id of an open quality branch, which is not a git branch; leave branch out for the main tree',
        hint: 'call again without branch.',
      },
      { cause: error },
    )
  }
}

/** Refuses a branch that does not exist by a read, before anything is sent or written. */
export async function requireBranch(
  branch: string | undefined,
  productId: string,
  { api, signal }: Pick<Context, 'api' | 'signal'>,
): Promise<void> {
  if (branch === undefined) return
  await api
    .listTests({ product_id: productId, branch_id: branch, page_size: 1 }, { signal })
    .catch(explainMissingBranch(branch))
}
