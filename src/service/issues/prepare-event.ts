import type { z } from 'zod'
import { groupEvent } from '../grouping/index.ts'
import type { GroupingResult, NormalEvent, NormalException } from '../ingest/event.ts'
import { packBody } from './body.ts'
import type { Summary } from './columns.ts'
import { defaultEnvironmentName } from '../directory/rules.ts'
import type { Prepared } from './record.ts'
import { symbolicationOf } from './symbolication.ts'

/** Groups and packs an event: all the work that needs no database. */
export function prepareEvent(productId: number, event: NormalEvent): Prepared {
  const grouping = groupEvent(event)
  const grouped = { ...event, exceptions: withRoles(event.exceptions, grouping) }
  return { productId, event, grouping, summary: JSON.stringify(summaryOf(event, grouping)), body: packBody(grouped) }
}

/** Writes each frame's part in the grouping back to it. */
function withRoles(exceptions: readonly NormalException[], { frames }: GroupingResult): NormalException[] {
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

function summaryOf(event: NormalEvent, { title }: GroupingResult): z.input<typeof Summary> {
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
    symbolication_state: symbolicationOf(event).state,
  }
}
