import { downloadMatrix } from '../../client/download.ts'
import type { SendEvent } from '../../client/send-event.ts'
import type { Config } from '../../config.ts'
import type { Log } from '../../log.ts'
import { stackText } from '../../lib/stack.ts'
import type { ConfirmOptions } from '../../mcp/confirm/options.ts'
import { createDecisions, type Decisions } from '../../pages/confirm/decisions.ts'
import { createPages } from '../../pages/index.ts'
import type { Reader } from '../../pages/session/reading.ts'
import type { Pages } from '../../pages/support/router.ts'
import { surface } from '../../surface.ts'
import { apiFor, usedBehind, type Backend } from '../support/backend.ts'
import { readSecret } from '../support/secret.ts'
import { promptTexts } from './prompt-texts.ts'

/** The decisions that people take about calls of this configuration; the service is opened by the first one. */
export function openDecisions(
  { toolsets, readOnly, product, confirm, ...config }: Config,
  { backend, log, pageLink }: { backend: () => Promise<Backend>; log?: Log; pageLink?: ConfirmOptions['pageLink'] },
): Decisions {
  const sendEvent: SendEvent = async (...call) => (await backend()).sendEvent(...call)
  const deciding = {
    sendEvent,
    surface,
    options: { toolsets, readOnly, product },
    confirm: {
      mode: confirm,
      secret: () => readSecret(config),
      used: usedBehind(backend),
      ...(pageLink && { pageLink }),
    },
    ...(log && { onCall: (record: object) => log({ level: 'info', message: 'confirmed tool call', ...record }) }),
  }
  return createDecisions(deciding, async (token) => apiFor(await backend(), token))
}

/** The pages of this configuration; without the one that writes if it is read-only. */
export function openPages(
  config: Config,
  { backend, log, pageLink }: { backend: () => Promise<Backend>; log: Log; pageLink: ConfirmOptions['pageLink'] },
): Pages {
  return createPages({
    decisions: config.readOnly ? undefined : openDecisions(config, { backend, log, ...(pageLink && { pageLink }) }),
    areas: {
      readerFor: async (token) => readerFor(await backend(), token),
      product: config.product,
      prompts: promptTexts(config),
    },
    onError: (error) => log({ level: 'error', message: 'page failed', error: stackText(error) }),
  })
}

function readerFor(backend: Backend, token: string): Reader {
  const { send, baseUrl } = backend
  return {
    api: apiFor(backend, token),
    download: (request, format, call) => downloadMatrix(request, format, { send, baseUrl, token }, call),
  }
}
