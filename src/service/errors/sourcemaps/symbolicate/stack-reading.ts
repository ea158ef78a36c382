import type { NormalFrame } from '../../event/event.ts'
import type { Symbolicable, Symbolication, Unmapped } from '../../../shared/event-symbolicator.ts'
import { isNative } from '../../../shared/code-paths.ts'
import type { WantedText } from './map-frame.ts'
import { symbolicationState, type Problem } from './problems.ts'

/** What the maps made of one stack. */
export interface StackReading {
  frames: NormalFrame[]
  mapped: number
  /** With the frame as it was sent. */
  problems: { frame: NormalFrame; problem: Problem; uploadId: string }[]
  /** Frames whose map does not hold the text of their source. */
  texts: { place: number; sent: NormalFrame; wanted: WantedText }[]
}

/** The outcome of the event that has these stacks. */
export function summarise(read: readonly StackReading[]): Symbolication {
  const found = read.flatMap(({ problems }) => problems)
  const mapped = read.reduce((sum, reading) => sum + reading.mapped, 0)
  return {
    state: symbolicationState(
      mapped,
      found.map(({ problem }) => problem),
    ),
    frames_total: read.reduce((sum, { frames }) => sum + frames.filter(hasFile).length, 0),
    frames_mapped: mapped,
    problems: found.map(({ frame, problem }) => ({
      frame_index: frame.index,
      abs_path: frame.abs_path === '' ? frame.filename : frame.abs_path,
      debug_id: frame.debug_id,
      reason: problem.reason,
    })),
  }
}

/** The frames of these stacks that have no source. */
export function listUnmapped(read: readonly StackReading[]): Unmapped[] {
  return read.flatMap(({ problems }) =>
    problems.flatMap(({ frame, problem, uploadId }) =>
      problem.kind === 'partly' ? [] : [{ frame, cause: problem.cause, uploadId }],
    ),
  )
}

/** The event with the frames that were read. */
export function withFrames<E extends Symbolicable>(event: E, read: readonly StackReading[]): E {
  const stackFrames = (place: number) => read[place]?.frames ?? []
  return {
    ...event,
    exceptions: event.exceptions.map((exception, place) => ({ ...exception, frames: stackFrames(place) })),
    threads: event.threads.map((thread, place) => ({
      ...thread,
      frames: stackFrames(event.exceptions.length + place),
    })),
  }
}

/** The engine's own functions, such as `encodeURIComponent`, have no file that a map could lead to. */
function hasFile({ filename, abs_path: path }: NormalFrame): boolean {
  return !isNative(filename) && !isNative(path)
}
