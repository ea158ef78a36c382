import type { InputOf, ResponseOf } from '../../contract/index.ts'
import { notFound } from '../../errors.ts'
import { readOnBranch } from '../branches/overlay/read.ts'
import { findBranch } from '../branches/store/branches.ts'
import type { Call, Handlers } from '../shared/context.ts'
import { refreshForAnswer } from '../quality/coverage/refresh.ts'
import { viewTime } from '../shared/view-time.ts'
import { requireProduct } from '../workspace/access.ts'
import { readFixContext } from '../agent-context/fix/context.ts'
import { requireIssue } from '../errors/issues/access.ts'

const FRAMES = 30
const FILES = 15
const REQUIREMENTS = 20

export const fixContextHandlers = {
  async getFixContext(input, call) {
    const { branch: named = '' } = input
    const branch = named === '' ? undefined : await branchNamed(input.product_id, named, call)
    if (branch === undefined) return answer(input, call, named)
    const { product_id } = input
    return readOnBranch(call, branch.id, { product_id }, (onBranch) => answer(input, onBranch, branch.git_ref))
  },
} satisfies Handlers<'getFixContext'>

async function branchNamed(productId: string, named: string, { db, principal }: Call) {
  const product = await requireProduct(db.read, principal, productId)
  return findBranch(db.read, product.id, named)
}

async function answer(
  input: InputOf<'getFixContext'>,
  call: Call,
  gitRef: string,
): Promise<ResponseOf<'getFixContext'>> {
  const { db, principal, symbolicator } = call
  // Both are asked for at once. When both are missing, the error names the product, and nobody waits for the issue.
  const reading = requireIssue(db.read, principal, input.issue_id)
  reading.catch(() => undefined)
  const product = await requireProduct(db.read, principal, input.product_id)
  const { issue } = await reading
  if (issue.product_id !== product.id) {
    throw notFound('issue', input.issue_id, `it is an issue of product ${issue.product_id}: name that one`)
  }
  await refreshForAnswer(call, product.id)
  return {
    fix_context: await readFixContext(db.read, {
      symbolicator,
      product,
      issue,
      environmentId: input.environment_id,
      gitRef,
      maxFrames: input.max_frames ?? FRAMES,
      maxFiles: input.max_files ?? FILES,
      maxRequirements: input.max_requirements ?? REQUIREMENTS,
      ...viewTime(call),
    }),
  }
}
