import type { NormalFrame } from '../../event/event.ts'
import type { EventSymbolicator, Symbolicable } from '../../../shared/event-symbolicator.ts'
import { createPace } from '../../../shared/pace.ts'
import type { Database } from '../../../sql/database.ts'
import type { FileStore } from '../files/file-store.ts'
import { createTableFetcher } from '../files/fetch-tables.ts'
import { createArtifactIndex, emptyIndex, type ArtifactIndex } from './artifacts.ts'
import { fileKey, mayHaveMap } from './frame-file.ts'
import { looksMinified } from './looks-minified.ts'
import { createFrameMapper, type GeneratedPosition, type Mapped, type WantedText } from './map-frame.ts'
import type { Match, MatchedArtifacts } from './match.ts'
import { openTables, type OpenTables } from './open-tables.ts'
import { missingProblem, problems } from './problems.ts'
import { createSourceTexts, type SourceOfRelease } from './source-texts.ts'
import { sourceLines, type SourceLines } from './source-lines.ts'
import { listUnmapped, summarise, withFrames, type StackReading } from './stack-reading.ts'

/** Files of one event that are looked up: each may be part of a query (decision 011). */
const MOST_FILES = 100
/** Distinct positions in generated files that are looked up for one event: as many as one stack has (decision 011). */
const MOST_PLACES = 250
/** Frames that are mapped before everything else in the process may run. */
const BATCH = 8

/** Symbolicates events with the artifacts of their product. */
export interface Symbolicator extends EventSymbolicator {
  /** Whether anything was uploaded for a product. */
  hasAny(productId: number): Promise<boolean>
  /** Whether a release has source maps. */
  hasMaps(productId: number, release: string): Promise<boolean>
  /** The lines of a file of the repository, for each build of a release that was uploaded with its text. */
  sourceTexts(wanted: SourceOfRelease): Promise<string[][]>
  /** Another number whenever artifacts may have changed, as far as `hasAny`, `hasMaps` and `symbolicate` have seen. */
  revision(): number
  /** Call after artifacts of this product were added or removed. */
  changed(productId: number): void
  /** Ids of the uploads that mapped frames since the last call. */
  takeUsed(): string[]
  /** Lets uploads count as used that mapped frames elsewhere. */
  noteUsed(ids: readonly string[]): void
  close(): void
}

export interface SymbolicatorOptions {
  db: Pick<Database, 'read'>
  /** Folder of the tables that confirms have written. */
  tables: string
  /** Has the tables that other processes have written. */
  files?: Pick<FileStore, 'fetch'> | undefined
  /** Called by `changed`, for whoever keeps something of the artifacts too. */
  onChanged?: ((productId: number) => void) | undefined
  /** The part of the usual limits for what is kept in memory. */
  share?: number | undefined
  /** Milliseconds of any monotonic clock. */
  now?: () => number
}

/** Symbolicates events of all products with the artifacts in the database; keeps tables open and results in memory. */
export function createSymbolicator({
  db,
  tables,
  files,
  onChanged = () => {},
  share,
  now = () => performance.now(),
}: SymbolicatorOptions): Symbolicator {
  const index = createArtifactIndex({ db, now, share })
  const open = openTables(tables, files && createTableFetcher(files, tables), share)
  const reader = createReader({ index, open, now, share })
  return {
    ...reader,
    look: () => index.look(),
    hasAny: (productId) => index.hasAny(productId),
    hasMaps: (productId, release) => index.hasMaps(productId, release),
    sourceTexts: createSourceTexts({ index, open }),
    revision: () => index.revision(),
    changed(productId) {
      index.changed(productId)
      open.reopen()
      reader.reopened()
      onChanged(productId)
    },
    close: () => open.close(),
  }
}

