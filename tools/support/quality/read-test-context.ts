import { ServiceError } from '../../../src/errors.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import { isGlob, workingTree } from '../../../src/mcp/files/working-tree.ts'
import type { Product, Requirement } from '../../../src/mcp/resolve/types.ts'
import { explainMissingBranch } from './branches.ts'
import type { TestContext } from './test-context.ts'

/** What one call shows, by detail. */
export const contextLimits = {
  concise: { files: 12, similar: 3, failures: 3, text: 800, criterion: 300, tokens: 12_000 },
  full: { files: 40, similar: 10, failures: 10, text: 8000, criterion: 2000, tokens: 30_000 },
} as const

interface Request {
  requirement: Requirement
  product: Product
  branch: string | undefined
  detail: 'concise' | 'full'
}

export interface ReadTestContext {
  testContext: TestContext
  /** Globs that match no file of this machine. */
  unresolved: readonly string[]
  /** The token may not send the paths of this machine, so globs stay globs. */
  notPermitted?: true
}

/**
 * What is needed to write the tests of a requirement; with the files of this machine where it names its code by globs, so
 * that they become files (mcp §11). Nothing of them but their paths is sent, and nothing when read-only.
 */
export async function readTestContext(
  { requirement, product, branch, detail }: Request,
  context: Context,
): Promise<ReadTestContext> {
  const { api, local, options, signal } = context
  const { files, similar, tokens } = contextLimits[detail]
  const globs = (requirement.code_refs ?? []).flatMap(({ path }) => (path !== undefined && isGlob(path) ? [path] : []))
  const tree = local === undefined || options.readOnly || globs.length === 0 ? [] : await workingTree(local, globs)
  const prepared =
    tree.length === 0 ? undefined : await prepare({ requirement, product, branch, detail }, tree, context)
  if (prepared !== undefined && prepared !== 'not permitted') return prepared
  const ids = { product_id: product.id, requirement_id: requirement.id, branch_id: branch }
  const { test_context: testContext } = await api
    .getTestContext({ ...ids, max_files: files, max_similar_tests: similar, max_tokens: tokens }, { signal })
    .catch(explainMissingBranch(branch))
  return { testContext, unresolved: [], ...(prepared === 'not permitted' && { notPermitted: true }) }
}

/** With the paths of this machine; undefined when the answer has no context. */
async function prepare(
  { requirement, product, branch, detail }: Request,
  tree: readonly string[],
  { api, signal }: Context,
): Promise<ReadTestContext | 'not permitted' | undefined> {
  const body = {
    product_id: product.id,
    requirement_ids: [requirement.id],
    max_tokens: contextLimits[detail].tokens,
    repository: { files: tree.map((path) => ({ path })) },
    branch_id: branch,
  }
  try {
    const { test_generation_context: prepared } = await api.prepareTestContext(body, { signal })
    const [testContext] = prepared.contexts ?? []
    return testContext && { testContext, unresolved: prepared.unresolved_globs ?? [] }
  } catch (error) {
    // It stores the paths, which a token that may only read cannot do.
    if (error instanceof ServiceError && error.code === 'permission_denied') return 'not permitted'
    return explainMissingBranch(branch)(error)
  }
}
