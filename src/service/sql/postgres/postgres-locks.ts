/**
 * The key of the lock of writes, of this database: "trace" as a number. A transaction takes it, so that it is valid behind a
 * pooler of transactions too.
 */
export const WRITE_LOCK = 500_052_685_669
/** Of those that open the database: one migrates, the others wait for it. */
export const MIGRATION_LOCK = 500_052_685_670
