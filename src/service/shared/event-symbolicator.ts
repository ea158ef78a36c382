import type * as z from 'zod'
import type { Event } from '../../contract/events.ts'

type EventBody = z.input<typeof Event>

/** Which frames of an event were mapped, and why the others were not. */
export type Symbolication = EventBody['symbolication']

/** The members of an event that lead to its sources. */
export type Symbolicable = Pick<EventBody, 'exceptions' | 'threads' | 'release' | 'dist' | 'platform'>

/** Why no source was found for a frame. */
export type UnmappedCause =
  | 'no release'
  | 'unknown debug id'
  | 'nothing for release'
  | 'no such file'
  | 'map not uploaded'
  | 'one of several'
  | 'no column'
  | 'other build'
  | 'generated code'
  | 'damaged map'
  | 'limit'

/** An in-app frame of generated JavaScript without a source. */
export interface Unmapped {
  /** As it was sent. */
  frame: EventBody['exceptions'][number]['frames'][number]
  cause: UnmappedCause
  /** Id of the upload whose map was found, but has no source for the frame; '' without one. */
  uploadId: string
}

/** Maps the frames of events to their sources. */
export interface EventSymbolicator {
  /** Notices the source maps that other processes have added until now; `symbolicate` alone notices them within seconds. */
  look?(): Promise<void>
  /**
   * The event with its frames of generated JavaScript where their source maps lead (errors §3.1), and the outcome. The
   * very same event when none was mapped. A frame that cannot be mapped stays as it was sent.
   */
  symbolicate<E extends Symbolicable>(
    productId: number,
    event: E,
  ): Promise<{ event: E; symbolication: Symbolication; unmapped: Unmapped[] }>
}
