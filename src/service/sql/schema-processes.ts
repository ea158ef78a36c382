/** Rows of what the processes on one database have in common (`0026-shared-by-processes.sql`). */
export interface ProcessSchema {
  used_key: { key: string; expires_at: number }
}
