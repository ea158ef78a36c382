import { DatabaseSync } from 'node:sqlite'

/** Bytes of the pages of a table or an index, with the rest that they have free. */
export interface Taken {
  name: string
  bytes: number
}

/** The size of the database file once its WAL is merged, and what each table and index takes of it, the largest first. */
export function countPages(file: string): { file: number; parts: Taken[] } {
  using db = new DatabaseSync(file)
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const parts = db.prepare('SELECT name, pgsize AS bytes FROM dbstat WHERE aggregate = 1 ORDER BY pgsize DESC').all()
  const pages = Number(db.prepare('PRAGMA page_count').get()?.['page_count'])
  const size = Number(db.prepare('PRAGMA page_size').get()?.['page_size'])
  return { file: pages * size, parts: parts.map(({ name, bytes }) => ({ name: String(name), bytes: Number(bytes) })) }
}
