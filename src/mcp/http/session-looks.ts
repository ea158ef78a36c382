import type { Clock } from '../../lib/clock.ts'
import type { LiveSession } from './live-session.ts'
import type { OtherProcesses } from './session-store.ts'

/** How soon a process finds what it was not told of. */
const LOOK_MS = 2_000

export interface LookOptions {
  /** The name of this process. */
  process: string
  others: OtherProcesses
  clock: Clock
  live: {
    get(this: void, id: string): LiveSession | undefined
    all(this: void): LiveSession[]
    /** Ends here what has ended elsewhere. */
    end(this: void, id: string): void
  }
}

/** Finds what other processes have left for the sessions of this one. */
export interface SessionLooks {
  /** Looks at the session once now. */
  look(this: void, id: string): void
  /** Looks every two seconds while a session has a stream or a running call. */
  begin(this: void): void
  close(this: void): void
}

/** Nothing to look for where no other process has these sessions. */
export const noLooks: SessionLooks = { look: () => undefined, begin: () => undefined, close: () => undefined }

export function createLooks({ process, others, clock, live }: LookOptions): SessionLooks {
  /** One after the other: a message is taken once. */
  let looking: Promise<void> = Promise.resolve()
  let cancel: (() => void) | undefined
  let isClosed = false

  function lookAt(ids: readonly string[]): Promise<void> {
    // A store that cannot be read now is read again soon, and the requests of the session report it.
    looking = looking.then(() => take(ids)).catch(() => undefined)
    return looking
  }

  async function take(ids: readonly string[]): Promise<void> {
    if (isClosed || ids.length === 0) return
    const { sessions, messages } = await others.look(ids, process)
    for (const id of ids) {
      const addresses = sessions.get(id)
      if (addresses === undefined) live.end(id)
      else live.get(id)?.follow(addresses)
    }
    const arrived = messages.filter((message) => live.get(message.session)?.receive(message))
    if (arrived.length > 0) await others.arrived(arrived.map(({ seq }) => seq))
  }

  const busy = () => live.all().filter(({ isBusy }) => isBusy)

  function begin(): void {
    if (isClosed || cancel !== undefined) return
    cancel = clock.after(LOOK_MS, () => {
      void lookAt(busy().map(({ id }) => id)).then(() => {
        cancel = undefined
        if (busy().length > 0) begin()
      })
    })
  }

  others.listen((id) => {
    if (live.get(id) !== undefined) void lookAt([id])
  })
  return {
    look: (id) => void lookAt([id]),
    begin,
    close() {
      isClosed = true
      cancel?.()
    },
  }
}
