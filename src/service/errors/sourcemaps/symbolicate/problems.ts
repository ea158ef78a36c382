import type { Symbolication, UnmappedCause } from '../../../shared/event-symbolicator.ts'
import type { Missing } from './match.ts'

/** Why a frame was not mapped, or is incomplete; never contains text of the event (contract §10.2). */
export type Problem = { reason: string } & (
  | {
      /** `failed`: there is a map, but it does not help. */
      kind: 'missing' | 'failed'
      cause: UnmappedCause
    }
  /** The frame is mapped but incomplete. */
  | { kind: 'partly' }
)

const upload = 'tracegate sourcemaps upload DIR --release R, with R the release of this event'

/** The problem for a file without artifacts, and what to do about it. */
export function missingProblem(match: Missing, hasDebugId: boolean): Problem {
  return { kind: 'missing', cause: causes[match.missing], reason: missingReason(match, hasDebugId) }
}

const causes = {
  release: 'no release',
  'debug id': 'unknown debug id',
  'nothing for release': 'nothing for release',
  path: 'no such file',
  'map of minified file': 'map not uploaded',
  'one of several': 'one of several',
  files: 'limit',
} as const satisfies Record<Missing['missing'], UnmappedCause>

function missingReason(match: Missing, hasDebugId: boolean): string {
  switch (match.missing) {
    case 'release':
      return 'the event names no release and this file has no debug id, so no source map can be found: set `release` in the SDK, or upload with debug ids'
    case 'debug id':
      return 'no source map was uploaded with the debug id of this file, and the event names no release to look in: upload the maps of exactly this build'
    case 'nothing for release':
      return hasDebugId
        ? `no source map was uploaded with the debug id of this file or for this event's release: ${upload}`
        : `no source map was uploaded for this event's release: ${upload}`
    case 'path':
      return pathReason(match.maps, hasDebugId)
    case 'map of minified file':
      return 'this minified file was uploaded without the source map that it names: upload the map as well'
    case 'one of several':
      return "several source maps of this event's release match this file equally well: upload them with the --url-prefix under which each is served"
    case 'files':
      return 'the event has frames in too many files; this one was not looked up'
  }
}

function pathReason(maps: number, hasDebugId: boolean): string {
  const known =
    maps === 1 ? 'has one source map, but not of this file' : `has ${maps} source maps, but none of this file`
  const id = hasDebugId ? ', and none has the debug id of this file' : ''
  return `this event's release ${known}${id}: upload the map of this build, with the --url-prefix under which the file is served`
}

export const problems = {
  noColumn: {
    kind: 'missing',
    cause: 'no column',
    reason: 'the frame has no column, and its line of the minified file leads to several places',
  },
  manyPlaces: {
    kind: 'missing',
    cause: 'limit',
    reason: 'the event has frames at too many different places; this one was not looked up',
  },
  outside: {
    kind: 'failed',
    cause: 'other build',
    reason:
      'the source map has no mapping at this position: file and map are from different builds; upload both from the same build',
  },
  noSource: {
    kind: 'failed',
    cause: 'generated code',
    reason: 'the source map names no source for this position: the bundler generated this code',
  },
  damaged: { kind: 'failed', cause: 'damaged map', reason: 'the stored source map cannot be read: upload it again' },
  noText: { kind: 'partly', reason: 'the source map does not hold the source text' },
  unreadFunctions: {
    kind: 'partly',
    reason: 'the minified file that was uploaded could not be read, so the function keeps its minified name',
  },
  damagedFunctions: {
    kind: 'partly',
    reason: 'the stored minified file cannot be read, so the function keeps its minified name; upload it again',
  },
  noFunctions: {
    kind: 'partly',
    reason:
      'only the source map was uploaded, so the function keeps its minified name; upload the minified file as well',
  },
} as const satisfies Record<string, Problem>

/** The state of an event, from the number of mapped frames and the problems of the others. */
export function symbolicationState(mapped: number, found: readonly Problem[]): Symbolication['state'] {
  const unmapped = found.filter(({ kind }) => kind !== 'partly')
  if (unmapped.length === 0) return mapped === 0 ? 'SYMBOLICATION_STATE_NOT_NEEDED' : 'SYMBOLICATION_STATE_COMPLETE'
  if (mapped > 0) return 'SYMBOLICATION_STATE_PARTIAL'
  const failed = unmapped.every(({ kind }) => kind === 'failed')
  return failed ? 'SYMBOLICATION_STATE_FAILED' : 'SYMBOLICATION_STATE_MISSING'
}
