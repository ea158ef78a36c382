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

interface ReadTestContext {
  testContext: TestContext
  /** Globs that match no file of this machine. */
  unresolved: readonly string[]
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
  if (tree.length > 0) {
    const { test_generation_context: prepared } = await api
      .prepareTestContext(
        {
          product_id: product.id,
          requirement_ids: [requirement.id],
          max_tokens: tokens,
          repository: { files: tree.map((path) => ({ path })) },
          branch_id: branch,
        },
        { signal },
      )
      .catch(explainMissingBranch(branch))
    const [testContext] = prepared.contexts ?? []
    if (testContext !== undefined) return { testContext, unresolved: prepared.unresolved_globs ?? [] }
  }
  const ids = { product_id: product.id, requirement_id: requirement.id, branch_id: branch }
  const { test_context: testContext } = await api
    .getTestContext({ ...ids, max_files: files, max_similar_tests: similar, max_tokens: tokens }, { signal })
    .catch(explainMissingBranch(branch))
  return { testContext, unresolved: [] }
}
