/** Stands for every table. */
const ANY = '*'

const CHANGE = /^\s*(?:INSERT(?:\s+OR\s+\w+)?\s+INTO|REPLACE\s+INTO|UPDATE(?:\s+OR\s+\w+)?|DELETE\s+FROM)\s+"?(\w+)/i
const READ = /^\s*(?:SELECT|VALUES|PRAGMA|EXPLAIN)\b/i
const READ_OF_MANY = /^\s*WITH\b(?!.*\b(?:INSERT|REPLACE|UPDATE|DELETE)\b)/is

/** The table that a statement changes, `*` where it may be any of them; undefined for one that only reads. */
export function changedTable(statement: string): string | undefined {
  const table = CHANGE.exec(statement)?.[1]
  if (table !== undefined) return table
  return READ.test(statement) || READ_OF_MANY.test(statement) ? undefined : ANY
}

/**
 * Which tables the commits of one connection changed, by the statements that ran: not those that triggers change. One that
 * found no row counts too.
 */
export class TableChanges {
  /** By table, the number of the newest commit that changed it. */
  readonly #newest = new Map<string, number>()
  /** Of the open transaction. */
  readonly #changed = new Set<string>()
  #commits = 0

  /** Called for each statement that runs and changes a table. */
  note(table: string): void {
    this.#changed.add(table)
  }

  committed(): void {
    this.#commits += 1
    for (const table of this.#changed) this.#newest.set(table, this.#commits)
    this.#changed.clear()
  }

  rolledBack(): void {
    this.#changed.clear()
  }

  /** The number of the newest commit that changed one of the tables. */
  newest(tables: readonly string[]): number {
    return [ANY, ...tables].reduce((most, table) => Math.max(most, this.#newest.get(table) ?? 0), 0)
  }
}
