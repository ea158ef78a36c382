import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { readMigrations } from '../../../src/service/sql/migrations.ts'
import { migrate } from '../../../src/service/sql/sqlite/migrate.ts'

test('occurrences that were removed before are not among those that are kept, and neither are later ones', () => {
  using connection = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false })
  const migrations = readMigrations('sqlite')
  migrate(connection, migrations.slice(0, 27))
  connection.exec(`INSERT INTO place (id, environment_id, release_id) VALUES (1, 'production', '1.0'), (2, 'qa', '')`)
  const presence = connection.prepare('INSERT INTO issue_presence VALUES (?, ?, ?, ?, 0, 0)')
  presence.run('loud', 'production', '1.0', 90)
  presence.run('loud', 'qa', '', 3)
  presence.run('gone', 'qa', '', 5)
  const occurrence = connection.prepare(
    `INSERT INTO occurrence (id, product_id, issue_id, sdk_event_id, timestamp, received_at, summary, size_bytes,
       before_times_seen, place_id) VALUES (?1, 1, 'loud', ?1, 0, 0, '{}', 0, 0, ?2)`,
  )
  for (let at = 0; at < 40; at += 1) occurrence.run(`a${String(at)}`, 1)
  for (let at = 0; at < 3; at += 1) occurrence.run(`b${String(at)}`, 2)
  migrate(connection, migrations)

  const kept = () => {
    const rows = connection.prepare(
      'SELECT issue_id, environment_id, count - removed AS kept FROM issue_presence ORDER BY 1, 2',
    )
    return rows.all().map(({ issue_id, environment_id, kept: count }) => [issue_id, environment_id, count])
  }
  expect(kept()).toEqual([
    ['gone', 'qa', 0],
    ['loud', 'production', 40],
    ['loud', 'qa', 3],
  ])
  // As an older program does it.
  connection.exec(`DELETE FROM occurrence WHERE id IN ('a1', 'a2', 'b0')`)
  expect(kept().slice(1)).toEqual([
    ['loud', 'production', 38],
    ['loud', 'qa', 2],
  ])
})
