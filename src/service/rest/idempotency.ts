import { randomUUID } from 'node:crypto'
import { ServiceError } from '../../errors.ts'
import { createTurns } from '../../lib/in-turn.ts'
import type { Platform } from '../shared/context.ts'
import type { Database, Rows } from '../sql/database.ts'

const keptMs = 24 * 60 * 60 * 1000
const prunedEveryMs = 10 * 60 * 1000
/** Written with the first change of the request; the response follows. */
const pending = 0
const done = 200
/** Delays between attempts to store the response to a change that was made. */
const storedAgainAfterMs = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000]

export interface RequestKey {
  tokenId: string
  /** `request_id` or the `Idempotency-Key` header. */
  key: string
  /** Hash of endpoint and input: another body under the same key is a mistake. */
  hash: string
}

export interface Idempotency {
  /**
   * Runs `work` once per key: a repetition within 24 h resolves to the stored response. `work` gets a database whose
   * first transaction also claims the key, so that neither a crash nor a second process runs it twice. Once `work` has
   * succeeded, so does the call: a response that cannot be stored yet is stored a little later. When it is refused, the
   * key is free again; after a bug it is not, because nobody knows what was done. Throws `REQUEST_ID_REUSED` and
   * `REQUEST_IN_PROGRESS`.
   */
  once(request: RequestKey, work: (db: Database) => Promise<string>): Promise<string>
  /** Makes a last attempt to store pending responses; call it before the database closes. */
  settled(): Promise<void>
}

export interface IdempotencyOptions {
  db: Database
  platform: Platform
  /** Called for responses that could not be stored and keys that could not be freed, which does not fail the call. */
  onError?: (error: unknown) => void
}

/** Idempotency keys of contract §0.6, kept in the database. */
export function createIdempotency({ db, platform, onError = () => {} }: IdempotencyOptions): Idempotency {
  const turns = createTurns<string>()
  const unstored = new Map<string, Unstored>()
  let prunedAt = -Infinity

  async function attempt(request: RequestKey, work: (db: Database) => Promise<string>): Promise<string> {
    const known = unstored.get(slotKey(request)) ?? (await find(db.read, request, platform.now() - keptMs))
    if (known !== undefined) return replayAnswer(known, request)
    const claim = createClaim(request, platform)
    try {
      const response = await work(claiming(db, claim))
      await store(request, response)
      return response
    } catch (thrown) {
      if (thrown instanceof ClaimedElsewhere) return replayAnswer(thrown.stored, request)
      if (claim.isMade && isRefusal(thrown)) await db.write((rows) => claim.release(rows)).catch(onError)
      throw thrown
    }
  }

  async function store(request: RequestKey, response: string, waits: readonly number[] = storedAgainAfterMs) {
    const slot = slotKey(request)
    try {
      await db.write((rows) => keep(rows, request, response, platform.now()))
      unstored.delete(slot)
    } catch (thrown) {
      onError(thrown)
      const [wait, ...later] = waits
      if (wait === undefined) return void unstored.delete(slot)
      const timer = setTimeout(() => void store(request, response, later), wait).unref()
      unstored.set(slot, { request, request_hash: request.hash, status: done, response, timer })
    }
  }

  async function prune() {
    const now = platform.now()
    if (now - prunedAt < prunedEveryMs) return
    prunedAt = now
    await db.write((rows) =>
      rows
        .deleteFrom('idempotency')
        .where('at', '<', now - keptMs)
        .execute(),
    )
  }

  return {
    async once(request, work) {
      const slot = slotKey(request)
      const isFirst = !turns.isBusy(slot)
      return turns.run(slot, async () => {
        if (isFirst) await prune()
        return attempt(request, work)
      })
    },

    async settled() {
      for (const { request, response, timer } of unstored.values()) {
        clearTimeout(timer)
        await store(request, response, [])
      }
    },
  }
}

function slotKey({ tokenId, key }: RequestKey): string {
  return `${tokenId}\n${key}`
}

interface Stored {
  request_hash: string
  status: number
  response: string
}

/** The response to a change that was made, kept until it can be stored. */
interface Unstored extends Stored {
  request: RequestKey
  timer: NodeJS.Timeout
}

class ClaimedElsewhere extends Error {
  readonly stored: Stored

  constructor(stored: Stored) {
    super('another process has claimed the request id')
    this.stored = stored
  }
}

/** A row that says that the request runs. */
interface Claim {
  /** Whether the transaction that makes it has ended, or has been cut into slices. */
  isMade: boolean
  /** Throws `ClaimedElsewhere`. */
  make(rows: Rows): Promise<void>
  /** Removes it, but not that of another process that came first. */
  release(rows: Rows): Promise<unknown>
}

function createClaim(request: RequestKey, platform: Platform): Claim {
  const { tokenId, key } = request
  // In the place of the response.
  const name = randomUUID()
  return {
    isMade: false,
    async make(rows) {
      const stored = await find(rows, request, platform.now() - keptMs)
      if (stored !== undefined) throw new ClaimedElsewhere(stored)
      await keep(rows, request, name, platform.now(), pending)
    },
    release: (rows) =>
      rows
        .deleteFrom('idempotency')
        .where('token_id', '=', tokenId)
        .where('key', '=', key)
        .where('response', '=', name)
        .execute(),
  }
}

function claiming(db: Database, claim: Claim): Database {
  return {
    read: db.read,
    batch: (work) => db.batch(work),
    writeInSlices: (work) =>
      db.writeInSlices(async (rows, prepare, pause) => {
        if (!claim.isMade) await claim.make(rows)
        claim.isMade = true
        return work(rows, prepare, pause)
      }),
    close: () => db.close(),
    async write(work) {
      if (claim.isMade) return db.write(work)
      const result = await db.write(async (rows, prepare) => {
        await claim.make(rows)
        return work(rows, prepare)
      })
      claim.isMade = true
      return result
    },
  }
}

/** Whether the request failed in a known way: after a bug nobody knows what was done. */
function isRefusal(thrown: unknown): boolean {
  return thrown instanceof ServiceError && thrown.code !== 'internal'
}

async function keep(rows: Rows, request: RequestKey, response: string, at: number, status = done) {
  const value = { request_hash: request.hash, status, response, at }
  await rows
    .insertInto('idempotency')
    .values({ token_id: request.tokenId, key: request.key, ...value })
    .onConflict((conflict) => conflict.columns(['token_id', 'key']).doUpdateSet(value))
    .execute()
}

function find(rows: Rows, { tokenId, key }: RequestKey, notBefore: number): Promise<Stored | undefined> {
  return rows
    .selectFrom('idempotency')
    .select(['request_hash', 'status', 'response'])
    .where('token_id', '=', tokenId)
    .where('key', '=', key)
    .where('at', '>=', notBefore)
    .executeTakeFirst()
}

function replayAnswer(stored: Stored, request: RequestKey): string {
  if (stored.request_hash !== request.hash) {
    throw new ServiceError('invalid_argument', 'request_id was used for another request; choose a new one', {
      reason: 'REQUEST_ID_REUSED',
      violations: [{ field: 'request_id', description: 'must be new for a new request' }],
    })
  }
  if (stored.status === done) return stored.response
  throw new ServiceError('aborted', 'a request with this request_id is under way or lost its answer; read the state', {
    reason: 'REQUEST_IN_PROGRESS',
  })
}
