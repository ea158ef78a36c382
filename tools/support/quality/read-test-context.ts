import { Untrusted } from '../../../src/contract/base/text.ts'
import { ServiceError } from '../../../src/errors.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import { isGlob, workingTree } from '../../../src/mcp/files/working-tree.ts'
import { ifOffered, madeFromSentence } from '../../../src/mcp/resolve/offered.ts'
import type { Branch, Product, Requirement } from '../../../src/mcp/resolve/types.ts'
import { explainMissingBranch } from '../named-branch.ts'
import { readRequirement } from './requirement-in-full.ts'
import type { TestContext } from './test-context.ts'

/** What one call shows, by detail. */
export const contextLimits = {
  concise: { files: 12, similar: 3, failures: 3, text: 800, criterion: 300, tokens: 12_000 },
  full: { files: 40, similar: 10, failures: 10, text: 8000, criterion: 2000, tokens: 30_000 },
} as const

interface Request {
  requirement: Requirement
  product: Product
  branch: Branch | undefined
  detail: 'concise' | 'full'
}

export interface ReadTestContext {
  testContext: TestContext
  /** Globs that match no file of this machine. */
  unresolved: readonly string[]
  /** What it was made from where this deployment does not offer the endpoint: a sentence that begins with a space. */
  madeFrom?: string
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
  const ids = { product_id: product.id, requirement_id: requirement.id, branch_id: branch?.id }
  const limits = { max_files: files, max_similar_tests: similar, max_tokens: tokens }
  const answer = await ifOffered(api.getTestContext({ ...ids, ...limits }, { signal })).catch(
    explainMissingBranch(branch),
  )
  if (answer === undefined) return fromRequirement({ requirement, product, branch }, context)
  const { test_context: testContext } = answer
  return { testContext, unresolved: [], ...(prepared === 'not permitted' && { notPermitted: true }) }
}

/** The same members from the requirement, its linked tests and the code that it names (decision 051). */
async function fromRequirement(
  { requirement: found, product, branch }: Omit<Request, 'detail'>,
  context: Context,
): Promise<ReadTestContext> {
  const { requirement, links, tests, missing } = await readRequirement({ requirement: found, product }, context)
  const testsById = new Map(tests.map((test) => [test.id, test]))
  const testContext: TestContext = {
    requirement,
    coverage: requirement.coverage,
    acceptance_criteria: requirement.acceptance_criteria?.map((criterion) => ({
      ...criterion,
      covering_test_keys: links?.flatMap(({ criterion_ids: ids, test_key: key }) =>
        ids?.includes(criterion.id) === true && key !== undefined ? [key] : [],
      ),
    })),
    linked_tests: links?.flatMap(({ test_id: id, test_key: key, test_title: title, test_names_known: isKnown }) =>
      id === undefined ? [] : [testsById.get(id) ?? { id, key, title, names_known: isKnown }],
    ),
    code_files: requirement.code_refs?.flatMap(({ path }) =>
      path === undefined ? [] : [{ path: new Untrusted(path), reason: 'declared' as const }],
    ),
  }
  const madeFrom = madeFromSentence('test contexts', {
    sources: ['the requirement and its links'],
    notStated: ['past failures', 'conventions', 'similar tests', 'related issues', 'suggestions'],
    branch: branch?.id,
  })
  return { testContext, unresolved: [], madeFrom: madeFrom + missing }
}

/** With the paths of this machine; undefined when the answer has no context, or there is no such endpoint. */
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
    branch_id: branch?.id,
  }
  try {
    const answer = await ifOffered(api.prepareTestContext(body, { signal }))
    const { contexts, unresolved_globs: unresolved = [] } = answer?.test_generation_context ?? {}
    const testContext = contexts?.[0]
    return testContext && { testContext, unresolved }
  } catch (error) {
    // It stores the paths, which a token that may only read cannot do.
    if (error instanceof ServiceError && error.code === 'permission_denied') return 'not permitted'
    return explainMissingBranch(branch)(error)
  }
}
