import * as z from 'zod'

/** The names of the parts of a backup. */
export const MANIFEST = 'manifest.json'
export const DATABASE = 'tracegate.db'

/** What a backup says of itself. */
export const Manifest = z.object({
  format: z.literal('tracegate-backup'),
  /** Of the backup's own format. */
  format_version: z.literal(1),
  /** The program that made it. */
  program: z.string(),
  schema_version: z.int().positive(),
  /** Where the data was; the backup holds an SQLite database in any case. */
  database: z.enum(['sqlite', 'postgres']),
  made_at: z.iso.datetime(),
  /** The port that DSNs name; backups made before it was kept have none. */
  port: z.int().positive().max(65_535).optional(),
})
export type Manifest = z.output<typeof Manifest>
