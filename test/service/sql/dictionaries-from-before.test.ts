import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { migrate } from '../../../src/service/sql/sqlite/migrate.ts'

const folder = join(import.meta.dirname, '../../../src/service/sql/migrations/sqlite')

test('dictionaries from before know the issues whose bodies need them', () => {
  using connection = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false })
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'))
  const migrations = files.toSorted().map((name, index) => {
    return { version: index + 1, name, sql: readFileSync(join(folder, name), 'utf8') }
  })
  migrate(connection, migrations.slice(0, 23))
  const store = connection.prepare(
    `INSERT INTO occurrence (id, product_id, issue_id, sdk_event_id, timestamp, received_at, place_id, summary,
       size_bytes, dictionary_id, before_times_seen) VALUES (?1, 1, ?2, ?1, 0, 0, 1, '{}', 1, ?3, 0)`,
  )
  const bodies = [
    ['a', 7],
    ['a', 7],
    ['b', 7],
    ['a', 8],
    ['c', null],
  ] as const
  for (const [index, [issue, dictionary]] of bodies.entries()) store.run(String(index), issue, dictionary)
  migrate(connection, migrations)

  const known = connection.prepare('SELECT dictionary_id, issue_id FROM body_dictionary_issue').all()
  expect(known.map((row) => Object.values(row))).toEqual([
    [7, 'a'],
    [7, 'b'],
    [8, 'a'],
  ])
})
