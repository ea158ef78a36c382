import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scopes } from '../../../../src/contract/base/endpoint.ts'
import type { Call } from '../../../../src/service/shared/context.ts'
import { insertProduct } from '../../../../src/service/workspace/products.ts'
import { firstStart } from '../../../../src/service/start/first-start.ts'
import { issueHandlers } from '../../../../src/service/handlers/issues.ts'
import { releaseHandlers } from '../../../../src/service/handlers/releases.ts'
import type { NormalEvent } from '../../../../src/service/errors/event/event.ts'
import { normalise } from '../../../../src/service/errors/ingest/normalise/index.ts'
import { createEventStore } from '../../../../src/service/errors/issues/record/store.ts'
import { systemPlatform } from '../../../../src/service/shared/platform.ts'
import { createSymbolicator } from '../../../../src/service/errors/sourcemaps/symbolicate/symbolicator.ts'
import { openDatabase, openForReading } from '../../../../src/service/sql/open/index.ts'
import { openNewDatabase } from '../../../postgres/databases.ts'

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** What tests vary of an event; `kind` names the function that crashed and thereby the issue. */
export interface Crash {
  id?: string
  kind?: string
  /** Milliseconds before now. */
  ago?: number
  environment?: string
  release?: string
  level?: string
  platform?: string
  user?: string
  /** Further members of the payload. */
  payload?: Record<string, unknown>
}

/** A real database with a product, the real store and the real handlers, and a clock that stands until it is moved. */
export async function openRig() {
  const folder = await mkdtemp(join(tmpdir(), 'tracegate-issues-'))
  const clock = { now: Date.parse('2026-11-21T12:00:00Z') }
  const platform = { now: () => clock.now, newId: () => systemPlatform.newId() }
  const { db, address } = await openNewDatabase(folder)
  const product = { name: 'Shop', slug: 'shop', key_prefix: 'SHOP' }
  const { productId, workspaceId } = await firstStart({ db, platform, dataDir: folder, product })
  const symbolicator = createSymbolicator({ db, tables: folder })
  const store = createEventStore({
    db,
    symbolicator,
    platform,
    onError: (error) => {
      throw error
    },
  })

  function crash({
    kind = 'pay',
    ago = 0,
    user,
    id = randomBytes(16).toString('hex'),
    ...rest
  }: Crash = {}): NormalEvent {
    const { environment, release, level, platform: runtime = 'node', payload } = rest
    const frame = { function: kind, filename: `src/${kind}.ts`, lineno: 7, colno: 3, in_app: true }
    const json = {
      timestamp: (clock.now - ago) / 1000,
      platform: runtime,
      environment,
      release,
      level,
      user: user === undefined ? undefined : { id: user },
      exception: { values: [{ type: 'Error', value: `${kind} failed`, stacktrace: { frames: [frame] } }] },
      ...payload,
    }
    return normalise(json, { eventId: id, receivedAt: clock.now, sizeBytes: 1000 })
  }

  const call: Call = {
    db,
    symbolicator,
    now: platform.now,
    newId: platform.newId,
    principal: {
      userId: 'user',
      displayName: 'Ada',
      tokenId: 'token',
      tokenName: 'tests',
      tokenKind: 'person',
      scopes: new Set(scopes),
      workspaceIds: [workspaceId],
    },
    actor: { type: 'ACTOR_TYPE_USER', id: 'user', display_name: 'Ada', user_id: 'user' },
    via: '',
    byAgent: false,
    endpoint: 'listIssues',
    origin: 'http://127.0.0.1:4319',
    validateOnly: false,
  }

  return {
    db,
    /** A connection that remembers nothing, as that of another process. */
    openAnother: () => openDatabase(address),
    /** A reader that keeps nothing from one read to the next. */
    openForgetful: () => openForReading(address),
    store,
    clock,
    platform,
    symbolicator,
    call,
    product_id: productId,
    productId: Number(productId),
    workspaceId,
    handlers: issueHandlers,
    crash,
    append: (facts?: Crash) => store.append(Number(productId), crash(facts)),
    /** The same with a server key. */
    appendVouched: (facts?: Crash) => store.append(Number(productId), crash(facts), { vouched: true }),
    /** Records a release, which makes it known, and resolves to its id. */
    async release(
      version: string,
      environment = 'production',
      details: { commit_sha?: string; released_at?: string } = {},
    ) {
      const input = { product_id: productId, version, environment, ...details }
      return (await releaseHandlers.upsertRelease(input, call)).release.id
    },
    /** All issues of the product, the oldest number first. */
    async issues() {
      const { issues } = await issueHandlers.listIssues({ product_id: productId, page_size: 200 }, call)
      return issues.toSorted((left, right) => Number(left.short_id.slice(5)) - Number(right.short_id.slice(5)))
    },
    async newProduct(prefix: string) {
      const facts = { name: prefix, slug: prefix.toLowerCase(), key_prefix: prefix }
      return (await db.write((rows) => insertProduct(rows, platform, workspaceId, facts))).id
    },
    async settings(change: Record<string, unknown>) {
      await db.write(async (rows) => {
        const { settings } = await rows
          .selectFrom('product')
          .select('settings')
          .where('id', '=', Number(productId))
          .executeTakeFirstOrThrow()
        const changed = JSON.stringify({ ...JSON.parse(settings), ...change })
        await rows.updateTable('product').set({ settings: changed }).where('id', '=', Number(productId)).execute()
      })
    },
    async [Symbol.asyncDispose]() {
      await store.idle()
      symbolicator.close()
      await db.close()
      await rm(folder, { recursive: true })
    },
  }
}

export type Rig = Awaited<ReturnType<typeof openRig>>