/** For a product without source maps: the outcome of each event is that of `createSymbolicator`. */
export function createMaplessSymbolicator(): EventSymbolicator {
  const reader = createReader({ index: emptyIndex, open: openTables(''), now: () => 0 })
  return {
    symbolicate(productId, event) {
      const stacks = [...event.exceptions, ...event.threads]
      // Of files without signs of a build no map is missing.
      if (stacks.some(({ frames }) => frames.some(looksMinified))) return reader.symbolicate(productId, event)
      const read = stacks.map(({ frames }) => ({ frames, mapped: 0, problems: [], texts: [] }))
      return Promise.resolve({ event, symbolication: summarise(read), unmapped: [] })
    },
  }
}

interface Reader extends Pick<Symbolicator, 'symbolicate' | 'takeUsed' | 'noteUsed'> {
  /** Call after `open` was reopened. */
  reopened(): void
}

interface ReaderOptions extends Pick<SymbolicatorOptions, 'share'> {
  index: Pick<ArtifactIndex, 'match' | 'findSource'>
  open: OpenTables
  now: () => number
}

function createReader({ index, open, now, share }: ReaderOptions): Reader {
  const mapper = createFrameMapper({ tables: open, now, share })
  const pace = createPace()
  const used = new Set<string>()

  return {
    async symbolicate(productId, event) {
      const stacks = [...event.exceptions, ...event.threads].map(({ frames }) => frames)
      const matches = await findMatches(productId, event)
      await open.fetch?.(tablesIn(matches))
      const minified = matches.size === 0 ? new Set<string>() : minifiedFiles(stacks)
      const facts = { matches, minified, left: leftOut(event, matches) }
      const read: StackReading[] = []
      for (const frames of stacks) {
        const reading = await readStack(frames, facts)
        await addTexts(productId, reading)
        read.push(reading)
      }
      const symbolication = summarise(read)
      const mapped = symbolication.frames_mapped === 0 ? event : withFrames(event, read)
      return { event: mapped, symbolication, unmapped: listUnmapped(read) }
    },
    takeUsed() {
      const ids = [...used]
      used.clear()
      return ids
    },
    noteUsed(ids) {
      for (const id of ids) used.add(id)
    },
    reopened: () => mapper.changed(),
  }

  /** The frames of one stack, caller first, mapped where there is a match. */
  async function readStack(frames: readonly NormalFrame[], facts: EventMatches): Promise<StackReading> {
    const hasMap = facts.matches.size > 0 && frames.some((frame) => 'map' in (findMatch(frame, facts) ?? {}))
    const size = hasMap ? BATCH : frames.length
    const reading: StackReading = { frames: [], mapped: 0, problems: [], texts: [] }
    let caller: GeneratedPosition | undefined
    for (let from = 0; from < frames.length; from += size) {
      const step = () => {
        for (const frame of frames.slice(from, from + size)) caller = readInto(reading, frame, caller, facts)
        if (hasMap) open.trim()
      }
      if (hasMap) await pace(step)
      else step()
    }
    return reading
  }

  /** Adds one frame to the reading of its stack; returns its position, for the frame that it called. */
  function readInto(
    reading: StackReading,
    frame: NormalFrame,
    caller: GeneratedPosition | undefined,
    facts: EventMatches,
  ): GeneratedPosition | undefined {
    const match = findMatch(frame, facts)
    let mapped: Mapped = {}
    if (match !== undefined && 'map' in match) {
      mapped = facts.left.has(frame) ? { problem: problems.manyPlaces } : mapper.map(frame, match, caller)
      if (mapped.frame !== undefined) noteUse(match)
    } else if (match !== undefined && facts.minified.has(fileKey(frame))) {
      // A file without signs of a build needs no map.
      mapped = { problem: missingProblem(match, frame.debug_id !== '') }
    }
    const { frame: kept = frame, problem, wanted } = mapped
    if (wanted !== undefined) reading.texts.push({ place: reading.frames.length, sent: frame, wanted })
    reading.frames.push(kept)
    if (mapped.frame !== undefined) reading.mapped += 1
    if (problem !== undefined && kept.in_app) {
      const uploadId = match !== undefined && 'map' in match ? match.map.sourcemap_id : ''
      reading.problems.push({ frame, problem, uploadId })
    }
    return mapped.place
  }

  function noteUse({ map, minified }: MatchedArtifacts): void {
    used.add(map.sourcemap_id)
    if (minified !== undefined) used.add(minified.sourcemap_id)
  }

  /** Adds the lines of sources that were uploaded beside their map. */
  async function addTexts(productId: number, reading: StackReading): Promise<void> {
    for (const { place, sent, wanted } of reading.texts) {
      const source = await index.findSource(productId, wanted)
      if (source === undefined) continue
      used.add(source.sourcemapId)
      await open.fetch?.([source.content])
      const lines = await pace(() => readText(source.content, wanted))
      const frame = reading.frames[place]
      if (lines === undefined || frame === undefined) continue
      reading.frames[place] = { ...frame, ...lines }
      reading.problems = reading.problems.filter((found) => found.frame !== sent || found.problem !== problems.noText)
    }
  }

  function readText(content: string, { line, column }: WantedText): SourceLines | undefined {
    try {
      const table = open.source(content)
      return sourceLines({ lines: (_, first, end) => table.lines(first, end) }, { source: 0, line, column })
    } catch {
      // A damaged text costs the lines only.
      return undefined
    } finally {
      open.trim()
    }
  }

  async function findMatches(productId: number, event: Symbolicable): Promise<ReadonlyMap<string, Match>> {
    const found = new Map<string, NormalFrame>()
    for (const frames of fromTheCrash(event))
      for (const frame of frames) if (mayHaveMap(frame, event.platform)) found.set(fileKey(frame), frame)
    if (found.size === 0) return new Map()
    const files = [...found]
    const build = { productId, release: event.release, dist: event.dist }
    const matches = await index.match(build, new Map(files.slice(0, MOST_FILES)))
    for (const [key] of files.slice(MOST_FILES)) matches.set(key, { missing: 'files' })
    return matches
  }
}

