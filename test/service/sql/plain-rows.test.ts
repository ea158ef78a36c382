import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { plainRows } from '../../../src/service/sql/sqlite/plain-rows.ts'

test('rows are plain objects, with a column that another process has added since', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tracegate-rows-'))
  const [db, other] = [new DatabaseSync(join(folder, 'db')), new DatabaseSync(join(folder, 'db'))]
  onTestFinished(() => {
    db.close()
    other.close()
    rmSync(folder, { recursive: true })
  })
  db.exec("CREATE TABLE place (id INTEGER, name TEXT); INSERT INTO place VALUES (1, 'here'), (2, NULL)")
  const select = db.prepare('SELECT * FROM place ORDER BY id')
  const toRow = plainRows(select)
  expect(select.all().map(toRow)).toStrictEqual([
    { id: 1, name: 'here' },
    { id: 2, name: null },
  ])
  other.exec("ALTER TABLE place ADD COLUMN kind TEXT NOT NULL DEFAULT 'usual'")
  const row = select.get()
  expect(row && toRow(row)).toStrictEqual({ id: 1, name: 'here', kind: 'usual' })
})
