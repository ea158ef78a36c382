import { sql, type RawBuilder } from 'kysely'
import type { Prepare } from '../../sql/database.ts'
import type { StoredRequirement } from './access.ts'
import { requirementKey } from '../keys.ts'
import { Criteria } from './columns.ts'
import { readJson, readTexts } from '../../sql/json.ts'

/** Words of a query that are looked for; more say no more. */
const MOST_WORDS = 16

/** Puts a requirement's words into the full-text index, in place of those it had. */
export function indexRequirement(prepare: Prepare, row: StoredRequirement): void {
  unindexRequirement(prepare, row.seq)
  const criteria = readJson(Criteria, row.acceptance_criteria)
  prepare('INSERT INTO requirement_text (rowid, key, title, statement, criteria, tags) VALUES (?, ?, ?, ?, ?, ?)').run(
    row.seq,
    requirementKey(row),
    row.title,
    row.statement,
    criteria.map(({ text, given, when, then }) => [text, given, when, then].join(' ')).join('\n'),
    readTexts(row.tags).join(' '),
  )
}

/** Takes a requirement out of the full-text index. */
export function unindexRequirement(prepare: Prepare, seq: number): void {
  prepare('DELETE FROM requirement_text WHERE rowid = ?').run(seq)
}

/**
 * A query of people as FTS5 reads it: each word as the beginning of a word, `all` of them or `any`. Undefined when it has
 * no word. Everything else FTS5 gives a meaning (operators, columns, quotes) is taken as a separator.
 */
export function matchExpression(query: string, words: 'all' | 'any' = 'all'): string | undefined {
  const found = query.normalize('NFC').match(/[\p{L}\p{N}]+/gu) ?? []
  const distinct = [...new Set(found.map((word) => word.toLowerCase()))].slice(0, MOST_WORDS)
  if (distinct.length === 0) return undefined
  return distinct.map((word) => `"${word}"*`).join(words === 'all' ? ' ' : ' OR ')
}

/** Rows of the requirements that match, with their BM25 rank (the smaller the better); a title weighs most. */
export function rankedRequirements(expression: string): RawBuilder<{ seq: number; rank: number }> {
  return sql<{ seq: number; rank: number }>`(SELECT rowid AS seq, bm25(requirement_text, 10, 5, 2, 2, 3) AS rank
    FROM requirement_text WHERE requirement_text MATCH ${expression})`
}
