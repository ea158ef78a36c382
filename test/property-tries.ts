import { usesPostgres } from './postgres/databases.ts'

/**
 * How often a property of the whole service is tried: a tenth of the runs on PostgreSQL, where each statement is a message to
 * the server. What all of its runs would find, those on SQLite have found.
 */
export function tries(count: number): number {
  return usesPostgres() ? Math.max(2, Math.ceil(count / 10)) : count
}
