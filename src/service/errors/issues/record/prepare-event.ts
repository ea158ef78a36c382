import type * as z from 'zod'
import { defaultEnvironmentName } from '../../../workspace/releases/rules.ts'
import type { NormalEvent } from '../../event/event.ts'
import type { Symbolication } from '../../../shared/event-symbolicator.ts'
import { writeSummary, type Summary } from '../columns.ts'
import type { Doubts } from './corroboration.ts'
import type { Prepared } from './record-event.ts'
import { groupSymbolicated } from '../symbolication.ts'

/** An event with source maps applied; the same object if they changed nothing. */
export interface Symbolicated {
  event: NormalEvent
  symbolication: Symbolication
}

/** Finds reasons to doubt an event. */
export interface Doubting {
  isSuspicious: (texts: readonly string[]) => boolean
  contradicted: boolean
}

/** Groups and sums up an event with source maps applied; `sent` is the event before. */
export function prepareEvent(
  productId: number,
  sent: NormalEvent,
  { event, symbolication }: Symbolicated,
  { isSuspicious, contradicted }: Doubting,
): Omit<Prepared, 'vouched' | 'packed'> {
  const grouping = groupSymbolicated(event, sent)
  const summary = writeSummary(toSummary(event, grouping.title, symbolication.state))
  const doubts: Doubts = {
    suspicious: isSuspicious([grouping.title, grouping.culprit, event.message]),
    contradicted,
  }
  return { productId, event, grouping, summary, doubts }
}

function toSummary(event: NormalEvent, title: string, state: Symbolication['state']) {
  return {
    level: event.level,
    platform: event.platform,
    environment: event.environment === '' ? defaultEnvironmentName : event.environment,
    release: event.release,
    dist: event.dist,
    title,
    message: event.message,
    transaction: event.transaction,
    server_name: event.server_name,
    handled: event.handled,
    symbolication_state: state,
  } satisfies z.input<typeof Summary>
}
