import { sql, type RawBuilder } from 'kysely'
import type { Prepare } from '../../sql/database.ts'
import type { StoredRequirement } from './access.ts'
import { requirementKey } from '../keys.ts'
import { Criteria } from './columns.ts'
import { readJson, readTexts } from '../../sql/json.ts'

/** The most words of a query that are searched; more do not improve the result. */
const MOST_WORDS = 16

/** Replaces the words of a requirement in the full-text index. */
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

/** Removes a requirement from the full-text index. */
export function unindexRequirement(prepare: Prepare, seq: number): void {
  prepare('DELETE FROM requirement_text WHERE rowid = ?').run(seq)
}

/**
 * Converts a free-text query to FTS5: each word matches as a prefix, and `all` or `any` must match. Undefined when it
 * has no words. Everything else that FTS5 gives a meaning (operators, columns, quotes) is treated as a separator.
 */
export function matchExpression(query: string, words: 'all' | 'any' = 'all'): string | undefined {
  const found = query.normalize('NFC').match(/[\p{L}\p{N}]+/gu) ?? []
  const distinct = [...new Set(found.map((word) => word.toLowerCase()))].slice(0, MOST_WORDS)
  if (distinct.length === 0) return undefined
  return distinct.map((word) => `"${word}"*`).join(words === 'all' ? ' ' : ' OR ')
}

/** A subquery of the matching requirements with their BM25 rank (lower is better); the key and the title weigh most. */
export function rankedRequirements(expression: string): RawBuilder<{ seq: number; rank: number }> {
  return sql<{ seq: number; rank: number }>`(SELECT rowid AS seq, bm25(requirement_text, 10, 5, 2, 2, 3) AS rank
    FROM requirement_text WHERE requirement_text MATCH ${expression})`
}
