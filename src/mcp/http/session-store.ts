/** What any process needs to go on with a session of the 2025 revisions. */
export interface StoredSession {
  id: string
  /** Token and scope that opened it, hashed: to other owners the session does not exist. */
  owner: string
  /** The hash of its token, whose sessions are limited. */
  token: string
  /** The client's `initialize` request as JSON: it says the version, the client and what the client can do. */
  initialize: string
  /** When its use was last noted, in epoch milliseconds. */
  usedAt: number
}

export interface SessionLimits {
  /** Sessions that were not used since then have ended. */
  usedSince: number
  perToken: number
  total: number
}

/** An address that a session subscribes to, with the digest of the state that its client knows. */
export interface KeptAddress {
  uri: string
  digest: string
}

/** What a client sent to one process and another one waits for. */
export interface SessionMessage {
  seq: number
  session: string
  /** The name of a process; '' for all. */
  to: string
  /** A message of the protocol as JSON. */
  body: string
}

/** What other processes may have changed. */
export interface SessionsNow {
  /** The addresses of each session by its id; one that has ended is missing. */
  sessions: ReadonlyMap<string, readonly KeptAddress[]>
  messages: readonly SessionMessage[]
}

/** What the processes that share sessions leave for each other. */
export interface OtherProcesses {
  /** Keeps an address, which stays as it is if it is known; resolves to false if the session has as many as it may. */
  subscribe(this: void, id: string, address: KeptAddress, most: number): Promise<boolean>
  /** The client was told of the state with this digest. */
  told(this: void, id: string, address: KeptAddress): Promise<void>
  unsubscribe(this: void, id: string, uri: string): Promise<void>
  /** The sessions of these ids, and what waits in them for this process or for all. */
  look(this: void, ids: readonly string[], to: string): Promise<SessionsNow>
  /** Leaves a message; resolves to false if too much waits for the session already. */
  post(this: void, message: Omit<SessionMessage, 'seq'>, now: number): Promise<boolean>
  /** Removes messages that have arrived. */
  arrived(this: void, seqs: readonly number[]): Promise<void>
  /** Calls `heard` with the id of each session that another process has changed. It may miss some. */
  listen(this: void, heard: (id: string) => void): void
}

/** The sessions of one process, or of all that share them. */
export interface SessionStore {
  /** Undefined where no other process has these sessions. */
  readonly others?: OtherProcesses

  /** Adds a session, in place of the least recently used ones that are too many; resolves to the ids of those that have ended. */
  add(this: void, session: StoredSession, limits: SessionLimits): Promise<readonly string[]>
  /** The session, if it was used since. */
  find(this: void, id: string, usedSince: number): Promise<StoredSession | undefined>
  /** Notes that a session is used. */
  used(this: void, id: string, at: number): Promise<void>
  remove(this: void, id: string): Promise<void>
}

/** The sessions of one process alone, where the service is in another one and keeps none. */
export function createMemoryStore(): SessionStore {
  /** In the order of their use. */
  const sessions = new Map<string, StoredSession>()
  const keepNewest = (most: number, list: readonly StoredSession[]): string[] => {
    const oldest = list.slice(0, Math.max(0, list.length - most)).map(({ id }) => id)
    for (const id of oldest) sessions.delete(id)
    return oldest
  }
  return {
    add(session, { usedSince, perToken, total }) {
      const unused = [...sessions.values()].filter(({ usedAt }) => usedAt < usedSince)
      const ended = keepNewest(0, unused)
      sessions.set(session.id, session)
      const own = [...sessions.values()].filter(({ token }) => token === session.token)
      ended.push(...keepNewest(perToken, own), ...keepNewest(total, [...sessions.values()]))
      return Promise.resolve(ended)
    },
    find(id, usedSince) {
      const session = sessions.get(id)
      return Promise.resolve(session === undefined || session.usedAt < usedSince ? undefined : session)
    },
    used(id, at) {
      const session = sessions.get(id)
      sessions.delete(id)
      if (session !== undefined) sessions.set(id, { ...session, usedAt: at })
      return Promise.resolve()
    },
    remove(id) {
      sessions.delete(id)
      return Promise.resolve()
    },
  }
}
