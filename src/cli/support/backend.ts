import type { Api } from '../../client/api.ts'
import { Capabilities } from '../../client/capabilities/capabilities.ts'
import { createApi, type ClientOptions } from '../../client/client.ts'
import { networkSend } from '../../client/transport.ts'
import { createSendEvent, type SendEvent } from '../../client/send-event.ts'
import { createUpload, type Upload } from '../../client/upload.ts'
import type { Config } from '../../config.ts'
import type { Send } from '../../contract/base/wire.ts'
import type { Log } from '../../log.ts'
import { usedHere, type UsedConfirmations } from '../../mcp/confirm/used.ts'
import type { Service, ServiceOptions } from '../../service/index.ts'
import { version } from '../../version.ts'
import { lostDatabase, makeDataDir } from './data-dir.ts'
import { portFor } from './data-port.ts'
import { listeningOrigin, readEndpoints, requireNoOlderServer } from './endpoints.ts'
import { readSecret } from './secret.ts'
import { eventWorker, reportWorker, sourceMapWorker } from './workers.ts'
import { keepHeapSmall } from './memory.ts'

/** Where calls go: a deployment over the network, or the embedded service in this process. */
export interface Backend {
  send: Send
  /** Sends bytes to the presigned addresses that the service names. */
  upload: Upload
  /** Sends an event to the ingest that a DSN names. */
  sendEvent: SendEvent
  /** Base address without `/v1`. */
  baseUrl: string
  /** What is known of the deployment; shared by all clients. */
  capabilities: Capabilities
  /** Where confirmations are marked as used: in the database of an embedded service, for all its processes. */
  used: UsedConfirmations
  /** The token of the user who started this process; undefined where each caller brings one. */
  token?: string
  /** Set when the service runs in this process. */
  service?: Service
  close(): Promise<void>
}

/** The address that the embedded service puts into DSNs and links: the running server's, else the configured one. */
function embeddedUrl(config: Config): string {
  const { dataDir, origin, host } = config
  return origin ?? readEndpoints(dataDir)?.rest ?? listeningOrigin(host, portFor(config))
}

export interface BackendOptions {
  log: Log
  onProgress: (line: string) => void
  /** Counts what comes to ingest. */
  ingestCounts?: ServiceOptions['ingestCounts']
  /** The longest wait for an answer over the network, where the default is too short. */
  timeoutMs?: number
}

/** Opens the service that the configuration names. Rejects with `ConfigError` for what the user has to change. */
export async function openBackend(config: Config, options: BackendOptions): Promise<Backend> {
  if (config.baseUrl !== undefined) {
    const { baseUrl, proxy } = config
    const send = networkSend({ proxy, ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }) })
    const token = config.apiToken === undefined ? {} : { token: config.apiToken }
    return {
      send,
      upload: createUpload({ baseUrl, proxy }),
      sendEvent: createSendEvent({ baseUrl, proxy }),
      baseUrl,
      capabilities: new Capabilities(),
      used: usedHere,
      ...token,
      close: () => send.close(),
    }
  }
  makeDataDir(config.dataDir)
  const lost = config.databaseUrl === undefined ? lostDatabase(config.dataDir) : undefined
  if (lost !== undefined) options.log({ level: 'warn', message: `${lost}; starting with an empty one` })
  if (config.databaseUrl === undefined) await requireNoOlderServer(config.dataDir)
  const secret = readSecret(config)
  keepHeapSmall()
  const { openService } = await import('../../service/index.ts')
  const service = await openService({
    dataDir: config.dataDir,
    databaseUrl: config.databaseUrl,
    databaseListenUrl: config.databaseListenUrl,
    secret,
    sourceMapWorker,
    reportWorker,
    eventWorker,
    newIssuesPerHour: config.newIssuesPerHour,
    sample: config.sample,
    version,
    onProgress: options.onProgress,
    log: options.log,
    ingestCounts: options.ingestCounts,
  })
  const baseUrl = embeddedUrl(config)
  return {
    send: service.direct,
    upload: createUpload({ baseUrl, send: service.direct }),
    sendEvent: createSendEvent({ baseUrl, send: service.direct }),
    baseUrl,
    capabilities: new Capabilities({ isComplete: true }),
    used: service.used,
    token: service.token,
    service,
    close: () => service.close(),
  }
}

/** Where a backend marks confirmations as used, before it is open. */
export function usedBehind(open: () => Promise<Pick<Backend, 'used'>>): UsedConfirmations {
  return {
    has: async (nonce) => (await open()).used.has(nonce),
    take: async (...confirmation) => (await open()).used.take(...confirmation),
    giveBack: async (nonce) => (await open()).used.giveBack(nonce),
  }
}

/** The client of a backend for one token; `via` where it makes the calls of tools. */
export function apiFor(
  { send, baseUrl, capabilities }: Pick<Backend, 'send' | 'baseUrl' | 'capabilities'>,
  token: string,
  options: Pick<ClientOptions, 'via' | 'tracing'> = {},
): Api {
  return createApi({ send, baseUrl, capabilities, token, ...options })
}
