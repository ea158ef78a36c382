import type { Send } from '../contract/base/wire.ts'
import { createAuthenticator } from './rest/auth.ts'
import type { Platform } from './shared/context.ts'
import { changeOwnership, type ComponentOwnership } from './workspace/components/change-ownership.ts'
import { describeProduct, firstProduct } from './workspace/first-product.ts'
import type { ProductFacts } from './workspace/products.ts'
import { ingestAddresses, publicKeys } from './workspace/product-view.ts'
import { firstStart, makeDataDir } from './start/first-start.ts'
import { createHandlers } from './handlers/index.ts'
import { startHousekeeping } from './start/housekeeping.ts'
import { createIdempotency } from './rest/idempotency.ts'
import { createIngest, type IngestCounts } from './errors/ingest/index.ts'
import { createKeys } from './errors/ingest/keys.ts'
import { defaultLimits } from './errors/ingest/limits.ts'
import { createEventThread } from './errors/ingest/event-thread.ts'
import { backgroundClock, type Clock } from '../lib/clock.ts'
import type { Rate } from '../lib/token-bucket.ts'
import { createEventStore } from './errors/issues/record/store.ts'
import type { Log } from './shared/log.ts'
import { stackText } from '../lib/stack.ts'
import { systemPlatform } from './shared/platform.ts'
import { dispatch, uploadsHandler } from './rest/dispatch.ts'
import type { AgentDefinition } from './agents/define.ts'
import { createRunSignals } from './agents/events/signals.ts'
import { createRunner } from './agents/runs/runner.ts'
import { createReadiness } from './start/readiness.ts'
import { createSharedRates } from './processes/shared-rates.ts'
import { createSessionStore, type SessionStore } from './processes/sessions.ts'
import { createUsedKeys, type UsedKeys } from './processes/used-keys.ts'
import { createRunMessages } from './start/wake-others.ts'
import { agentTypes } from './agents/types/list.ts'
import { createRouter, defaultRate } from './rest/router.ts'
import { createOpenStreams } from './rest/streams/open-streams.ts'
import { sampleLoading } from './start/sample-loading.ts'
import { createFileStore } from './errors/sourcemaps/files/file-store.ts'
import { createSymbolicator } from './errors/sourcemaps/symbolicate/symbolicator.ts'
import { sourceMapFolders } from './errors/sourcemaps/uploads/folders.ts'
import { createUploads, type UploadLimits } from './errors/sourcemaps/uploads/uploads.ts'
import { createDraftReader } from './quality/test-ingest/draft-reader.ts'
import type { DatabaseLoad } from './sql/database.ts'
import { databaseAddress, openDatabase } from './sql/open/index.ts'

export interface ServiceOptions {
  /** Folder of the token, of source maps and, without `databaseUrl`, of the database; created with mode 0700. */
  dataDir: string
  /** A PostgreSQL database, `postgres://…`; without it, SQLite in the data directory. */
  databaseUrl?: string | undefined
  /** Another address of it for notifications, where `databaseUrl` leads to a pooler of transactions. */
  databaseListenUrl?: string | undefined
  /** The key of all signatures. */
  secret: string
  /** The version of this program. */
  version: string
  /** The module of the thread that reads source maps: a file, or a `data:` address. */
  sourceMapWorker: () => Promise<URL>
  /** The module of the thread that reads large test reports, in the same form. */
  reportWorker: () => Promise<URL>
  /** The module of the thread that reads events while many arrive, in the same form; without it, none does. */
  eventWorker?: (() => Promise<URL>) | undefined
  platform?: Platform | undefined
  /** Time of what waits; the system's by default. */
  clock?: Clock | undefined
  /** Fill an empty data directory with the sample product. */
  sample?: boolean | undefined
  /** Called with one line about each long step. */
  onProgress?: ((line: string) => void) | undefined
  log?: Log | undefined
  /** Counts requests and events of ingest, for metrics. */
  ingestCounts?: IngestCounts | undefined
  /** REST rate limit per token of `handle`; the default is the contract's. */
  rate?: Rate | undefined
  /** Compare every response with the contract. For tests. */
  checkResponses?: boolean | undefined
  /** New issues that events may start in a product in an hour; 0 is no limit. */
  newIssuesPerHour?: number | undefined
  /** Smaller limits of uploads. For tests. */
  uploadLimits?: UploadLimits | undefined
  /** Other agent types than those of the service. For tests. */
  agentTypes?: readonly AgentDefinition[] | undefined
}

