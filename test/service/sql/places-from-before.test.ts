import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { migrate } from '../../../src/service/sql/sqlite/migrate.ts'

const folder = join(import.meta.dirname, '../../../src/service/sql/migrations/sqlite')

test('occurrences and rollups from before keep their environment and release', () => {
  using connection = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false })
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'))
  const migrations = files.toSorted().map((name, index) => {
    return { version: index + 1, name, sql: readFileSync(join(folder, name), 'utf8') }
  })
  migrate(connection, migrations.slice(0, 21))
  const places = [
    ['production', '1.0'],
    ['production', '1.1'],
    ['staging', ''],
    ['', ''],
  ] as const
  const store = connection.prepare(
    `INSERT INTO occurrence (id, product_id, issue_id, sdk_event_id, timestamp, received_at, environment_id, release_id,
       summary, size_bytes, before_times_seen) VALUES (?1, 1, 'i', ?1, 0, 0, ?2, ?3, '{}', 1, 0)`,
  )
  const count = connection.prepare(
    `INSERT INTO occurrence_rollup (issue_id, resolution, bucket, environment_id, release_id, count)
     VALUES ('i', 3600, 0, ?, ?, ?)`,
  )
  for (const [index, place] of places.entries()) {
    for (const copy of ['a', 'b']) store.run(`${copy}${String(index)}`, ...place)
    count.run(...place, index + 1)
  }
  migrate(connection, migrations)

  const all = (sql: string) =>
    connection
      .prepare(sql)
      .all()
      .map((row) => Object.values(row))
  const of = (table: string) => `FROM ${table} JOIN place ON place.id = place_id`
  expect(all(`SELECT occurrence.id, environment_id, release_id ${of('occurrence')} ORDER BY seq`)).toEqual(
    places.flatMap((place, index) => ['a', 'b'].map((copy) => [`${copy}${String(index)}`, ...place])),
  )
  expect(all(`SELECT environment_id, release_id, count ${of('occurrence_rollup')} ORDER BY count`)).toEqual(
    places.map((place, index) => [...place, index + 1]),
  )
})
