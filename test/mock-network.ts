import { HttpRequestInterceptor } from '@mswjs/interceptors/http'
import type { RequestHandler } from 'msw'
import { defineNetwork, InterceptorSource } from 'msw/experimental'
import { AsyncHandlersController } from 'msw/node'

/** msw at the socket level, so that undici's own connections are seen too (decision 018). A request without a handler is an error. */
export function mockNetwork(...handlers: RequestHandler[]) {
  return defineNetwork({
    sources: [new InterceptorSource({ interceptors: [new HttpRequestInterceptor()] })],
    handlers: new AsyncHandlersController(handlers),
    onUnhandledFrame: 'error',
    context: { quiet: true },
  })
}