export interface Service {
  /** Every path under /v1, /api, /uploads, and /openapi.json. */
  handle: Send
  /** The same without the REST rate limit: for the client in this process. */
  direct: Send
  /** The owner's API token. */
  token: string
  /** The first product: the sample shop where it was loaded. */
  productId: string
  /** The first product's DSN at an origin such as `http://127.0.0.1:4319`. */
  dsn(origin: string): string
  /** Names the unnamed first product, and gives a product without a repository one; what it has stays. */
  describeProduct(productId: string, facts: Pick<ProductFacts, 'name' | 'key_prefix' | 'repository'>): Promise<void>
  /** Changes owners and globs of components. */
  changeComponents(productId: string, changes: readonly ComponentOwnership[]): Promise<void>
  /** Keys that count once, in all processes on the database. */
  used: UsedKeys
  /** Sessions of MCP clients that every process can go on with. */
  sessions: SessionStore
  /** Why it cannot serve requests, for probes; undefined while it can. */
  readinessProblem(): Promise<string | undefined>
  /** What waits at this moment, for metrics. */
  load(this: void): ServiceLoad
  /** Ends the streams that are being read and opens no more, so that no connection waits for a run. Readers connect again. */
  endStreams(): void
  /** Waits for work in progress and closes the database; a second call waits for the first. */
  close(): Promise<void>
}

export interface ServiceLoad {
  database: DatabaseLoad
  /** Bytes of events that are not on disk yet. */
  ingestBytes: number
  /** Streams of agent runs that are being read. */
  streams: number
}

