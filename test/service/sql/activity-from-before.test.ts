import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { migrate } from '../../../src/service/sql/sqlite/migrate.ts'

const folder = join(import.meta.dirname, '../../../src/service/sql/migrations/sqlite')
const hour = 60 * 60 * 1000

test('events that were stored before are counted for their environment and the component of their issue', () => {
  using connection = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false })
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'))
  const migrations = files.toSorted().map((name, index) => {
    return { version: index + 1, name, sql: readFileSync(join(folder, name), 'utf8') }
  })
  migrate(connection, migrations.slice(0, 19))
  const now = Math.floor(Date.now() / hour) * hour
  const issue = (id: string, number: number, component: string) =>
    connection
      .prepare(
        `INSERT INTO issue (id, product_id, number, title, type, value, culprit, level, platform, first_seen, last_seen,
           times_seen, component_id, handled, corroboration, grouping, first_seq, last_seq, created_at)
         VALUES (?, 1, ?, '', '', '', '', '', '', 0, 0, 1, ?, 0, '{}', '{}', 0, 0, 0)`,
      )
      .run(id, number, component)
  const counted = connection.prepare(
    'INSERT INTO occurrence_rollup (issue_id, resolution, bucket, environment_id, count) VALUES (?, ?, ?, ?, ?)',
  )
  issue('owned', 1, 'cart')
  issue('free', 2, '')
  counted.run('owned', 600, now, 'production', 2)
  counted.run('free', 600, now, 'production', 3)
  counted.run('owned', 3600, now, 'production', 2)
  counted.run('owned', 3600, now, 'staging', 4)
  counted.run('owned', 3600, now - 30 * 24 * hour, 'production', 9)
  counted.run('free', 3600, now, 'production', 3)
  migrate(connection, migrations)

  const rows = connection.prepare('SELECT subject_id, bucket, count FROM activity ORDER BY subject_id').all()
  expect(rows.map((row) => ({ ...row }))).toEqual([
    { subject_id: 'cart', bucket: now, count: 6 },
    { subject_id: 'production', bucket: now, count: 5 },
  ])
})
