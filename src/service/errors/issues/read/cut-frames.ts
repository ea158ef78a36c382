import { recursiveFrames } from '../../../../lib/frames/recursion.ts'
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
 * At most `max` frames of one stack (caller first): in-app frames before system ones, of each those that a recursion repeats
 * last, so that its caller is kept; otherwise nearest to the crash first. In their old order with their old `index`. Notes
 * `max_frames` when it cuts. `repeated` are those of `findRepeated` where the frames are of several stacks.
 */
export function cutFrames<F extends CutFrame>(
  frames: readonly F[],
  max: number,
  member: string,
  note: NoteTruncation,
  repeated?: ReadonlySet<F>,
): F[] {
  if (frames.length <= max) return [...frames]
  note(member, 'max_frames', max, frames.length)
  const repeats = repeated ?? findRepeated(frames)
  const rank = (frame: F) => (frame.in_app ? 0 : 2) + (repeats.has(frame) ? 1 : 0)
  const preferred = frames.toReversed().toSorted((left, right) => rank(left) - rank(right))
  const kept = new Set(preferred.slice(0, max))
  return frames.filter((frame) => kept.has(frame))
}

/** The frames of one stack that only repeat others: the same lines of the same functions. */
export function findRepeated<F extends CutFrame>(frames: readonly F[]): Set<F> {
  const keys = frames.map(({ filename, module, function: name, lineno, colno }) =>
    JSON.stringify([filename, module, name, lineno, colno]),
  )
  const repeated = recursiveFrames(keys)
  return new Set(frames.filter((_, index) => repeated.has(index)))
}