/** Opens the embedded service on a data directory, and sets up an empty one first (contract §0.5). */
export async function openService(options: ServiceOptions): Promise<Service> {
  const { dataDir, log, onProgress, platform = systemPlatform, clock = backgroundClock } = options
  await makeDataDir(dataDir)
  const database = databaseAddress(dataDir, options.databaseUrl)
  const db = await openDatabase(database, {
    listenUrl: options.databaseListenUrl,
    onSlow: (statement, durationMs) =>
      log?.({ level: 'warn', message: `slow statement: ${statement}`, where: 'database', durationMs }),
  })
  try {
    const sample = options.sample === true ? await sampleLoading({ db, dataDir, onProgress }) : undefined
    const product = sample?.product ?? firstProduct
    const first = await firstStart({ db, platform, dataDir, product, adopt: sample !== undefined })
    const onError = (where: string) => (error: unknown) =>
      log?.({ level: 'error', message: 'unexpected error', where, error: stackText(error) })

    const files = createFileStore({ db, platform })
    const { tables } = sourceMapFolders(dataDir)
    const onChanged = (productId: number) => thread?.changed(productId)
    const symbolicator = createSymbolicator({ db, tables, files, onChanged })
    const maxBytes = defaultLimits.eventBytes
    const onUsed = (ids: readonly string[]) => symbolicator.noteUsed(ids)
    const thread =
      options.eventWorker &&
      createEventThread({
        entry: options.eventWorker,
        database,
        tables,
        maxBytes,
        onUsed,
        onError: onError('thread of events'),
      })
    const store = createEventStore({
      newIssuesPerHour: options.newIssuesPerHour,
      db,
      platform,
      symbolicator,
      onError: onError('issue store'),
    })
    const uploads = createUploads({
      db,
      platform,
      dataDir,
      files,
      secret: options.secret,
      onIndexed: ({ productId, release, debugIds }) => store.sourceMapsAdded(productId, release, debugIds),
      takeUsed: () => symbolicator.takeUsed(),
      onRemoved: (productId) => symbolicator.changed(productId),
      onError: onError('uploads'),
      workerEntry: options.sourceMapWorker,
      limits: options.uploadLimits,
    })
    const signals = createRunSignals(clock)
    const others = createRunMessages(db.messages)
    const runner = createRunner({
      db,
      platform,
      clock,
      symbolicator,
      types: options.agentTypes ?? agentTypes,
      log,
      onChanged(runId) {
        signals.changed(runId)
        others.changed(runId)
      },
    })
    const reports = createDraftReader(options.reportWorker)
    const rates = createSharedRates({ platform, clock, messages: db.messages })
    const ingest = createIngest({
      rateLimit: rates.limit,
      store,
      keys: createKeys({ db, platform }),
      platform,
      thread,
      onError: onError('ingest'),
      onRefused: ({ message }) =>
        log?.({ level: 'warn', message: `an event was refused, which its SDK drops: ${message}`, where: 'ingest' }),
      counts: options.ingestCounts,
    })
    const authenticator = createAuthenticator({ db, platform, log })
    const idempotency = createIdempotency({ db, platform, onError: onError('idempotency') })
    const streams = createOpenStreams()
    const router = {
      handlers: createHandlers({
        version: options.version,
        onComponentsChanged: (productId) => store.componentsChanged(productId),
        uploads,
        reports,
        agents: {
          types: options.agentTypes ?? agentTypes,
          onStarted() {
            runner.queued()
            others.look()
          },
          onCancelled(runId) {
            runner.cancelled(runId)
            others.look()
          },
          signals,
          clock,
        },
      }),
      db,
      symbolicator,
      platform,
      authenticator,
      idempotency,
      streams,
      clock,
      checkResponses: options.checkResponses,
      log,
    }
    const services = { ingest: ingest.send, uploads: uploadsHandler(uploads, platform, log), platform }
    const rate = options.rate ?? defaultRate
    const direct = dispatch({ ...services, router: createRouter(router) })
    const handle = dispatch({ ...services, router: createRouter({ ...router, rate, rateLimit: rates.limit('rest') }) })

    const productId = Number(first.productId)
    const { token, created } = first
    await sample?.load({ send: direct, db, platform, token, productId, created, onProgress })
    const publicKey = (await publicKeys(db.read, [productId])).get(productId) ?? ''
    runner.begin()
    others.follow({ signals, runner })
    const housekeeping = startHousekeeping({
      db,
      platform,
      log,
      expireUploads: (signal) => uploads.expire(signal),
      removeUnusedMaps: (signal) => uploads.removeUnused(signal),
    })
    const close = async () => {
      await runner.stop()
      rates.close()
      streams.close()
      await housekeeping.stop()
      await uploads.close()
      await reports.close()
      await authenticator.settled()
      await idempotency.settled()
      await store.idle()
      await thread?.close()
      symbolicator.close()
      await db.close()
    }
    const readiness = createReadiness(db)
    let closing: Promise<void> | undefined
    return {
      handle,
      direct,
      token: first.token,
      productId: first.productId,
      async describeProduct(id, facts) {
        await db.write((rows) => describeProduct(rows, platform, Number(id), facts))
        store.componentsChanged(Number(id))
      },
      async changeComponents(id, changes) {
        if (changes.length === 0) return
        await db.write((rows) => changeOwnership(rows, platform, Number(id), changes))
        store.componentsChanged(Number(id))
      },
      dsn: (origin) => ingestAddresses(origin, productId, publicKey).dsn,
      used: createUsedKeys(db),
      sessions: createSessionStore(db),
      readinessProblem: readiness.problem,
      load: () => ({ database: db.load(), ingestBytes: ingest.waitingBytes(), streams: streams.count() }),
      endStreams() {
        readiness.stop()
        streams.close()
      },
      close: () => (closing ??= close()),
    }
  } catch (thrown) {
    await db.close()
    throw thrown
  }
}
