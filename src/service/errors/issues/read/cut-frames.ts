import { isPlaced, recursiveFrames } from '../../../../lib/frames/recursion.ts'
import type { NoteTruncation } from '../../../shared/truncation-notes.ts'

interface CutFrame {
  in_app: boolean
  function?: string
  filename?: string
  module?: string
  lineno?: number
  colno?: number
}

/**
 * At most `max` frames of one stack (caller first), in their old order with their old `index`: by `frameRank`, those nearest to
 * the crash first. Notes `max_frames` when it cuts.
 */
export function cutFrames<F extends CutFrame>(
  frames: readonly F[],
  max: number,
  member: string,
  note: NoteTruncation,
): F[] {
  if (frames.length <= max) return [...frames]
  note(member, 'max_frames', max, frames.length)
  const repeated = findRepeated(frames)
  const preferred = frames
    .toReversed()
    .toSorted((left, right) => frameRank(left, repeated) - frameRank(right, repeated))
  const kept = new Set(preferred.slice(0, max))
  return frames.filter((frame) => kept.has(frame))
}

/**
 * Which frames are given up last: in-app frames (0 and 1) after system ones (2 and 3), and in each group those that a recursion
 * repeats before the others, so that what led to the recursion is kept.
 */
export function frameRank<F extends CutFrame>(frame: F, repeated: ReadonlySet<F>): number {
  return (frame.in_app ? 0 : 2) + (repeated.has(frame) ? 1 : 0)
}

/**
 * The frames of one stack that only repeat others: the same lines of the same functions. Frames that name no place, as those of
 * native code without its symbols, may be of different functions.
 */
export function findRepeated<F extends CutFrame>(frames: readonly F[]): Set<F> {
  const keys = frames.map(({ filename = '', module = '', function: name = '', lineno = 0, colno }, index) =>
    isPlaced({ hasLine: lineno > 0, hasFile: filename !== '' || module !== '', hasName: name !== '' })
      ? JSON.stringify([filename, module, name, lineno, colno])
      : index,
  )
  const repeated = recursiveFrames(keys)
  return new Set(frames.filter((_, index) => repeated.has(index)))
}
