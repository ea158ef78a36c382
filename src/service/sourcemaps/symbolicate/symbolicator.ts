import type { NormalEvent, NormalFrame } from '../../ingest/event.ts'
import { createPace } from '../../pace.ts'
import type { Database } from '../../sql/database.ts'
import { createArtifactIndex } from './artifacts.ts'
import { fileKey, frameFile, mayHaveMap } from './frame-file.ts'
import { looksMinified } from './looks-minified.ts'
import { createFrameMapper } from './map-frame.ts'
import type { FrameMapper, Mapped, Place } from './map-frame.ts'
import type { Match } from './match.ts'
import { openTables } from './open-tables.ts'
import { missingProblem, stateOf } from './problems.ts'
import type { Problem, Symbolication } from './problems.ts'

/** Files of one event that are looked up: each may cost a part of a query (decision 011). */
const MOST_FILES = 100

/** What of an event leads to its sources. */
export type Symbolicable = Pick<NormalEvent, 'exceptions' | 'threads' | 'release' | 'dist' | 'platform'>

export interface Symbolicator {
  /**
   * The event with its frames of generated JavaScript where their source maps lead (ERRORS §3.1), and what became of
   * them. The very same event when none was mapped. A frame that cannot be mapped stays as it was sent.
   */
  symbolicate<E extends Symbolicable>(productId: number, event: E): Promise<{ event: E; symbolication: Symbolication }>
  /** A confirm of this product has added artifacts. */
  changed(productId: number): void
  close(): void
}

export interface SymbolicatorOptions {
  db: Database
  /** Folder of the tables that confirms have made. */
  tables: string
  /** Milliseconds of any clock that only goes forward. */
  now?: () => number
}

/** Symbolicates events of all products with the artifacts in the database; keeps tables open and answers in memory. */
export function createSymbolicator({ db, tables, now = () => performance.now() }: SymbolicatorOptions): Symbolicator {
  const index = createArtifactIndex({ db, now })
  const open = openTables(tables)
  const mapper = createFrameMapper(open)
  const pace = createPace()

  return {
    async symbolicate(productId, event) {
      const stacks = [...event.exceptions, ...event.threads].map(({ frames }) => frames)
      const matches = await matchesOf(productId, event)
      const files = { matches, minified: matches.size === 0 ? new Set<string>() : minifiedFiles(stacks) }
      const read: StackReading[] = []
      for (const frames of stacks) {
        const hasMap = matches.size > 0 && frames.some((frame) => 'map' in (matches.get(fileKey(frame)) ?? {}))
        const reading = () => readStack(frames, files, mapper)
        read.push(hasMap ? await pace(reading) : reading())
        open.trim()
      }
      const symbolication = summarise(read)
      return { event: symbolication.frames_mapped === 0 ? event : withFrames(event, read), symbolication }
    },
    changed: (productId) => index.changed(productId),
    close: () => open.close(),
  }

  async function matchesOf(productId: number, event: Symbolicable): Promise<ReadonlyMap<string, Match>> {
    const found = new Map<string, NormalFrame>()
    // From the crash outward: those files matter most.
    for (const { frames } of [...event.exceptions.toReversed(), ...event.threads])
      for (const frame of frames.toReversed()) if (mayHaveMap(frame, event.platform)) found.set(fileKey(frame), frame)
    if (found.size === 0) return new Map()
    const files = [...found]
    const [asked, left] = [files.slice(0, MOST_FILES), files.slice(MOST_FILES)]
    const build = { productId, release: event.release, dist: event.dist }
    const matches = await index.match(
      build,
      asked.map(([, frame]) => frameFile(frame)),
    )
    for (const [key] of left) matches.set(key, { missing: 'files' })
    return matches
  }
}

interface StackReading {
  frames: NormalFrame[]
  mapped: number
  /** With the frame as it was sent. */
  problems: { frame: NormalFrame; problem: Problem }[]
}

/** What is known of the files of an event, by key. */
interface Files {
  matches: ReadonlyMap<string, Match>
  /** Those of which a frame shows that they are generated. */
  minified: ReadonlySet<string>
}

function minifiedFiles(stacks: readonly (readonly NormalFrame[])[]): Set<string> {
  return new Set(stacks.flatMap((frames) => frames.filter(looksMinified).map(fileKey)))
}

/** The frames of one stack, caller first, each in its source where the matches lead there. */
function readStack(frames: readonly NormalFrame[], { matches, minified }: Files, mapper: FrameMapper): StackReading {
  const reading: StackReading = { frames: [], mapped: 0, problems: [] }
  let caller: Place | undefined
  for (const frame of frames) {
    const match = frame.lineno < 1 ? undefined : matches.get(fileKey(frame))
    let mapped: Mapped = {}
    if (match !== undefined && 'map' in match) mapped = mapper.map(frame, match, caller)
    // A file that shows no sign of a build needs no map.
    else if (match !== undefined && minified.has(fileKey(frame))) {
      mapped = { problem: missingProblem(match, frame.debug_id !== '') }
    }
    const { frame: kept = frame, problem } = mapped
    reading.frames.push(kept)
    if (mapped.frame !== undefined) reading.mapped += 1
    if (problem !== undefined && kept.in_app) reading.problems.push({ frame, problem })
    caller = mapped.place
  }
  return reading
}

function summarise(read: readonly StackReading[]): Symbolication {
  const found = read.flatMap(({ problems }) => problems)
  const mapped = read.reduce((sum, reading) => sum + reading.mapped, 0)
  return {
    state: stateOf(
      mapped,
      found.map(({ problem }) => problem),
    ),
    frames_total: read.reduce((sum, { frames }) => sum + frames.length, 0),
    frames_mapped: mapped,
    problems: found.map(({ frame, problem }) => ({
      frame_index: frame.index,
      abs_path: frame.abs_path === '' ? frame.filename : frame.abs_path,
      debug_id: frame.debug_id,
      reason: problem.reason,
    })),
  }
}

function withFrames<E extends Symbolicable>(event: E, read: readonly StackReading[]): E {
  const framesOf = (place: number) => read[place]?.frames ?? []
  return {
    ...event,
    exceptions: event.exceptions.map((exception, place) => ({ ...exception, frames: framesOf(place) })),
    threads: event.threads.map((thread, place) => ({ ...thread, frames: framesOf(event.exceptions.length + place) })),
  }
}
