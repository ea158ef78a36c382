import type { Send, WireReply } from '../../contract/base/wire.ts'
import { ServiceError } from '../../errors.ts'
import { stackText } from '../../lib/stack.ts'
import type { Platform } from '../shared/context.ts'
import type { Log } from '../shared/log.ts'
import { splitAddress } from '../shared/split-address.ts'
import { errorReply, jsonReply, toFailure } from './replies.ts'

interface Services {
  router: Send
  ingest: Send
  uploads: Send
  platform: Platform
}

/** Sends each request to the service that its path names. */
export function dispatch({ router, ingest, uploads, platform }: Services): Send {
  return async (request) => {
    const { path } = splitAddress(request.url)
    if (path.startsWith('/v1/')) return router(request)
    // DSNs with an extra slash are common.
    if (/^\/+api(?:\/|$)/.test(path)) return ingest(request)
    if (/^\/uploads(?:\/|$)/.test(path)) return uploads(request)
    const requestId = platform.newId()
    if (path === '/openapi.json' && request.method === 'GET') return openApiReply(requestId)
    return errorReply(new ServiceError('not_found', 'no such path; /openapi.json lists all'), requestId)
  }
}

/** Handles requests of uploads; failures are answered in the form of contract §0.4. It never rejects. */
export function uploadsHandler(uploads: { receive: Send }, platform: Platform, log: Log | undefined): Send {
  return async (request) => {
    try {
      return await uploads.receive(request)
    } catch (thrown) {
      const requestId = platform.newId()
      const failure = toFailure(thrown)
      const { status, message } = failure
      const error = stackText(failure.cause ?? failure)
      if (status >= 500 && failure.code !== 'unimplemented')
        log?.({ level: 'error', message, requestId, where: 'PUT /uploads', status, error })
      return errorReply(failure, requestId)
    }
  }
}

let openApiJson: Promise<string> | undefined

/** The contract as OpenAPI, built on first request, because few processes serve it. */
async function openApiReply(requestId: string): Promise<WireReply> {
  openApiJson ??= import('../../contract/openapi/index.ts').then(({ openApi }) => JSON.stringify(openApi()))
  return jsonReply(200, await openApiJson, requestId)
}
