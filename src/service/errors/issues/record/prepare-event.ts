import type * as z from 'zod'
import { defaultEnvironmentName } from '../../../workspace/releases/rules.ts'
import type { NormalEvent } from '../../event/event.ts'
import type { EventFacts, PreparedEvent } from '../../event/prepared-event.ts'
import type { Symbolication } from '../../../shared/event-symbolicator.ts'
import { causeTypes } from '../causes.ts'
import { writeSummary, type Summary } from '../columns.ts'
import { corroborate } from './corroboration.ts'
import { groupSymbolicated } from '../symbolication.ts'

/** An event with source maps applied; the same object if they changed nothing. */
export interface Symbolicated {
  event: NormalEvent
  symbolication: Symbolication
}

/** Groups and sums up an event with source maps applied; `sent` is the event before. */
export function prepareEvent(
  sent: NormalEvent,
  { event, symbolication }: Symbolicated,
  isSuspicious: (texts: readonly string[]) => boolean,
): Omit<PreparedEvent, 'packed' | 'contradicted' | 'mapped'> {
  const { frames: _, ...grouping } = groupSymbolicated(event, sent)
  return {
    event: toFacts(event),
    grouping,
    summary: writeSummary(toSummary(event, grouping.title, symbolication.state)),
    suspicious: isSuspicious([grouping.title, grouping.culprit, event.message]),
    causes: causeTypes(event),
    signs: corroborate(event),
  }
}

function toFacts(event: NormalEvent): EventFacts {
  return {
    sdk_event_id: event.sdk_event_id,
    timestamp: event.timestamp,
    received_at: event.received_at,
    level: event.level,
    platform: event.platform,
    handled: event.handled,
    environment: event.environment,
    release: event.release,
    user_hash: event.user_hash,
    size_bytes: event.size_bytes,
  }
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
