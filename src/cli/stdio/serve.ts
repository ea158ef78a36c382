import type { Api } from '../../client/api.ts'
import type { SendEvent } from '../../client/send-event.ts'
import type { Upload } from '../../client/upload.ts'
import { credentialsProblem } from '../../config-checks.ts'
import { ConfigError, type Config } from '../../config.ts'
import { ServiceError } from '../../errors.ts'
import { createLog } from '../../log.ts'
import { stackText } from '../../lib/stack.ts'
import { createLocalFiles } from '../../mcp/files/local-files.ts'
import { tokenHash } from '../../mcp/http/auth.ts'
import { once } from '../../lib/once.ts'
import { CONFIRMATION_MS } from '../../mcp/confirm/token.ts'
import type { RequestId } from '../../mcp/opening/read.ts'
import { isMessageRefused, serveMcpStdio } from '../../mcp/stdio.ts'
import { TeachingError } from '../../mcp/result/teach.ts'
import { confirmPath } from '../../pages/confirm/path.ts'
import { gatePath } from '../../pages/gate/address.ts'
import type { Pages } from '../../pages/support/router.ts'
import { version } from '../../version.ts'
import { apiFor, openBackend, usedBehind, type Backend } from '../support/backend.ts'
import { readSecret } from '../support/secret.ts'
import type { Io } from '../support/io.ts'
import { openTracing } from '../telemetry/traces.ts'
import { createPageServer } from '../pages/page-server.ts'
import type { openPages } from '../pages/open-pages.ts'

/** What the start of the connection has left. */
interface Started {
  /** Requests on stdin that are answered. */
  answered: Set<RequestId>
  /** Resolves when the connection ends. */
  ended: Promise<void>
}

/** Serves MCP on stdin and stdout until the connection ends. The service is opened by the first tool call. */
export async function serve(config: Config, io: Io, { answered, ended }: Started): Promise<void> {
  const log = createLog(config.logLevel, io.logDestination)
  const tracing = await openTracing(io.env, log)
  let opening: Promise<Backend> | undefined
  const { toolsets, readOnly, product } = config
  const open = once(async () => {
    const problem = credentialsProblem(config)
    if (problem !== undefined) throw new ConfigError(problem)
    opening = openBackend(config, { log, onProgress: (message) => log({ level: 'info', message }) })
    return opening
  })
  async function openApi(): Promise<Api> {
    const backend = await open().catch(failForAgent)
    return apiFor(backend, backend.token ?? '', { via: 'mcp', tracing })
  }
  const upload: Upload = async (...call) => (await open()).upload(...call)
  const sendEvent: SendEvent = async (...call) => (await open()).sendEvent(...call)
  const pageLink = (code: string) => pages.link(confirmPath(code), CONFIRMATION_MS)
  const pages = createPageServer({ pages: () => loadPages(config, { backend: open, log, pageLink }), log, io })
  const handle = serveMcpStdio({
    stdin: io.stdin,
    stdout: io.stdout,
    answered,
    openApi,
    options: { toolsets, readOnly, product },
    version,
    local: createLocalFiles(config.roots),
    upload,
    sendEvent,
    caller: config.apiToken === undefined ? '' : tokenHash(config.apiToken),
    confirm: { mode: config.confirm, secret: () => readSecret(config), pageLink, used: usedBehind(open) },
    gatePage: (scope) => pages.link(gatePath(scope), GATE_PAGE_MS),
    tracing,
    onError(error) {
      if (isMessageRefused(error)) log({ level: 'warn', message: 'MCP message refused', error: error.message })
      else log({ level: 'error', message: 'MCP failure', error: stackText(error) })
    },
    onCall: (record) => log({ level: 'info', message: 'tool call', ...record }),
  })
  // A stream that was paused stays paused when a listener is added.
  io.stdin.resume()
  await ended
  await handle.close()
  await pages.close()
  await opening?.then(
    (backend) => backend.close(),
    () => undefined,
  )
  await tracing?.close()
}

/** How long the page of a verdict can be opened after it was named. */
const GATE_PAGE_MS = 30 * 60_000

/** The code of pages is loaded with the first link. */
async function loadPages(...facts: Parameters<typeof openPages>): Promise<Pages> {
  const pages = await import('../pages/open-pages.ts')
  return pages.openPages(...facts)
}

/** This process's stderr may go unread, so the agent is given what the user has to change. */
function failForAgent(error: unknown): never {
  const lesson = { hint: 'tell the user; once it is fixed, call again.' }
  if (error instanceof ConfigError)
    throw new TeachingError('failed_precondition', error.message, lesson, { cause: error })
  if (error instanceof ServiceError && error.code === 'failed_precondition')
    throw new TeachingError(error.code, error.message, lesson, { reason: error.reason, cause: error })
  throw error
}
