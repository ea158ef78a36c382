import type { NormalEvent } from './event.ts'

export type Stacks = Pick<NormalEvent, 'exceptions' | 'threads'>

/** The stacks of an event as bytes, which another thread is given without a copy. */
export function writeStacks({ exceptions, threads }: Stacks): Uint8Array {
  return Buffer.from(JSON.stringify({ exceptions, threads } satisfies Stacks))
}

/** The stacks that `writeStacks` has written. */
export function readStacks(written: Uint8Array): Stacks {
  return JSON.parse(Buffer.from(written.buffer, written.byteOffset, written.byteLength).toString()) as Stacks
}
