import { sql, type RawBuilder } from 'kysely'
import type { TestRow } from '../../sql/schema-quality.ts'

/** Whether a test is in quarantine at that time (contract §4.5). `quarantinedSql` says the same in SQL. */
export function isQuarantined({ quarantined_until: until }: Pick<TestRow, 'quarantined_until'>, now: number): boolean {
  return until !== null && until > now
}

/** `isQuarantined` as a condition on rows of `test`. */
export function quarantinedSql(now: number): RawBuilder<boolean> {
  return sql<boolean>`(test.quarantined_until IS NOT NULL AND test.quarantined_until > ${now})`
}
