import { randomBytes } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Api } from '../src/client/api.ts'
import { Capabilities } from '../src/client/capabilities/capabilities.ts'
import { createApi } from '../src/client/client.ts'
import { replyText, type Send } from '../src/contract/base/wire.ts'
import type { Platform } from '../src/service/shared/context.ts'
import type { LogEntry } from '../src/service/shared/log.ts'
import { reportWorker, sourceMapWorker } from '../src/cli/support/workers.ts'
import { openService, type Service, type ServiceOptions } from '../src/service/index.ts'
import { systemPlatform } from '../src/service/shared/platform.ts'
import type { Database } from '../src/service/sql/database.ts'
import { openDatabase } from '../src/service/sql/open/index.ts'
import { emptyDatabase } from './empty-database.ts'
import {
  borrowDatabase,
  createDatabase,
  databaseIn,
  useDatabase,
  usesPostgres,
  type TestDatabase,
} from './postgres/databases.ts'
import { baseAddress, reshaped } from './upstream/reshaped.ts'
import { testUpstream } from './upstream/switch.ts'

export const origin = 'http://127.0.0.1:4319'

/** A reply as a test reads it; `body` is the parsed JSON. */
export interface Reply<T = unknown> {
  status: number
  headers: Record<string, string>
  body: T
}

export interface App extends AsyncDisposable {
  service: Service
  /** The owner's typed client that tools get, into the service as `TRACEGATE_TEST_UPSTREAM` reshapes it. */
  api: Api
  token: string
  productId: string
  /** The first product's DSN key. */
  publicKey: string
  dataDir: string
  /** What the service logged. */
  logged: LogEntry[]
  /** A second connection to the same database, for what has no endpoint. */
  db: Database
  /** Its address. */
  database: string
  /** One request as the owner; `headers` add to or replace (undefined: remove) what is sent. */
  request<T = unknown>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string | undefined>,
  ): Promise<Reply<T>>
  /** Sends events as one envelope with the product's key; members that an event leaves out get usual values. */
  ingest(...events: Record<string, unknown>[]): Promise<Reply>
  close(): Promise<void>
}

export interface AppOptions extends Partial<Omit<ServiceOptions, 'platform'>> {
  /** Replaces the clock or the ids. */
  platform?: Partial<Platform>
  /** What to start with a copy of. */
  template?: Template
}

/** A data directory, and the name of the database that belongs to it if that is another place. */
export interface Template {
  dataDir: string
  database?: string | undefined
}

/**
 * The embedded service on a temporary data directory, every response compared with the contract. Without a rate limit
 * unless one is given. `await using app = await startApp()` cleans up.
 */
export async function startApp({ platform, template, ...options }: AppOptions = {}): Promise<App> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'tracegate-app-'))
  const own = options.dataDir === undefined && usesPostgres() ? await ownDatabase(template) : undefined
  if (own !== undefined) useDatabase(dataDir, own.url)
  const database = options.databaseUrl ?? (await databaseIn(dataDir))
  if (template !== undefined) cpSync(template.dataDir, dataDir, { recursive: true })
  else if (options.dataDir === undefined && !usesPostgres())
    writeFileSync(join(dataDir, 'tracegate.db'), await emptyDatabase())
  const logged: LogEntry[] = []
  const service = await openService({
    secret: 'a secret of the tests',
    version: '0.0.0-test',
    checkResponses: true,
    sourceMapWorker,
    reportWorker,
    log: (entry) => logged.push(entry),
    ...options,
    dataDir,
    ...(usesPostgres() && { databaseUrl: database }),
    platform: { ...systemPlatform, ...platform },
  })
  const send: Send = options.rate === undefined ? service.direct : service.handle
  const db = await openDatabase(database)
  const upstream = testUpstream()
  const capabilities = new Capabilities({ isComplete: upstream.length === 0 })
  const { token, productId } = service
  const publicKey = new URL(service.dsn(origin)).username

  async function close() {
    await service.close()
    await db.close()
    await own?.drop()
    if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true })
  }

  return {
    service,
    api: createApi({
      send: reshaped(send, ...upstream),
      baseUrl: baseAddress(origin, upstream),
      token,
      capabilities,
      via: 'mcp',
    }),
    token,
    productId,
    publicKey,
    dataDir,
    logged,
    db,
    database,
    request: (method, path, body, headers = {}) =>
      call(send, method, path, body, { authorization: `Bearer ${token}`, ...headers }),
    async ingest(...events) {
      const lines = events.flatMap((event) => ['{"type":"event"}', JSON.stringify({ ...usualEvent(), ...event })])
      const path = `/api/${productId}/envelope/?svc_key=${publicKey}`
      return call(send, 'POST', path, ['{}', ...lines].join('\n'), { 'content-type': 'application/x-svc-envelope' })
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

function ownDatabase(template: Template | undefined): Promise<TestDatabase> {
  return template === undefined ? borrowDatabase() : createDatabase(template.database)
}

async function call<T>(
  send: Send,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string | undefined>,
): Promise<Reply<T>> {
  const reply = await send({
    method,
    url: origin + path,
    headers,
    ...(body !== undefined && { body: toBytes(body) }),
  })
  const text = await replyText(reply)
  // What the caller expects is what its assertions prove.
  const parsed = (text === '' ? undefined : JSON.parse(text)) as T
  return { status: reply.status, headers: reply.headers, body: parsed }
}

/** Strings and bytes as they are, anything else as JSON. */
function toBytes(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body
  return new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))
}

function usualEvent() {
  return {
    event_id: randomBytes(16).toString('hex'),
    platform: 'node',
    level: 'error',
    exception: {
      values: [
        {
          type: 'TypeError',
          value: 'cart is undefined',
          stacktrace: {
            frames: [{ function: 'total', filename: 'src/cart/cart.ts', lineno: 12, colno: 5, in_app: true }],
          },
        },
      ],
    },
  }
}
