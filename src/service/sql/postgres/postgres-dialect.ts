import { sql } from 'kysely'
import { replaceUnstorable } from '../../../lib/text.ts'
import type { Dialect, IndexedTexts, TextIndex } from '../database.ts'
import { searchWords, wordsIn } from '../search-words.ts'

/** Weights of the labels D, C, B and A, for a match in a text of them. */
const LABEL_WEIGHTS = '{0.2, 0.3, 0.5, 1.0}'

/** The table of each index, with the label of each text (`0025-tables.sql`). */
const indexes = {
  requirement: {
    table: 'requirement_text',
    labels: { key: 'A', title: 'B', statement: 'D', criteria: 'D', tags: 'C' },
  },
  test: { table: 'test_text', labels: { key: 'A', title: 'B', suite: 'C', file: 'D', tags: 'C' } },
} as const satisfies { [N in keyof IndexedTexts]: { table: string; labels: Record<keyof IndexedTexts[N], string> } }

const textIndex: TextIndex = {
  async put(prepare, index, seq, texts) {
    const { table, labels } = indexes[index]
    const parts = Object.values(labels).map((label) => `setweight(to_tsvector('tracegate', ?), '${label}')`)
    const insert = prepare(
      `INSERT INTO ${table} (seq, words) VALUES (?, ${parts.join(' || ')})
       ON CONFLICT (seq) DO UPDATE SET words = excluded.words`,
    )
    const columns = Object.keys(labels) as (keyof typeof texts)[]
    await insert.run(seq, ...columns.map((column) => wordsIn(unaccented(String(texts[column]))).join(' ')))
  },

  async remove(prepare, index, seq) {
    await prepare(`DELETE FROM ${indexes[index].table} WHERE seq = ?`).run(seq)
  },

  search(index, query, words = 'all') {
    const found = searchWords(unaccented(query))
    if (found.length === 0) return undefined
    const expression = found.map((word) => `${word}:*`).join(words === 'all' ? ' & ' : ' | ')
    const table = sql.raw(indexes[index].table)
    const asked = sql`to_tsquery('tracegate', ${expression})`
    return sql<{ seq: number; rank: number }>`(SELECT seq,
      -ts_rank(${sql.lit(LABEL_WEIGHTS)}::real[], words, ${asked})::double precision AS rank
      FROM ${table} WHERE words @@ ${asked})`
  },
}

/**
 * The JSON of a column as `jsonb` takes it, which refuses NUL and halves of characters: as U+FFFD, like the text that is looked for.
 * A backslash before them that is itself escaped belongs to a text with the letters "u0000".
 */
function readable(column: string): string {
  const escapes = String.raw`'(?<!\\)((?:\\\\)*)\\u(0000|d[89a-f][0-9a-f]{2})'`
  return `CASE WHEN strpos(${column}, '\\u') = 0 THEN ${column} ELSE regexp_replace(${column}, ${escapes}, '\\1\\\\ufffd', 'g') END`
}

/** SQLite's index ignores accents, and so does this one. */
function unaccented(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '')
}

/** PostgreSQL with its own JSON and full-text search. Columns of JSON are `text`, which keeps what was written (decision 095). */
export const postgresDialect: Dialect = {
  insertionOrder: 'insertion',
  holdsFiles: true,

  isOneOf(column, texts) {
    const stored = JSON.stringify(texts.map(replaceUnstorable))
    return sql<boolean>`${sql.raw(column)} IN (SELECT jsonb_array_elements_text(${stored}::jsonb))`
  },

  isOneNumber(column, numbers) {
    // As an array, which a scan of an index compares with its entries.
    const all = sql`SELECT jsonb_array_elements_text(${JSON.stringify(numbers)}::jsonb)::bigint`
    return sql<boolean>`${sql.raw(column)} = ANY (ARRAY(${all}))`
  },

  arrayContains(column, text) {
    return sql<boolean>`${sql.raw(readable(column))}::jsonb @> to_jsonb(${text}::text)`
  },

  jsonRows(columns, from) {
    return sql<string>`(SELECT coalesce(json_agg(json_build_array(${sql.raw(columns)}))::text, '[]') FROM ${from})`
  },

  anyContains(columns, text) {
    const each = columns.map((column) => sql`strpos(lower(${sql.raw(column)}), lower(${text} COLLATE "C")) > 0`)
    return sql<boolean>`(${sql.join(each, sql` OR `)})`
  },

  activitySince(subjectIds, { first }) {
    // A list of them would be compared with the rows of all others too: with a million occurrences a page of components took
    // 6.3 ms instead of 3.5.
    return sql`SELECT wanted.id AS subject_id, counted.events
      FROM jsonb_array_elements_text(${JSON.stringify(subjectIds)}::jsonb) AS wanted (id)
      CROSS JOIN LATERAL (SELECT sum(count) AS events FROM activity
        WHERE subject_id = wanted.id COLLATE "C" AND bucket >= ${first}) AS counted
      WHERE counted.events IS NOT NULL`
  },

  textIndex,
}
