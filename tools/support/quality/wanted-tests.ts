import * as z from 'zod'
import { ServiceError, type FailureCode } from '../../../src/errors.ts'
import { inBatches } from '../../../src/lib/batches.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import { isProvisional } from '../../../src/mcp/resolve/ids.ts'
import type { Requirement } from '../../../src/mcp/resolve/types.ts'
import { splitCriterion } from './criteria.ts'
import type { WantedTest } from './register-test.ts'

/** Reads of one call that run concurrently. */
export const READS_AT_ONCE = 8

/** A test in the input of `record_tests`. */
export const TestInput = z.strictObject({
  title: z.string().trim().min(1).max(1000).describe('Test name as in the code, or the key of a known test.'),
  file: z.string().trim().min(1).max(500).optional().describe('Repository path.'),
  suite: z.string().optional().describe('Suite titles around it, joined by " > ".'),
  issue: z
    .string()
    .optional()
    .describe('Open issue that it reproduces, e.g. SHOP-7: its failure then means "fix the code".'),
  requirement_ids: z
    .array(z.string().min(1))
    .max(20)
    .describe('Keys or ids of the requirements it proves, REQ-12.2 for criterion 2 of one. From find_coverage_gaps.'),
})

/** The same place twice is one test with the requirements of both. */
export function mergeTests(tests: readonly z.output<typeof TestInput>[]): WantedTest[] {
  const places = Map.groupBy(tests, ({ file, suite, title }) => JSON.stringify([file, splitSuites(suite), title]))
  return [...places.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return []
    const { title, file, suite } = first
    const ids = [first, ...others].flatMap(({ requirement_ids: named }) => named)
    const issue = [first, ...others].find((one) => one.issue !== undefined)?.issue
    return [{ title, file, suites: splitSuites(suite), requirements: [...new Set(ids)], issue }]
  })
}

function splitSuites(suite = ''): string[] {
  return suite
    .split(' > ')
    .map((title) => title.trim())
    .filter((title) => title !== '')
}

/** Why a name leads to no requirement; the other names may still do. */
const namesNone: ReadonlySet<string> = new Set<FailureCode>(['not_found', 'wrong_id_kind', 'ambiguous_name'])

/** The requirements by what the caller wrote before the number of a criterion, without those that the product does not have. */
export async function findRequirements(
  tests: readonly WantedTest[],
  { product_id: product, branch_id: branch }: { product_id: string; branch_id: string | undefined },
  { resolve }: Context,
): Promise<Map<string, Requirement>> {
  const named = [...new Set(tests.flatMap(({ requirements }) => requirements.map((one) => splitCriterion(one).name)))]
  const found = await inBatches(named, READS_AT_ONCE, async (given) => {
    try {
      return [[given, (await resolve.requirement(given, product, branch)).requirement] as const]
    } catch (error) {
      // Whoever names a draft has left out its branch: in main, its test would be another one than after the merge.
      const isOfBranch = branch === undefined && isProvisional(given)
      if (error instanceof ServiceError && namesNone.has(error.code) && !isOfBranch) return []
      throw error
    }
  })
  return new Map(found.flat())
}

/** The ids of the issues by what the caller wrote, without those that the product does not have. */
export async function findIssues(
  tests: readonly WantedTest[],
  productId: string,
  { resolve }: Context,
): Promise<Map<string, string>> {
  const named = [...new Set(tests.flatMap(({ issue }) => issue ?? []))]
  const found = await inBatches(named, READS_AT_ONCE, async (given) => {
    try {
      return [[given, (await resolve.issue(given, productId)).issue.id] as const]
    } catch (error) {
      if (error instanceof ServiceError) return []
      throw error
    }
  })
  return new Map(found.flat())
}
