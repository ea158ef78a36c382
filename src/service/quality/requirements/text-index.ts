import type { Prepare } from '../../sql/database.ts'
import { readJson, readTexts } from '../../sql/json.ts'
import { requirementKey } from '../keys.ts'
import type { StoredRequirement } from './access.ts'
import { Criteria } from './columns.ts'

/** Replaces the words of a requirement in the full-text index. */
export function indexRequirement(prepare: Prepare, row: StoredRequirement): Promise<void> {
  const criteria = readJson(Criteria, row.acceptance_criteria)
  return prepare.dialect.textIndex.put(prepare, 'requirement', row.seq, {
    key: requirementKey(row),
    title: row.title,
    statement: row.statement,
    criteria: criteria.map(({ text, given, when, then }) => [text, given, when, then].join(' ')).join('\n'),
    tags: readTexts(row.tags).join(' '),
  })
}
