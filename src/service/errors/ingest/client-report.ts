import type { Drop } from '../event/event-store.ts'
import { parseObject } from './json.ts'
import { isObject } from '../../../lib/objects.ts'

// The documented reasons and categories. Others are counted as "other": anyone with the public key can send names, and
// each becomes a row.
const reasons = new Set(
  (
    'queue_overflow cache_overflow buffer_overflow ratelimit_backoff network_error sample_rate before_send ' +
    'event_processor send_error internal_sdk_error insufficient_data backpressure too_big invalid no_client'
  ).split(' '),
)
const categories = new Set(
  (
    'error default security transaction span attachment session profile profile_chunk replay monitor feedback ' +
    'metric_bucket trace_metric log_item log_byte user_report_v2 internal'
  ).split(' '),
)

/**
 * The counts of `client_report` items, one entry per reason and category; those that cannot be read or are larger than
 * `maxBytes` are skipped.
 */
export function readClientReports(payloads: readonly Buffer[], maxBytes: number): Drop[] {
  const sums = new Map<string, Drop>()
  for (const payload of payloads) {
    if (payload.length > maxBytes) continue
    const discarded = parseObject(payload.toString('utf8'))?.discarded_events
    if (Array.isArray(discarded)) for (const entry of discarded) add(sums, entry)
  }
  return [...sums.values()]
}

function add(sums: Map<string, Drop>, entry: unknown): void {
  if (!isObject(entry)) return
  const { quantity } = entry
  if (typeof quantity !== 'number' || !Number.isSafeInteger(quantity) || quantity <= 0) return
  const reason = known(reasons, entry.reason)
  const category = known(categories, entry.category)
  const sum = sums.get(`${reason} ${category}`) ?? { reason, category, quantity: 0 }
  // No report can push a counter beyond the range of a number.
  sum.quantity = Math.min(sum.quantity + quantity, 1_000_000_000)
  sums.set(`${reason} ${category}`, sum)
}

function known(names: ReadonlySet<string>, name: unknown): string {
  return typeof name === 'string' && names.has(name) ? name : 'other'
}
