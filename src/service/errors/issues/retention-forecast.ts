import { sql } from 'kysely'
import type { Rows } from '../../sql/database.ts'
import { readJson } from '../../sql/json.ts'
import { dayMs } from '../../shared/times.ts'
import { StoredSettings } from '../../workspace/settings.ts'

/** The events of a product, and those that retention will remove. */
export interface Forecast {
  name: string
  events: number
  /** They reach `retention_days` within a week. */
  ageing: number
  /** More than `max_events_per_issue`. */
  surplus: number
  retentionDays: number
  mostPerIssue: number
}

/** How far ahead retention is foreseen. */
export const FORECAST_DAYS = 7

/** Each product, the one with the most events first; counted in indices, without reading events. */
export async function retentionForecast(rows: Rows, now: number): Promise<Forecast[]> {
  const products = await rows.selectFrom('product').select(['id', 'name', 'settings']).orderBy('id').execute()
  const forecasts: Forecast[] = []
  for (const { id, name, settings } of products) {
    const { retention_days: retentionDays, max_events_per_issue: mostPerIssue } = readJson(StoredSettings, settings)
    const oldest = now - (retentionDays - FORECAST_DAYS) * dayMs
    const { events } = await occurrences(rows, id).executeTakeFirstOrThrow()
    const { events: ageing } = await occurrences(rows, id).where('received_at', '<', oldest).executeTakeFirstOrThrow()
    const surplus = await countSurplus(rows, id, mostPerIssue)
    forecasts.push({ name, events, ageing, surplus, retentionDays, mostPerIssue })
  }
  return forecasts.toSorted((one, other) => other.events - one.events)
}

function occurrences(rows: Rows, product: number) {
  return rows
    .selectFrom('occurrence')
    .select((eb) => eb.fn.countAll<number>().as('events'))
    .where('product_id', '=', product)
}

/** Counts only in issues that have seen more events than `most`, because earlier runs may have removed some of them. */
async function countSurplus(rows: Rows, product: number, most: number): Promise<number> {
  const { surplus } = await rows
    .selectFrom((eb) =>
      eb
        .selectFrom('issue')
        .innerJoin('occurrence', 'occurrence.issue_id', 'issue.id')
        .select(sql<number>`count(*) - ${most}`.as('beyond'))
        .where('issue.product_id', '=', product)
        .where('issue.times_seen', '>', most)
        .groupBy('issue.id')
        .as('loud'),
    )
    .select(sql<number>`coalesce(sum(beyond), 0)`.as('surplus'))
    .where('beyond', '>', 0)
    .executeTakeFirstOrThrow()
  return surplus
}
