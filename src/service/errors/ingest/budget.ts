import { ServiceError } from '../../../errors.ts'
import type { Rate, RateLimit } from '../../../lib/token-bucket.ts'
import type { DsnKey } from './keys.ts'
import type { IngestLimits } from './limits.ts'

/** What may be counted against a key. */
type Counted = 'requests' | 'bytes' | 'events' | 'others'

/** A key with its rate. */
export type Charged = Pick<DsnKey, 'ratePerSecond' | 'burst'> & { publicKey: string }

/**
 * Charges a key for what it costs; throws `resource_exhausted` when it has used up its share. One free token admits the
 * whole cost, and what exceeds the tokens is owed (contract §12).
 */
export type Budget = (key: Charged, counted: Counted, cost: number) => void

/** The categories of what is stored here. */
export const errorCategories = 'error;default;security'

/**
 * The categories that an SDK is asked to hold back; none are all. Those of `others` are everything that is not stored
 * here, so that an application with many sessions keeps reporting its errors.
 */
const categories: Readonly<Record<Counted, string>> = {
  requests: '',
  bytes: '',
  events: errorCategories,
  others:
    'session;transaction;span;attachment;profile;profile_chunk;replay;monitor;feedback;user_report_v2;' +
    'metric_bucket;trace_metric;log_item;log_byte;internal',
}

const tooMany: Readonly<Record<Counted, string>> = {
  requests: 'too many requests for this key',
  bytes: 'too many bytes for this key',
  events: 'too many events for this key',
  others: 'too many envelopes without an event for this key',
}

/** Token buckets per key for requests, bytes, events and envelopes without an event, each made by its name. */
export function createBudget(limits: IngestLimits, bucket: (name: Counted) => RateLimit): Budget {
  const take = {
    requests: bucket('requests'),
    bytes: bucket('bytes'),
    events: bucket('events'),
    others: bucket('others'),
  }

  return (key, counted, cost) => {
    const wait = take[counted](key.publicKey, cost, keyRate(limits, key, counted))
    if (wait === 0) return
    const metadata = { categories: categories[counted] }
    throw new ServiceError('resource_exhausted', tooMany[counted], { retryAfterSeconds: wait, metadata })
  }
}

/** A key with a higher event rate may send more of everything; one without a limit has none at all. */
function keyRate(limits: IngestLimits, { ratePerSecond, burst }: Charged, counted: Counted): Rate {
  const perSecond = ratePerSecond ?? limits.eventsPerSecond
  if (counted === 'events') return { perSecond, burst: burst ?? limits.burst }
  const factor = perSecond === 0 ? 0 : Math.max(1, perSecond / limits.eventsPerSecond)
  const rate = ordinaryRate(limits, counted)
  return { perSecond: rate.perSecond * factor, burst: rate.burst * factor }
}

function ordinaryRate(limits: IngestLimits, counted: Exclude<Counted, 'events'>): Rate {
  switch (counted) {
    case 'requests':
      return { perSecond: limits.requestsPerSecond, burst: limits.requestBurst }
    case 'bytes':
      return { perSecond: limits.bytesPerSecond, burst: limits.byteBurst }
    case 'others':
      return { perSecond: limits.othersPerSecond, burst: limits.otherBurst }
  }
}
