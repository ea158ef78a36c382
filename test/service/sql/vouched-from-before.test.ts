import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { migrate } from '../../../src/service/sql/sqlite/migrate.ts'

const folder = join(import.meta.dirname, '../../../src/service/sql/migrations/sqlite')

test('of issues from before server keys the gate knows which were closed, and nothing vouches for any', () => {
  using connection = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false })
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'))
  const migrations = files.toSorted().map((name, index) => {
    return { version: index + 1, name, sql: readFileSync(join(folder, name), 'utf8') }
  })
  migrate(connection, migrations.slice(0, 14))
  const issue = (id: string, status: string, ends: { fixed?: object; until?: object } = {}) => {
    const text = (value: object | undefined) => (value === undefined ? null : JSON.stringify(value))
    insert(connection, 'issue', {
      id,
      product_id: 1,
      number: Number(id),
      title: id,
      status,
      level: 'error',
      times_seen: 40,
      last_seen: 9,
      grouping: JSON.stringify({ hash: `h${id}` }),
      status_changed_at: status === 'unresolved' ? null : 7,
      fixed_in: text(ends.fixed),
      ignore_until: text(ends.until),
      is_regression: 0,
      last_release_id: 'r',
    })
    insert(connection, 'issue_hash', { product_id: 1, hash: `h${id}`, issue_id: id })
    insert(connection, 'issue_hash', { product_id: 1, hash: `merged${id}`, issue_id: id })
  }
  issue('1', 'unresolved')
  issue('2', 'resolved', { fixed: { kind: 'next' } })
  issue('3', 'ignored', { until: { kind: 'count', count: 100, from: 30 } })
  issue('4', 'ignored', { until: { kind: 'time', until: 8 } })
  insert(connection, 'dsn_key', { public_key: 'k', product_id: 1, created_at: 1 })
  insert(connection, 'release', { id: 'r', product_id: 1, created_at: 5, version: '1', origin: 'ORIGIN_API' })
  insert(connection, 'release', { id: 's', product_id: 1, created_at: 6, version: '2', origin: 'ORIGIN_EVENT' })
  migrate(connection, migrations)

  const all = (sql: string) =>
    connection
      .prepare(sql)
      .all()
      .map((row) => Object.values(row))
  expect(
    all('SELECT issue_id, status, vouched_by, started_at, times_seen, fixed_in, ignore_until FROM vouched_issue'),
  ).toEqual([
    ['2', 'resolved', '', null, 0, '{"kind":"next"}', null],
    // Vouched occurrences are counted from the first one.
    ['3', 'ignored', '', null, 0, null, '{"kind":"count","count":100,"from":0}'],
    ['4', 'ignored', '', null, 0, null, '{"kind":"time","until":8}'],
  ])
  expect(all('SELECT count(*) FROM vouched_environment')).toEqual([[0]])
  expect(all('SELECT hash FROM issue_hash WHERE vouched = 1 ORDER BY hash')).toEqual([['h2'], ['h3'], ['h4']])
  expect(all('SELECT kind, name FROM dsn_key')).toEqual([['public', '']])
  expect(all('SELECT id, vouched_at FROM release ORDER BY id')).toEqual([
    ['r', 5],
    ['s', null],
  ])
})

/** A row with the given columns; required ones that are left out are empty. */
function insert(connection: DatabaseSync, table: string, given: Record<string, string | number | null>): void {
  const columns = connection
    .prepare('SELECT name, type FROM pragma_table_info(?) WHERE "notnull" = 1 AND dflt_value IS NULL')
    .all(table)
  const empty = columns.map(({ name, type }) => [String(name), type === 'INTEGER' ? 0 : ''] as const)
  const row = { ...Object.fromEntries(empty), ...given }
  const names = Object.keys(row)
  const places = names.map((name) => `:${name}`).join(', ')
  connection.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${places})`).run(row)
}
