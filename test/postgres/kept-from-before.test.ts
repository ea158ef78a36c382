import { Client } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { readMigrations } from '../../src/service/sql/migrations.ts'
import { connectionConfig } from '../../src/service/sql/postgres/postgres-statements.ts'
import { migratePostgres } from '../../src/service/sql/postgres/postgres-migrate.ts'
import { createDatabase } from './databases.ts'

test('occurrences that were removed before are not among those that are kept, and neither are later ones', async () => {
  const { url, drop } = await createDatabase('template0')
  onTestFinished(drop)
  const client = new Client(connectionConfig(url))
  await client.connect()
  onTestFinished(() => client.end())
  const migrations = readMigrations('postgres')
  await migratePostgres(client, { migrations: migrations.filter(({ version }) => version <= 27) })
  await client.query(`
    SET session_replication_role = replica;
    INSERT INTO place (id, environment_id, release_id) VALUES (1, 'production', '1.0'), (2, 'qa', '');
    INSERT INTO issue (id, product_id, number, title, type, value, culprit, level, platform, first_seen, last_seen,
      times_seen, component_id, handled, corroboration, grouping, first_seq, last_seq, created_at)
    SELECT id, 1, number, '', '', '', '', '', '', 0, 0, 1, '', 0, '{}', '{}', 0, 0, 0
    FROM (VALUES ('loud', 1), ('gone', 2)) AS issue (id, number);
    INSERT INTO issue_presence VALUES
      ('loud', 'production', '1.0', 90, 0, 0), ('loud', 'qa', '', 3, 0, 0), ('gone', 'qa', '', 5, 0, 0);
    INSERT INTO occurrence (id, product_id, issue_id, sdk_event_id, timestamp, received_at, summary, size_bytes,
      before_times_seen, place_id)
    SELECT number, 1, 'loud', number, 0, 0, '{}', 0, 0, CASE WHEN number <= 40 THEN 1 ELSE 2 END
    FROM generate_series(1, 43) AS number;
    SET session_replication_role = origin`)
  await migratePostgres(client, { migrations })

  const kept = async () => {
    const { rows } = await client.query<{ issue_id: string; environment_id: string; kept: string }>(
      'SELECT issue_id, environment_id, count - removed AS kept FROM issue_presence ORDER BY 1, 2',
    )
    return rows.map((row) => [row.issue_id, row.environment_id, Number(row.kept)])
  }
  expect(await kept()).toEqual([
    ['gone', 'qa', 0],
    ['loud', 'production', 40],
    ['loud', 'qa', 3],
  ])
  // As an older program does it, one in a statement.
  for (const id of ['1', '2', '43']) await client.query('DELETE FROM occurrence WHERE id = $1', [id])
  expect((await kept()).slice(1)).toEqual([
    ['loud', 'production', 38],
    ['loud', 'qa', 2],
  ])
})
