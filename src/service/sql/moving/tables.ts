import type { DatabaseSync } from 'node:sqlite'

/** A table whose rows are copied. */
export interface Table {
  name: string
  /** Without those that the database computes. */
  columns: readonly string[]
  key: readonly string[]
  /** What SQLite orders it by: its rows keep the order of their insertion where that means something. */
  order: readonly string[]
  /** The column that numbers its rows. */
  numberedBy: string | undefined
  /** Whether SQLite remembers the highest number that it has given, also of a row that is gone. */
  remembersNumbers: boolean
}

/**
 * The tables of a migrated SQLite database, each after those that it refers to. Full-text indexes are left out: they are
 * built from the tables.
 */
export function readTables(connection: DatabaseSync): Table[] {
  const rows = connection
    .prepare(
      `SELECT listed.name, listed.wr AS without_rowid, stored.sql FROM pragma_table_list AS listed
       JOIN sqlite_schema AS stored ON stored.name = listed.name
       WHERE listed.schema = 'main' AND listed.type = 'table' AND listed.name NOT LIKE 'sqlite~_%' ESCAPE '~'
         AND listed.name <> 'schema_version' ORDER BY listed.name`,
    )
    .all()
  const tables = rows.map((row) => {
    const name = String(row['name'])
    const sql = String(row['sql'])
    return readTable(connection, { name, hasRowid: row['without_rowid'] === 0, sql })
  })
  return inOrder(tables, (name) => references(connection, name))
}

function readTable(
  connection: DatabaseSync,
  { name, hasRowid, sql }: { name: string; hasRowid: boolean; sql: string },
): Table {
  const all = connection.prepare('SELECT name, type, pk FROM pragma_table_xinfo(?) WHERE hidden = 0').all(name)
  const columns = all.map((column) => ({
    name: String(column['name']),
    type: String(column['type']),
    place: Number(column['pk']),
  }))
  const keyed = columns.filter(({ place }) => place > 0).toSorted((one, other) => one.place - other.place)
  const key = keyed.map((column) => column.name)
  const isNumbered = hasRowid && keyed.length === 1 && keyed[0]?.type === 'INTEGER'
  return {
    name,
    columns: columns.map((column) => column.name),
    key,
    order: hasRowid ? ['rowid'] : key,
    numberedBy: isNumbered ? key[0] : undefined,
    remembersNumbers: /\bAUTOINCREMENT\b/i.test(sql),
  }
}

function references(connection: DatabaseSync, table: string): string[] {
  const rows = connection.prepare('SELECT DISTINCT "table" AS name FROM pragma_foreign_key_list(?)').all(table)
  return rows.map((row) => String(row['name'])).filter((name) => name !== table)
}

/** Throws when tables refer to each other in a circle: then no order of rows would be accepted. */
function inOrder(tables: readonly Table[], needs: (name: string) => string[]): Table[] {
  const ordered: Table[] = []
  const waiting = new Map(tables.map((table) => [table.name, table]))
  while (waiting.size > 0) {
    const next = [...waiting.values()].find(({ name }) => !needs(name).some((other) => waiting.has(other)))
    if (next === undefined) throw new Error(`tables refer to each other: ${[...waiting.keys()].join(', ')}`)
    ordered.push(next)
    waiting.delete(next.name)
  }
  return ordered
}

/** Names as SQL of both databases: `user` and `release` are words of it. */
export function quotedNames(names: readonly string[]): string {
  return names.map((name) => (name === 'rowid' ? name : `"${name}"`)).join(', ')
}
