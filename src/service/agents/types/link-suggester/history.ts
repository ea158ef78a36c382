import type { Rows } from '../../../sql/database.ts'
import type { RequirementFacts, TestFacts } from './facts.ts'

/** The test reproduces an issue that crashes in a file of the requirement. */
const CRASHES = 1
/** The test reproduces an issue that passes through a file of the requirement. */
const PASSES = 0.6
/** All linked tests of the test's file verify siblings of the requirement. */
const SIBLINGS = 0.4

export interface HistoryMatch {
  /** From 0 to 1. */
  value: number
  because: 'crashes' | 'passes' | 'siblings' | undefined
}

interface IssueFile {
  path: string
  isNearest: boolean
}

/**
 * Returns a function that finds what was recorded of a test and speaks for a requirement: the issue that it reproduces, and
 * what the linked tests of its file verify. That a test failed in the runs of a release with an issue is not used: with a few
 * runs for each release, everything that fails coincides.
 */
export async function readHistory(
  rows: Rows,
  productId: number,
  {
    tests,
    requirements,
    linked,
  }: {
    tests: readonly TestFacts[]
    requirements: readonly RequirementFacts[]
    linked: ReadonlyMap<string, ReadonlySet<string>>
  },
): Promise<(test: TestFacts, requirement: RequirementFacts) => HistoryMatch> {
  const issueFiles = await readIssueFiles(rows, productId)
  const inFiles = countLinked(tests, requirements, linked)
  return (test, requirement) => {
    const claimed = (issueFiles.get(test.issueId) ?? []).filter(({ path }) => requirement.claims(path))
    if (claimed.some(({ isNearest }) => isNearest)) return { value: CRASHES, because: 'crashes' }
    if (claimed.length > 0) return { value: PASSES, because: 'passes' }
    const { total = 0, byParent } = inFiles.get(test.file) ?? {}
    const siblings = byParent?.get(requirement.parentId) ?? 0
    if (siblings === 0 || requirement.parentId === '') return { value: 0, because: undefined }
    return { value: (SIBLINGS * siblings) / total, because: 'siblings' }
  }
}

/** How many tests of a file are linked, and how many of these to requirements below each parent. */
interface LinkedInFile {
  total: number
  byParent: Map<string, number>
}

function countLinked(
  tests: readonly TestFacts[],
  requirements: readonly RequirementFacts[],
  linked: ReadonlyMap<string, ReadonlySet<string>>,
): Map<string, LinkedInFile> {
  const parents = new Map(requirements.map(({ id, parentId }) => [id, parentId]))
  const files = new Map<string, LinkedInFile>()
  for (const { id, file } of tests) {
    // Tests without a file share none.
    if (file === '') continue
    const above = new Set([...(linked.get(id) ?? [])].flatMap((one) => parents.get(one) ?? []))
    if (above.size === 0) continue
    const counts = files.get(file) ?? { total: 0, byParent: new Map<string, number>() }
    counts.total += 1
    for (const parent of above) counts.byParent.set(parent, (counts.byParent.get(parent) ?? 0) + 1)
    files.set(file, counts)
  }
  return files
}

/** The files of the issues that tests reproduce, by issue. */
async function readIssueFiles(rows: Rows, productId: number): Promise<Map<string, IssueFile[]>> {
  const reproduced = rows.selectFrom('test').select('issue_id').where('product_id', '=', productId)
  const found = await rows
    .selectFrom('issue_frame')
    .select(['issue_id', 'path'])
    .select((eb) => eb.fn.min('distance').as('distance'))
    .where('product_id', '=', productId)
    .where('issue_id', 'in', reproduced.where('issue_id', '<>', ''))
    .groupBy(['issue_id', 'path'])
    .execute()
  const files = new Map<string, IssueFile[]>()
  for (const [issueId, frames] of Map.groupBy(found, (row) => row.issue_id)) {
    const nearest = Math.min(...frames.map(({ distance }) => distance))
    files.set(
      issueId,
      frames.map(({ path, distance }) => ({ path, isNearest: distance === nearest })),
    )
  }
  return files
}
