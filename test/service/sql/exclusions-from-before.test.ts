import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { migrate } from '../../../src/service/sql/sqlite/migrate.ts'

const folder = join(import.meta.dirname, '../../../src/service/sql/migrations/sqlite')
const day = 24 * 60 * 60 * 1000

test('what was taken out of the gate before exclusions were recorded is listed, with the actor that is stored', () => {
  using connection = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false })
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'))
  const migrations = files.toSorted().map((name, index) => {
    return { version: index + 1, name, sql: readFileSync(join(folder, name), 'utf8') }
  })
  migrate(connection, migrations.slice(0, 13))
  const actor = (type: string) => `{"type":"ACTOR_TYPE_${type}","id":"","display_name":"","user_id":""}`
  connection.exec(`
    INSERT INTO test (id, product_id, number, kind, title, level, status, automation, quarantined, quarantine_reason, created_by, created_at, updated_at)
      VALUES ('held', 1, 1, '', '', '', '', '', 1, 'slow', '{}', 5, 5), ('free', 1, 2, '', '', '', '', '', 0, '', '{}', 5, 5);
    INSERT INTO requirement (id, product_id, number, position, tree_path, kind, status, title, priority, risk, source, content_hash, created_by, updated_by, created_at, updated_at)
      VALUES ('old', 1, 1, 1, '', '', 'REQUIREMENT_STATUS_DEPRECATED', '', '', '', '', '', '{}', '${actor('AGENT')}', 5, 6),
             ('new', 1, 2, 1, '', '', 'REQUIREMENT_STATUS_APPROVED', '', '', '', '', '', '{}', '{}', 5, 6)`)
  migrate(connection, migrations)

  const rows = connection
    .prepare('SELECT kind, item_id, by_agent, reason, reviewed_at IS NOT NULL AS seen FROM exclusion ORDER BY kind')
    .all()
    .map((row) => ({ ...row }))
  expect(rows).toEqual([
    { kind: 'quarantined', item_id: 'held', by_agent: 0, reason: 'slow', seen: 0 },
    { kind: 'requirement_deprecated', item_id: 'old', by_agent: 1, reason: '', seen: 0 },
  ])
  const held = connection.prepare("SELECT quarantined_until AS until FROM test WHERE id = 'held'").get()
  expect(Number(held?.['until']) - Date.now()).toBeLessThanOrEqual(30 * day)
  expect(connection.prepare("SELECT quarantined_until FROM test WHERE id = 'free'").get()).toEqual({
    quarantined_until: null,
  })
})
