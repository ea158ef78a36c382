import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'

const service = join(import.meta.dirname, '../../../src/service')

/** What SQLite writes in its own way: each belongs behind the port in `src/service/sql`, as a `Dialect` or in `Database`. */
const sqliteOnly: Readonly<Record<string, RegExp>> = {
  'JSON functions': /\bjson_\w+\s*\(|->>/i,
  'full-text search': /\bMATCH\s+[$?]|\bbm25\s*\(|\bfts5\b/i,
  rowid: /\browid\b/i,
  'INSERT OR': /\b(?:INSERT|UPDATE)\s+OR\s+\w+/,
  'an upsert without its columns': /\bON CONFLICT DO UPDATE\b/,
  'min or max of two values': /\b(?:SELECT|SET|WHERE|=|,)[^`;]*\b(?:min|max)\s*\([^()]*(?:\([^()]*\)[^()]*)*,/,
  'LIKE, which ignores case in SQLite alone': /\bLIKE\b/,
  GLOB: /\bGLOB\s+[$?']/,
  PRAGMA: /\bPRAGMA\b/,
  'date functions': /\b(?:unixepoch|strftime|julianday)\s*\(/i,
  'other functions': /\b(?:ifnull|iif|group_concat|printf|instr|total_changes|last_insert_rowid)\s*\(/i,
  'the driver': /node:sqlite/,
}

function findings(text: string): string[] {
  // The fence of a Markdown block is no quote.
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|`{3}/gm, '')
  // Only what is in quotes can be SQL.
  const quoted = code.match(/`[^`]*`|'[^'\n]*'/g) ?? []
  return Object.entries(sqliteOnly).flatMap(([name, pattern]) =>
    quoted.some((one) => pattern.test(one)) ? [name] : [],
  )
}

test('outside its own folder the SQL of the service is what SQLite and PostgreSQL share', () => {
  const files = globSync('**/*.ts', { cwd: service }).filter((file) => !file.startsWith('sql/'))
  expect(files.length).toBeGreaterThan(200)
  const found = files.flatMap((file) =>
    findings(readFileSync(join(service, file), 'utf8')).map((name) => `${relative('.', file)}: ${name}`),
  )
  expect(found).toEqual([])
})

test.each([
  ['sql`EXISTS (SELECT 1 FROM json_each(tags) WHERE json_each.value = ${tag})`', ['JSON functions']],
  ["prepare('INSERT OR IGNORE INTO a VALUES (?)')", ['INSERT OR']],
  ["prepare('UPDATE a SET seen = max(coalesce(seen, 0), ?)')", ['min or max of two values']],
  ["prepare('SELECT max(seen), min(seen) FROM a')", []],
  ["prepare('INSERT INTO a VALUES (?) ON CONFLICT DO UPDATE SET n = 1')", ['an upsert without its columns']],
  ["prepare('SELECT id FROM a ORDER BY rowid')", ['rowid']],
  ['// rowid is mentioned only here', []],
  ["/^```|~~~/.test(line); const end = Math.min(rowid, 2); /^```/; prepare('SELECT 1')", []],
])('%s', (text, expected) => {
  expect(findings(text)).toEqual(expected)
})
