import { expect, test } from 'vitest'
import { BREAKING, readMigrations } from '../../src/service/sql/migrations.ts'

/** Statements that an older program does not notice. */
const ADDING = [
  /^CREATE TABLE /i,
  /^CREATE INDEX /i,
  /^CREATE FUNCTION /i,
  /^CREATE TRIGGER /i,
  /^ALTER TABLE \S+ ADD COLUMN (?!.*\bNOT NULL\b(?!.*\bDEFAULT\b))/i,
  /^INSERT INTO /i,
  /^UPDATE /i,
]

/** The statements of a file that change what an older program relies on. */
function breakingStatements(sql: string): string[] {
  const made = new Set([...sql.matchAll(/^CREATE TABLE (\S+)/gim)].map(([, name]) => name))
  const statements = sql
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\$\$[^$]*\$\$/g, 'its body')
    .split(';')
    .map((text) => text.replaceAll(/\s+/g, ' ').trim())
  return statements.filter((text) => {
    const [, table] = /^CREATE UNIQUE INDEX \S+ ON (\S+)/i.exec(text) ?? []
    return text !== '' && !made.has(table) && !ADDING.some((form) => form.test(text))
  })
}

test('a migration of PostgreSQL only adds, or says in its name that older programs cannot work after it', () => {
  const [, ...later] = readMigrations('postgres')
  const found = later
    .filter(({ name }) => !name.endsWith(BREAKING))
    .flatMap(({ name, sql }) => breakingStatements(sql).map((text) => `${name}: ${text}`))
  expect(found).toEqual([])
})

test.each([
  'DROP TABLE issue',
  'ALTER TABLE issue DROP COLUMN note',
  'ALTER TABLE issue RENAME COLUMN note TO remark',
  'ALTER TABLE issue ADD COLUMN note text NOT NULL',
  'ALTER TABLE issue ALTER COLUMN note TYPE bigint',
  'CREATE UNIQUE INDEX one_note ON issue (note)',
  'DELETE FROM issue',
])('%s is found in a file', (statement) => {
  const sql = `-- Notes.\nCREATE TABLE note (id bigint);\nCREATE UNIQUE INDEX notes ON note (id);\n${statement};\n`
  expect(breakingStatements(sql)).toEqual([statement])
})

test.each([
  'ALTER TABLE issue ADD COLUMN note text',
  "ALTER TABLE issue ADD COLUMN note text NOT NULL DEFAULT ''",
  'CREATE INDEX notes ON issue (note)',
  "UPDATE issue SET note = ''",
])('%s is not', (statement) => {
  expect(breakingStatements(`${statement};`)).toEqual([])
})
