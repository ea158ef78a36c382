import { countingRoles } from '../../quality/coverage/links.ts'
import { requirementKey, testKey } from '../../quality/keys.ts'
import { chunks } from '../../sql/chunks.ts'
import type { Rows } from '../../sql/database.ts'
import { isImportant, type LinkFact, type RequirementFact } from '../facts.ts'

/** Cases that links lead to; a link to a suite leads to all cases below it. */
export interface LinkedTests {
  all: ReadonlySet<string>
  /** Linked to a requirement of critical or high priority or risk. */
  important: ReadonlySet<string>
}

/** The links that count as coverage of the requirements: the cases they lead to, and those that are suspect. */
export async function readLinks(
  rows: Rows,
  productId: number,
  requirements: readonly RequirementFact[],
): Promise<{ linked: LinkedTests; suspect: LinkFact[] }> {
  const byId = new Map(requirements.map((requirement) => [requirement.id, requirement]))
  const links = []
  for (const chunk of chunks([...byId.keys()])) {
    const found = await rows
      .selectFrom('test_link as link')
      .innerJoin('test', 'test.id', 'link.test_id')
      .innerJoin('requirement', 'requirement.id', 'link.requirement_id')
      .select(['link.test_id', 'link.requirement_id', 'link.state', 'test.title', 'test.kind'])
      .select(['test.number as test_number', 'requirement.number as requirement_number'])
      .where('link.requirement_id', 'in', chunk)
      .where('link.role', 'in', countingRoles)
      .where('link.archived_at', 'is', null)
      .where('test.deleted_at', 'is', null)
      // A suite that is deprecated still has its cases (contract §1.2).
      .where((eb) =>
        eb.or([eb('test.kind', '=', 'TEST_KIND_SUITE'), eb('test.status', '<>', 'TEST_STATUS_DEPRECATED')]),
      )
      .orderBy('requirement.number')
      .orderBy('test.number')
      .execute()
    // `push(...found)` would pass each row as an argument.
    for (const link of found) links.push(link)
  }
  const cases = links.some(({ kind }) => kind === 'TEST_KIND_SUITE') ? await casesOfSuites(rows, productId) : undefined
  const [all, important] = [new Set<string>(), new Set<string>()]
  const suspect = []
  for (const link of links) {
    const requirement = byId.get(link.requirement_id)
    const isOfImportant = requirement !== undefined && isImportant(requirement)
    const leadsTo = cases?.(link.test_id) ?? [link.test_id]
    for (const id of leadsTo) {
      all.add(id)
      if (isOfImportant) important.add(id)
    }
    if (link.state === 'LINK_STATE_SUSPECT' && leadsTo.length > 0) suspect.push(link)
  }
  return {
    linked: { all, important },
    suspect: suspect.map((link) => ({
      testId: link.test_id,
      requirementId: link.requirement_id,
      key: `${testKey({ number: link.test_number })} > ${requirementKey({ number: link.requirement_number })}`,
      title: link.title,
    })),
  }
}

/** The ids of the cases at or below a test that are not deprecated. */
async function casesOfSuites(rows: Rows, productId: number): Promise<(testId: string) => string[]> {
  const tests = await rows
    .selectFrom('test')
    .select(['id', 'parent_id', 'kind'])
    .where('product_id', '=', productId)
    .where('deleted_at', 'is', null)
    .where((eb) => eb.or([eb('kind', '=', 'TEST_KIND_SUITE'), eb('status', '<>', 'TEST_STATUS_DEPRECATED')]))
    .execute()
  const children = Map.groupBy(tests, ({ parent_id: parent }) => parent)
  const suites = new Set(tests.flatMap(({ id, kind }) => (kind === 'TEST_KIND_SUITE' ? [id] : [])))
  return function below(id): string[] {
    return suites.has(id) ? (children.get(id) ?? []).flatMap((child) => below(child.id)) : [id]
  }
}
