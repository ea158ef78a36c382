import type { Database, Rows } from '../sql/database.ts'

/** A session of an MCP client of the 2025 revisions, as any process can go on with it. */
interface Session {
  id: string
  /** Hashes of what opened it and of its token. */
  owner: string
  token: string
  initialize: string
  usedAt: number
}

interface Address {
  uri: string
  digest: string
}

interface Message {
  seq: number
  session: string
  to: string
  body: string
}

export type SessionStore = ReturnType<typeof createSessionStore>

/** Longer than the clocks of two machines differ. */
const CLOCKS_DIFFER_MS = 60 * 60_000
/** Before the id of a session in a message to the other processes. */
const CHANGED = 'session:'
/** A message that nobody has taken by then is for a process that is gone. */
const KEPT_MS = 2 * 60_000
/** What may wait for the processes of one session, with what a row costs by itself. */
const WAITING_CHARACTERS = 4 * 1024 * 1024
const ROW_CHARACTERS = 1000

/** Sessions in the database: each change is told to the other processes, which have them too. */
export function createSessionStore(db: Database) {
  const changed = (id: string) => db.messages?.send(CHANGED + id)

  return {
    /**
     * Adds a session, in place of those that have ended and of the least recently used ones that are too many, whose ids it
     * resolves to.
     */
    async add(
      session: Session,
      limits: { usedSince: number; perToken: number; total: number },
    ): Promise<readonly string[]> {
      const { id, owner, token, initialize, usedAt } = session
      const removed = await db.write(async (rows) => {
        const value = { id, owner, token_hash: token, initialize, used_at: usedAt }
        await rows.insertInto('mcp_session').values(value).execute()
        const sessions = rows.selectFrom('mcp_session').select('id')
        // Those that come later than that count as the oldest: left by a clock that was ahead, they would displace every
        // new session until then. They are not removed for that alone: it may be this clock that is behind.
        const newest = sessions
          .orderBy((row) => row('used_at', '>', usedAt + CLOCKS_DIFFER_MS))
          .orderBy('used_at', 'desc')
          .orderBy('seq', 'desc')
        // SQLite has no OFFSET without a limit.
        const oldest = newest.limit(limits.total)
        const displaced = await Promise.all([
          sessions.where('used_at', '<', limits.usedSince).execute(),
          oldest.where('token_hash', '=', token).offset(limits.perToken).execute(),
          oldest.offset(limits.total).execute(),
        ])
        const ids = [...new Set(displaced.flat().map((row) => row.id))]
        await remove(rows, ids)
        return ids
      })
      for (const old of removed) changed(old)
      return removed
    },

    /** The session, if it was used since. */
    async find(id: string, usedSince: number): Promise<Session | undefined> {
      const row = await db.read
        .selectFrom('mcp_session')
        .selectAll()
        .where('id', '=', id)
        .where('used_at', '>=', usedSince)
        .executeTakeFirst()
      if (row === undefined) return undefined
      const { owner, initialize } = row
      return { id, owner, token: row.token_hash, initialize, usedAt: row.used_at }
    },

    async used(id: string, at: number): Promise<void> {
      await db.write((rows) => rows.updateTable('mcp_session').set({ used_at: at }).where('id', '=', id).execute())
    },

    async remove(id: string): Promise<void> {
      await db.write((rows) => remove(rows, [id]))
      changed(id)
    },

    others: {
      /** Keeps an address, which stays as it is if it is known; resolves to false if the session has as many as it may. */
      async subscribe(id: string, { uri, digest }: Address, most: number): Promise<boolean> {
        const isKept = await db.write(async (rows) => {
          const session = await rows.selectFrom('mcp_session').select('id').where('id', '=', id).executeTakeFirst()
          const known = await rows.selectFrom('mcp_subscription').select('uri').where('session_id', '=', id).execute()
          if (session === undefined) return false
          if (known.some((row) => row.uri === uri)) return true
          if (known.length >= most) return false
          await rows.insertInto('mcp_subscription').values({ session_id: id, uri, digest }).execute()
          return true
        })
        if (isKept) changed(id)
        return isKept
      },

      /** The client was told of the state with this digest. */
      async told(id: string, { uri, digest }: Address): Promise<void> {
        await db.write((rows) =>
          rows
            .updateTable('mcp_subscription')
            .set({ digest })
            .where('session_id', '=', id)
            .where('uri', '=', uri)
            .execute(),
        )
      },

      async unsubscribe(id: string, uri: string): Promise<void> {
        await db.write((rows) =>
          rows.deleteFrom('mcp_subscription').where('session_id', '=', id).where('uri', '=', uri).execute(),
        )
        changed(id)
      },

      /** The addresses of the sessions that have not ended, and what waits in them for this process or for all. */
      async look(
        ids: readonly string[],
        to: string,
      ): Promise<{ sessions: ReadonlyMap<string, Address[]>; messages: Message[] }> {
        const { read } = db
        const [sessions, addresses, messages] = await Promise.all([
          read.selectFrom('mcp_session').select('id').where(read.dialect.isOneOf('id', ids)).execute(),
          read.selectFrom('mcp_subscription').selectAll().where(read.dialect.isOneOf('session_id', ids)).execute(),
          read
            .selectFrom('mcp_message')
            .select(['seq', 'session_id as session', 'recipient as to', 'body'])
            .where(read.dialect.isOneOf('session_id', ids))
            .where('recipient', 'in', ['', to])
            .orderBy('seq')
            .execute(),
        ])
        const known = new Map<string, Address[]>(sessions.map(({ id }) => [id, []]))
        for (const { session_id: id, uri, digest } of addresses) known.get(id)?.push({ uri, digest })
        return { sessions: known, messages }
      },

      /** Leaves a message; resolves to false if too much waits for the session already. */
      async post({ session, to, body }: Omit<Message, 'seq'>, now: number): Promise<boolean> {
        const isLeft = await db.write(async (rows) => {
          await rows
            .deleteFrom('mcp_message')
            .where('sent_at', '<', now - KEPT_MS)
            .execute()
          const waiting = await rows
            .selectFrom('mcp_message')
            .select((given) => [
              given.fn.countAll<number>().as('rows'),
              given.fn.coalesce(given.fn.sum<number>(given.fn('length', ['body'])), given.val(0)).as('characters'),
            ])
            .where('session_id', '=', session)
            .executeTakeFirstOrThrow()
          const room = WAITING_CHARACTERS - waiting.characters - waiting.rows * ROW_CHARACTERS
          if (room < 0) return false
          const value = { session_id: session, recipient: to, body, sent_at: now }
          await rows.insertInto('mcp_message').values(value).execute()
          return true
        })
        if (isLeft) changed(session)
        return isLeft
      },

      /** Removes messages that have arrived. */
      async arrived(seqs: readonly number[]): Promise<void> {
        await db.write((rows) => rows.deleteFrom('mcp_message').where('seq', 'in', seqs).execute())
      },

      /** Calls `heard` with the id of each session that another process has changed. */
      listen(heard: (id: string) => void): void {
        db.messages?.listen((text) => {
          if (text.startsWith(CHANGED)) heard(text.slice(CHANGED.length))
        })
      },
    },
  }
}

async function remove(rows: Rows, ids: readonly string[]): Promise<void> {
  await rows.deleteFrom('mcp_session').where(rows.dialect.isOneOf('id', ids)).execute()
  await rows.deleteFrom('mcp_subscription').where(rows.dialect.isOneOf('session_id', ids)).execute()
  await rows.deleteFrom('mcp_message').where(rows.dialect.isOneOf('session_id', ids)).execute()
}
