import type { DatabaseSync } from 'node:sqlite'
import { readJson } from '../../../service/sql/json.ts'
import { dayMs } from '../../../service/shared/times.ts'
import { StoredSettings } from '../../../service/workspace/settings.ts'

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

/** Each product with the most events first; counted in indices, without reading events. */
export function retentionForecast(db: DatabaseSync, now: number): Forecast[] {
  const ageing = db.prepare('SELECT count(*) AS count FROM occurrence WHERE product_id = ? AND received_at < ?')
  const surplus = db.prepare(
    `SELECT coalesce(sum(count - ?2), 0) AS count FROM (
       SELECT (SELECT count(*) FROM occurrence WHERE issue_id = issue.id) AS count
       FROM issue WHERE product_id = ?1 AND times_seen > ?2) WHERE count > ?2`,
  )
  const products = db
    .prepare(
      `SELECT id, name, settings, (SELECT count(*) FROM occurrence WHERE product_id = product.id) AS events
       FROM product ORDER BY events DESC, id`,
    )
    .all()
  return products.map(({ id, name, settings, events }) => {
    const { retention_days: days, max_events_per_issue: most } = readJson(StoredSettings, String(settings))
    const oldest = now - (days - FORECAST_DAYS) * dayMs
    return {
      name: String(name),
      events: Number(events),
      ageing: Number(ageing.get(Number(id), oldest)?.['count']),
      surplus: Number(surplus.get(Number(id), most)?.['count']),
      retentionDays: days,
      mostPerIssue: most,
    }
  })
}
