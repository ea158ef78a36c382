import type { Owners } from '../../workspace/components/components.ts'
import type { LocateFrame } from '../../workspace/components/locate-frame.ts'
import type { NormalEvent, NormalFrame } from '../event/event.ts'

/**
 * Most files of one event that are looked up: each costs a match with every glob of the product, inside the transaction
 * that creates the issue, and the owner is near the crash (decision 011).
 */
const MOST_FILES = 100

/**
 * The component an event belongs to, '' for none: the owner of the first in-app frame with one, from the crash outward
 * (last frame first, the last exception before its causes, threads at the end). Of an event with in-app frames in more
 * than 100 files only the first 100 are looked up.
 */
export function attributeEvent(
  owners: Owners,
  event: Pick<NormalEvent, 'exceptions' | 'threads'>,
  locate: LocateFrame,
): string {
  for (const frame of ownFrames(event).take(MOST_FILES)) {
    const owner = owners.findOwner(locate(frame).path)
    if (owner !== undefined) return owner
  }
  return ''
}

/** The in-app frames of an event in that order, one for each file. */
export function* ownFrames(event: Pick<NormalEvent, 'exceptions' | 'threads'>): Generator<NormalFrame, undefined> {
  const threads = event.threads.filter(({ crashed, current }) => crashed || current || event.threads.length === 1)
  const seen = new Set<string>()
  for (const { frames } of [...event.exceptions.toReversed(), ...threads]) {
    for (const frame of frames.toReversed()) {
      // Java sends a bare file name: the class says which one.
      const file = [frame.filename === '' ? frame.abs_path : frame.filename, frame.module].join('\n')
      if (!frame.in_app || seen.has(file)) continue
      seen.add(file)
      yield frame
    }
  }
}
