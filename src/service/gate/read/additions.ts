import { casesUnder } from '../../quality/coverage/links.ts'
import type { CountedCase, CountedLink } from '../../quality/coverage/rule.ts'
import type { Rows } from '../../sql/database.ts'
import { ADDITIONS } from '../../workspace/exclusions.ts'

/** What an agent let count for more than before, and no person has seen (contract §7.2). */
export interface Addition {
  exclusionId: string
  /** The linked or restored test, which may be a suite. */
  testId: string
  /** Of a link; else the test counts for every requirement that it is linked to. */
  requirementId: string | undefined
  /** Results of this time or earlier were there before. Epoch milliseconds. */
  at: number
  caseIds: ReadonlySet<string>
}

/** The additions of a product that no person has reviewed. */
export async function readAdditions(rows: Rows, productId: number): Promise<Addition[]> {
  const found = await rows
    .selectFrom('exclusion')
    .select(['id', 'item_id', 'at'])
    .where('product_id', '=', productId)
    .where('kind', 'in', ADDITIONS)
    .where('reviewed_at', 'is', null)
    .where('ended_at', 'is', null)
    .execute()
  const additions = found.map(({ id, item_id: item, at }) => {
    const [testId = '', requirementId] = item.split('/')
    return { exclusionId: id, testId, requirementId, at }
  })
  const cases = await casesUnder(rows, [...new Set(additions.map(({ testId }) => testId))])
  return additions.map((one) => ({ ...one, caseIds: new Set(cases.get(one.testId)?.map(({ id }) => id)) }))
}

/** The additions whose test has not run since, and the links of a requirement as they prove without them. */
export function withoutAdditions(
  links: readonly CountedLink[],
  additions: readonly Addition[],
): { links: CountedLink[]; used: Addition[] } {
  const used = new Set<Addition>()
  const isProof = ({ linkedId }: CountedLink, { testId, newest }: CountedCase) => {
    const early = additions.filter(
      (one) =>
        one.caseIds.has(testId) &&
        newest !== undefined &&
        newest.at <= one.at &&
        (one.requirementId === undefined || linkedId === one.testId || linkedId !== testId),
    )
    for (const one of early) used.add(one)
    return early.length === 0
  }
  const proving = links.map((link) => ({ ...link, cases: link.cases.filter((one) => isProof(link, one)) }))
  return { links: proving, used: [...used] }
}