/** What is known about an event before its frames are mapped. */
interface EventMatches {
  /** By key of the file. */
  matches: ReadonlyMap<string, Match>
  /** Keys of files that at least one frame shows to be generated. */
  minified: ReadonlySet<string>
  /** Frames that are skipped although their file has a map. */
  left: ReadonlySet<NormalFrame>
}

/** The names of the tables of all matches. */
function tablesIn(matches: ReadonlyMap<string, Match>): string[] {
  return [...matches.values()].flatMap((match) =>
    'map' in match ? [match.map.content, match.minified?.content ?? ''] : [],
  )
}

function findMatch(frame: NormalFrame, { matches }: Pick<EventMatches, 'matches'>): Match | undefined {
  return frame.lineno < 1 ? undefined : matches.get(fileKey(frame))
}

/** The stacks from the crash outward, each with its newest call first: the most important frames come first. */
function fromTheCrash({ exceptions, threads }: Symbolicable): NormalFrame[][] {
  return [...exceptions.toReversed(), ...threads].map(({ frames }) => frames.toReversed())
}

function minifiedFiles(stacks: readonly (readonly NormalFrame[])[]): Set<string> {
  return new Set(stacks.flatMap((frames) => frames.filter(looksMinified).map(fileKey)))
}

/** Frames beyond the limit of distinct positions, where a position includes that of the caller. */
function leftOut(event: Symbolicable, matches: ReadonlyMap<string, Match>): Set<NormalFrame> {
  const left = new Set<NormalFrame>()
  const stacks = matches.size === 0 ? [] : fromTheCrash(event)
  if (stacks.reduce((sum, frames) => sum + frames.length, 0) <= MOST_PLACES) return left
  const places = new Set<string>()
  for (const frames of stacks) {
    for (const [index, frame] of frames.entries()) {
      const match = findMatch(frame, { matches })
      if (match === undefined || !('map' in match)) continue
      const place = [match.map.id, ...[frame, frames[index + 1]].flatMap((at) => [at?.lineno, at?.colno])].join(':')
      if (places.size < MOST_PLACES) places.add(place)
      else if (!places.has(place)) left.add(frame)
    }
  }
  return left
}
