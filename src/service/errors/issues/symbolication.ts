import { groupEvent, readFrameRoles, type Grouping } from '../grouping/index.ts'
import type { NormalEvent, NormalException } from '../event/event.ts'
import type { Symbolication, EventSymbolicator } from '../../shared/event-symbolicator.ts'
import type { StoredEvent } from './bodies/body.ts'

/** An event with the source maps that are available now applied to it. */
interface MappedEvent {
  event: StoredEvent
  symbolication: Symbolication
}

/** Groups an event by its sources; `sent` is the event as the SDK sent it, whose hash leads to the same issue. */
export function groupSymbolicated(event: NormalEvent, sent: NormalEvent): Grouping {
  return groupEvent(event, event === sent ? {} : { unsymbolicated: sent })
}

/**
 * A stored event, which is kept as it was sent, with the current source maps applied: symbolicated, and each frame with
 * its role in the grouping. `pause` comes between the two, which take long for a large event.
 */
export async function applySourceMaps(
  symbolicator: EventSymbolicator,
  productId: number,
  stored: StoredEvent,
  pause: () => Promise<void> = () => Promise.resolve(),
): Promise<MappedEvent> {
  const { event, symbolication } = await symbolicator.symbolicate(productId, { ...stored, raw_payload: {} })
  await pause()
  return { event: { ...event, exceptions: withRoles(event.exceptions, readFrameRoles(event)) }, symbolication }
}

/** The same with the event's grouping. */
export async function regroup(
  symbolicator: EventSymbolicator,
  productId: number,
  stored: StoredEvent,
): Promise<MappedEvent & { grouping: Grouping }> {
  const sent: NormalEvent = { ...stored, raw_payload: {} }
  const { event, symbolication } = await symbolicator.symbolicate(productId, sent)
  const grouping = groupSymbolicated(event, sent)
  return { event: { ...event, exceptions: withRoles(event.exceptions, grouping.frames) }, symbolication, grouping }
}

/** Sets each frame's role in the grouping. */
function withRoles(exceptions: readonly NormalException[], frames: Grouping['frames']): NormalException[] {
  const roles = new Map(frames.map((frame) => [`${frame.exception_index}/${frame.index}`, frame]))
  return exceptions.map((exception, exceptionIndex) => ({
    ...exception,
    frames: exception.frames.map((frame, index) => {
      const decided = roles.get(`${exceptionIndex}/${index}`)
      if (decided === undefined) return frame
      return { ...frame, grouping_role: decided.role, ignored_reason: decided.reason }
    }),
  }))
}
