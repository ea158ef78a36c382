import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { startApp } from '../../../../app.ts'

const migration = join(
  import.meta.dirname,
  '../../../../../src/service/sql/migrations/sqlite/0010-issue-environments.sql',
)

test('issues that were stored before get the same environments as when every event is counted', async () => {
  await using app = await startApp()
  const now = Date.now() / 1000
  for (const [ago, environment, release] of [
    [10, 'production', '1.1'],
    [30, 'production', '1.0'],
    [20, 'production', '1.0'],
    [40, 'staging', '1.1'],
    [50, 'staging', ''],
  ] as const) {
    await app.ingest({ timestamp: now - ago, environment, release })
  }
  await app.service.close()
  const db = new DatabaseSync(join(app.dataDir, 'tracegate.db'))
  const read = () => db.prepare('SELECT * FROM issue_environment ORDER BY environment_id').all()
  const counted = read()
  expect(counted).toHaveLength(2)
  db.exec(`DROP TABLE issue_environment; ALTER TABLE issue DROP COLUMN causes;
    CREATE INDEX issue_first_release ON issue (first_release_id) WHERE first_release_id <> ''`)
  db.exec(readFileSync(migration, 'utf8'))
  expect(read()).toEqual(counted)
  db.close()
})
