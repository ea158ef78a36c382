import type { NoteTruncation } from '../../../shared/truncation-notes.ts'

/**
 * At most `max` frames of one stack (caller first): in-app frames before system ones, each nearest to the crash first,
 * in their old order with their old `index`. Notes `max_frames` when it cuts.
 */
export function cutFrames<F extends { in_app: boolean }>(
  frames: readonly F[],
  max: number,
  member: string,
  note: NoteTruncation,
): F[] {
  if (frames.length <= max) return [...frames]
  note(member, 'max_frames', max, frames.length)
  const nearest = frames.toReversed()
  const preferred = [...nearest.filter((frame) => frame.in_app), ...nearest.filter((frame) => !frame.in_app)]
  const kept = new Set(preferred.slice(0, max))
  return frames.filter((frame) => kept.has(frame))
}
