import type { Selectable } from 'kysely'
import type * as z from 'zod'
import { LinkOrigin, LinkRole, LinkState, type TestLink } from '../../../contract/links.ts'
import { describeChange } from './wording-changes.ts'
import { chunks } from '../../sql/chunks.ts'
import { parseActor } from '../requirements/columns.ts'
import { requirementKey, testKey } from '../keys.ts'
import type { Rows } from '../../sql/database.ts'
import type { TestLinkRow } from '../../sql/schema-quality.ts'
import { timestamp, timestampOrNull } from '../../shared/times.ts'
import { readTexts } from '../../sql/json.ts'

export type TestLinkBody = z.input<typeof TestLink>
export type StoredLink = Selectable<TestLinkRow>

/** Converts rows to the contract's links, in the same order, with the names of both ends. */
export async function viewLinks(rows: Rows, links: readonly StoredLink[]): Promise<TestLinkBody[]> {
  const tests = new Map<string, { number: number; title: string; names_known: number }>()
  for (const chunk of chunks([...new Set(links.map((link) => link.test_id))])) {
    const found = await rows
      .selectFrom('test')
      .select(['id', 'number', 'title', 'names_known'])
      .where('id', 'in', chunk)
      .execute()
    for (const { id, ...test } of found) tests.set(id, test)
  }
  const requirements = new Map<string, { number: number; title: string; version: number }>()
  for (const chunk of chunks([...new Set(links.map((link) => link.requirement_id))])) {
    const found = await rows
      .selectFrom('requirement')
      .select(['id', 'number', 'title', 'version'])
      .where('id', 'in', chunk)
      .execute()
    for (const { id, ...requirement } of found) requirements.set(id, requirement)
  }
  const changes = await readChanges(rows, links)
  return links.map((link) => {
    const test = tests.get(link.test_id)
    const requirement = requirements.get(link.requirement_id)
    if (test === undefined || requirement === undefined) throw new Error('a link to a missing test or requirement')
    return {
      test_id: link.test_id,
      test_key: testKey(test),
      test_title: test.title,
      test_names_known: test.names_known === 1,
      requirement_id: link.requirement_id,
      requirement_key: requirementKey(requirement),
      requirement_title: requirement.title,
      role: LinkRole.parse(link.role),
      criterion_ids: readTexts(link.criterion_ids),
      state: LinkState.parse(link.state),
      requirement_version: link.requirement_version,
      requirement_current_version: requirement.version,
      requirement_changes: changes.get(link) ?? '',
      origin: LinkOrigin.parse(link.origin),
      confidence: link.confidence,
      created_by: parseActor(link.created_by),
      created_at: timestamp(link.created_at),
      confirmed_at: timestampOrNull(link.confirmed_at),
    }
  })
}

/** How the requirements of the suspect links changed since each link was made. */
async function readChanges(rows: Rows, links: readonly StoredLink[]): Promise<Map<StoredLink, string>> {
  const changes = new Map<StoredLink, string>()
  const suspect = links.filter(({ state }) => state === 'LINK_STATE_SUSPECT')
  for (const chunk of chunks(suspect)) {
    const requirements = await rows
      .selectFrom('requirement')
      .select(['id', 'title', 'statement', 'acceptance_criteria'])
      .where(
        'id',
        'in',
        chunk.map((link) => link.requirement_id),
      )
      .execute()
    const versions = await rows
      .selectFrom('requirement_version')
      .selectAll()
      .where(
        'requirement_id',
        'in',
        chunk.map((link) => link.requirement_id),
      )
      .execute()
    for (const link of chunk) {
      const before = versions.find(
        ({ requirement_id: id, version }) => id === link.requirement_id && version === link.requirement_version,
      )
      const after = requirements.find(({ id }) => id === link.requirement_id)
      if (before !== undefined && after !== undefined) changes.set(link, describeChange(before, after))
    }
  }
  return changes
}
