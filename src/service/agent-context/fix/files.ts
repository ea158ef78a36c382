import type { FileBody, FrameBody } from './bodies.ts'
import type { NoteTruncation } from '../../shared/truncation-notes.ts'

/** The most frames per file whose lines and indexes are listed, nearest to the crash: a recursion has hundreds. */
const FRAMES_PER_FILE = 20

type Reason = FileBody['reason']

/** A file of the repository that the frames implicate. */
export type ImplicatedFile = Pick<
  FileBody,
  'path' | 'path_source' | 'lines' | 'frame_indexes' | 'component' | 'rank' | 'reason'
>

interface RankedFrame {
  frame: FrameBody
  reason: Reason
  /** The number of frames between it and the end of its stack. */
  distance: number
}

/**
 * The files of the repository that in-app frames name, most suspicious first: where the reported exception was thrown
 * (rank 1), then the other files of its stack from the crash outward, then those of its causes, by their distance to
 * where each was thrown. `stacks` are in reading order; `lines` are the lines of the frames, with adjacent lines as one
 * range; `frame_indexes` are the `index` values of the frames.
 */
export function implicatedFiles(
  stacks: readonly (readonly FrameBody[])[],
  { maxFiles, note }: { maxFiles: number; note: NoteTruncation },
): ImplicatedFile[] {
  const byFile = [...Map.groupBy(rankFrames(stacks), ({ frame }) => frame.repo_path)]
  note('files', 'max_files', Math.min(maxFiles, byFile.length), byFile.length)
  return byFile.slice(0, maxFiles).map(([path, places], index) => {
    const told = places.slice(0, FRAMES_PER_FILE)
    note('files.frame_indexes', 'count', told.length, places.length)
    return {
      path,
      path_source: places[0]?.frame.repo_path_source ?? 'REPO_PATH_SOURCE_NONE',
      lines: lineRanges(told.map(({ frame }) => frame.lineno)),
      frame_indexes: ascending(told.map(({ frame }) => frame.index)),
      component: places[0]?.frame.component ?? null,
      rank: index + 1,
      reason: places[0]?.reason ?? 'in_app_frame',
    }
  })
}

/** The frames that name a file of the repository, most suspicious first. */
function rankFrames(stacks: readonly (readonly FrameBody[])[]): RankedFrame[] {
  const [crash, ...causes] = stacks.map(nearestFirst).filter((stack) => stack.length > 0)
  if (crash === undefined) return []
  const own = crash.map((place, index) => ({ ...place, reason: index === 0 ? ('crash_frame' as const) : place.reason }))
  // At equal distance, frames of the root cause come first: that is where the failure started.
  const other = causes
    .toReversed()
    .flat()
    .toSorted((left, right) => left.distance - right.distance)
  return [...own, ...other.map((place) => ({ ...place, reason: 'cause_frame' as const }))]
}

function nearestFirst(frames: readonly FrameBody[]): RankedFrame[] {
  return frames
    .map((frame, index) => ({ frame, reason: 'in_app_frame' as const, distance: frames.length - 1 - index }))
    .filter(({ frame }) => frame.in_app && frame.repo_path !== '')
    .toReversed()
}

function lineRanges(numbers: readonly number[]): FileBody['lines'] {
  const lines: FileBody['lines'] = []
  for (const line of ascending(numbers.filter((number) => number > 0))) {
    const last = lines.at(-1)
    if (last?.end === line - 1) last.end = line
    else lines.push({ start: line, end: line })
  }
  return lines
}

function ascending(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].toSorted((left, right) => left - right)
}
