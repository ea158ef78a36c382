import { sql, type RawBuilder } from 'kysely'
import type { Prepare } from '../../sql/database.ts'
import { testKey } from '../keys.ts'

export interface IndexedTest {
  seq: number
  number: number
  title: string
  suite_path: readonly string[]
  file_path: string
  tags: readonly string[]
}

/** Replaces the words of a test in the full-text index. */
export function indexTest(prepare: Prepare, test: IndexedTest): void {
  unindexTest(prepare, test.seq)
  prepare('INSERT INTO test_text (rowid, key, title, suite, file, tags) VALUES (?, ?, ?, ?, ?, ?)').run(
    test.seq,
    testKey(test),
    test.title,
    test.suite_path.join(' '),
    test.file_path.replace(/[/._-]+/g, ' '),
    test.tags.join(' '),
  )
}

/** Removes a test from the full-text index. */
export function unindexTest(prepare: Prepare, seq: number): void {
  prepare('DELETE FROM test_text WHERE rowid = ?').run(seq)
}

/** A subquery of the matching tests with their BM25 rank (lower is better); the key and the title weigh most. */
export function rankedTests(expression: string): RawBuilder<{ seq: number; rank: number }> {
  return sql<{ seq: number; rank: number }>`(SELECT rowid AS seq, bm25(test_text, 10, 5, 3, 2, 3) AS rank
    FROM test_text WHERE test_text MATCH ${expression})`
}
