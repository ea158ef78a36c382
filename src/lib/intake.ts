import { inOnePiece } from './bytes.ts'

/** Limits for bodies that are received at the same time. */
export interface IntakeLimits {
  /** Bytes in memory for all requests together. */
  bytes: number
  /** Bytes in memory for the requests of one owner. */
  bytesPerOwner: number
  /** Longest time for a body to arrive. */
  timeoutMs: number
  /** Time after which a body must have arrived at `bytesPerSecond` on average; checked each time it has passed again. */
  graceMs: number
  bytesPerSecond: number
}

/** A body arrives too slowly, or had to make room for newer ones: its sender may try again. */
export class IntakeError extends Error {
  readonly reason: 'too_slow' | 'no_room'

  constructor(reason: IntakeError['reason']) {
    super(reason === 'too_slow' ? 'the body arrives too slowly' : 'too many bodies arrive at once')
    this.name = 'IntakeError'
    this.reason = reason
  }
}

/** The memory that one request takes, from its first byte until `release`. */
export interface Hold {
  /**
   * The chunks in one buffer, counted as they arrive; undefined as soon as they exceed `limit` bytes. Rejects with an
   * `IntakeError`, and with what the chunks or `arrived` throw.
   */
  collect(
    chunks: AsyncIterable<Uint8Array>,
    limit: number,
    arrived?: (bytes: number) => void,
  ): Promise<Buffer | undefined>
  /** Counts more bytes, as of an unpacked body; throws an `IntakeError` when there is no room for them. */
  add(bytes: number): void
  release(): void
}

export interface Intake {
  /** Begins a request of an owner: a key, a token, or '' for those who have not said who they are. */
  hold(owner: string): Hold
}

interface Counted {
  owner: string
  bytes: number
  released: boolean
  /** Ends the arrival of its body; undefined when it is not arriving. */
  interrupt: ((error: IntakeError) => void) | undefined
}

interface Owner {
  bytes: number
  /** In the order in which they began. */
  requests: Set<Counted>
}

/**
 * Bounds the memory for bodies. Where a limit is reached, the body that has been arriving for longest makes room: the
 * bodies of ordinary senders are complete within a second, so senders that never finish displace each other.
 */
export function createIntake(limits: IntakeLimits): Intake {
  const owners = new Map<string, Owner>()
  let allBytes = 0

  function begin(name: string): Counted {
    const one: Counted = { owner: name, bytes: 0, released: false, interrupt: undefined }
    const owner = owners.get(name) ?? { bytes: 0, requests: new Set() }
    owners.set(name, owner)
    owner.requests.add(one)
    return one
  }

  function end(one: Counted): void {
    const owner = owners.get(one.owner)
    if (one.released || owner === undefined) return
    one.released = true
    owner.bytes -= one.bytes
    allBytes -= one.bytes
    owner.requests.delete(one)
    if (owner.requests.size === 0) owners.delete(one.owner)
  }

  function add(one: Counted, bytes: number): void {
    const owner = owners.get(one.owner)
    if (one.released || owner === undefined) throw new IntakeError('no_room')
    one.bytes += bytes
    owner.bytes += bytes
    allBytes += bytes
    while (owner.bytes > limits.bytesPerOwner) makeRoom(owner, one)
    while (allBytes > limits.bytes) makeRoom(largest(owners), one)
  }

  /** Ends the oldest body that is arriving; without one, the request that needs room fails itself. */
  function makeRoom(owner: Owner | undefined, needing: Counted): void {
    const oldest = owner?.requests.values().find(({ interrupt }) => interrupt !== undefined) ?? needing
    end(oldest)
    const error = new IntakeError('no_room')
    if (oldest === needing) throw error
    oldest.interrupt?.(error)
  }

  return {
    hold(owner) {
      const one = begin(owner)
      return {
        add: (bytes) => add(one, bytes),
        release: () => end(one),
        async collect(chunks, limit, arrived = () => {}) {
          const { promise: interrupted, reject } = Promise.withResolvers<never>()
          one.interrupt = reject
          const stopWatching = watch(one, limits)
          try {
            return await collect(chunks, limit, { interrupted, arrived, kept: (bytes) => add(one, bytes) })
          } finally {
            stopWatching()
            one.interrupt = undefined
          }
        },
      }
    },
  }
}

function largest(owners: ReadonlyMap<string, Owner>): Owner | undefined {
  return owners.values().reduce((most, owner) => (owner.bytes > most.bytes ? owner : most))
}

/** Interrupts a body that takes too long or is too slow; the returned function stops watching. */
function watch(one: Counted, { timeoutMs, graceMs, bytesPerSecond }: IntakeLimits): () => void {
  const start = performance.now()
  const interrupt = () => one.interrupt?.(new IntakeError('too_slow'))
  const deadline = setTimeout(interrupt, timeoutMs).unref()
  const check = setInterval(() => {
    if (one.bytes < ((performance.now() - start) / 1000) * bytesPerSecond) interrupt()
  }, graceMs).unref()
  return () => {
    clearTimeout(deadline)
    clearInterval(check)
  }
}

type Count = (bytes: number) => void

async function collect(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
  { interrupted, arrived, kept }: { interrupted: Promise<never>; arrived: Count; kept: Count },
): Promise<Buffer | undefined> {
  const iterator = chunks[Symbol.asyncIterator]()
  const collected: Uint8Array[] = []
  let size = 0
  let waiting = false
  try {
    for (;;) {
      waiting = true
      const next = await Promise.race([iterator.next(), interrupted])
      waiting = false
      if (next.done === true) return inOnePiece(collected)
      const bytes = next.value.byteLength
      arrived(bytes)
      size += bytes
      if (size > limit) return undefined
      kept(bytes)
      collected.push(next.value)
    }
  } finally {
    // Releases the socket for the reply; `return` of an iterator that is still waiting would wait as well.
    if (!waiting) await iterator.return?.()
  }
}
