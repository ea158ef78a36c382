import { jsonBytes } from '../../../lib/bytes.ts'
import type { EventBody } from '../../errors/issues/read/event-view.ts'
import type { Limits } from './limits.ts'
import type { NoteTruncation } from '../../shared/truncation-notes.ts'
import { fewer, fewerEntries, shortTexts } from './shorten.ts'

/** The event within the limits; its stacks are empty, because `frames` of the context holds their frames. */
export function reduceEvent(event: EventBody, limits: Limits, note: NoteTruncation): EventBody {
  const few = <T>(name: string, list: readonly T[], max: number, newest = false) =>
    fewer(list, max, { member: `event.${name}`, note, newest })
  const entries = (name: string, object: Readonly<Record<string, unknown>>, max: number) =>
    fewerEntries(object, max, { member: `event.${name}`, note })
  const { contexts, extra, modules, message_params, request, user, breadcrumbs, ...others } = event
  const { headers, ...asked } = request
  const { geo, ...person } = user
  const newest = few('breadcrumbs', breadcrumbs, limits.breadcrumbs, true)
  const texts = {
    ...others,
    request: asked,
    user: person,
    exceptions: bothEnds(event.exceptions, limits.exceptions, note),
    threads: few('threads', crashedFirst(event.threads, limits.threads), limits.threads),
    tags: few('tags', event.tags, limits.tags),
    fingerprint: few('fingerprint', event.fingerprint, limits.fingerprint),
    truncation_signals: few('truncation_signals', event.truncation_signals, limits.eventSignals),
    debug_images: few('debug_images', event.debug_images, limits.debugImages),
    symbolication: {
      ...event.symbolication,
      problems: few('symbolication.problems', event.symbolication.problems, limits.problems),
    },
  }
  const short = shortTexts(texts, limits.eventTextBytes, 'event', note)
  return {
    ...short,
    request: { ...short.request, headers: entries('request.headers', headers, limits.headersBytes) },
    user: { ...short.user, geo: entries('user.geo', geo, limits.geoBytes) },
    breadcrumbs: newest.map(({ data, ...crumb }) => ({
      ...shortTexts(crumb, limits.eventTextBytes, 'event.breadcrumbs', note),
      data: entries('breadcrumbs.data', data, limits.breadcrumbDataBytes),
    })),
    message_params: firstThatFit(message_params, limits.messageParamsBytes, note),
    contexts: entries('contexts', contexts, limits.contextsBytes),
    extra: entries('extra', extra, limits.extraBytes),
    modules: entries('modules', modules, limits.modulesBytes),
  }
}

/**
 * Clears all exceptions except those at both ends: the first is the root cause, the last is the reported one. Frames
 * refer to their exception by position, so none is removed.
 */
function bothEnds(all: EventBody['exceptions'], max: number, note: NoteTruncation): EventBody['exceptions'] {
  if (all.length <= max) return all
  note('event.exceptions', 'cleared', max, all.length)
  const causes = Math.floor(max / 2)
  return all.map((exception, index) =>
    index < causes || index >= all.length - (max - causes) ? exception : withoutTexts(exception),
  )
}

function withoutTexts(exception: EventBody['exceptions'][number]): EventBody['exceptions'][number] {
  const mechanism = { ...exception.mechanism, type: '', source: '' }
  return { ...exception, type: '', value: '', module: '', thread_id: '', mechanism }
}

/** Sorts crashed and current threads first, unless all threads fit. */
function crashedFirst(threads: EventBody['threads'], max: number): EventBody['threads'] {
  const weight = ({ crashed, current }: EventBody['threads'][number]) => (crashed ? 2 : 0) + (current ? 1 : 0)
  return threads.length <= max ? threads : threads.toSorted((left, right) => weight(right) - weight(left))
}

function firstThatFit(params: readonly unknown[], max: number, note: NoteTruncation): unknown[] {
  let left = max
  const end = params.findIndex((param) => {
    left -= jsonBytes(param) + 1
    return left < 0
  })
  const kept = end === -1 ? [...params] : params.slice(0, end)
  note('event.message_params', 'size', kept.length, params.length)
  return kept
}
