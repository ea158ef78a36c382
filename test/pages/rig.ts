import type { AddressInfo } from 'node:net'
import { promptTexts } from '../../src/cli/pages/prompt-texts.ts'
import { createApi } from '../../src/client/client.ts'
import { downloadMatrix } from '../../src/client/download.ts'
import type { Send } from '../../src/contract/base/wire.ts'
import { createDoor } from '../../src/http/door.ts'
import { createPages } from '../../src/pages/index.ts'
import { origin as serviceOrigin, type App } from '../app.ts'

/** What outsiders and members write: markup that would run, ask for another origin or leave its place. */
export const hostile = `</td></script><script>document.title='run'</script><img src="https://evil.example/x" onerror="document.title='run'">`

export interface PagesDesk extends AsyncDisposable {
  app: App
  origin: string
  /** Bugs. */
  errors: unknown[]
  /** Of the sessions, in milliseconds. */
  clock: { now: number }
  /** Types a token, the owner's unless another is given; `read` then asks with the cookie. */
  signIn(options?: {
    area?: string
    next?: string
    token?: string
  }): Promise<{ reply: Response; cookie: string; read: (path: string) => Promise<Response> }>
}

/** Sends a form of a page's own origin. */
export function postForm(
  origin: string,
  fields: Record<string, string>,
  { area = 'gate', headers = {} }: { area?: string; headers?: Record<string, string> } = {},
) {
  const body = new URLSearchParams(fields)
  return fetch(`${origin}/${area}`, { method: 'POST', redirect: 'manual', headers: { origin, ...headers }, body })
}

/** The pages of a service at a door, which reads it through `wrap`. Closes the app with itself. */
export async function openDesk(
  app: App,
  wrap: (send: Send) => Send = (send) => send,
  { timeoutMs = 30_000 }: { timeoutMs?: number } = {},
): Promise<PagesDesk> {
  const errors: unknown[] = []
  const clock = { now: 1000 }
  const client = (token: string) => ({ send: wrap(app.service.direct), baseUrl: serviceOrigin, token })
  const pages = createPages({
    decisions: undefined,
    areas: {
      readerFor: (token) =>
        Promise.resolve({
          api: createApi(client(token)),
          download: (request, format, call) => downloadMatrix(request, format, client(token), call),
        }),
      now: () => clock.now,
      timeoutMs,
      prompts: promptTexts({ toolsets: ['default'], readOnly: false }),
    },
    onError: (error) => errors.push(error),
  })
  const server = createDoor({ pages, allowedHosts: ['127.0.0.1'], version: '1.2.3', log: () => undefined })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  // It listens on TCP.
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  return {
    app,
    origin,
    errors,
    clock,
    async signIn({ area = 'gate', next = '', token = app.token } = {}) {
      const reply = await postForm(origin, { api_token_once: token, next }, { area })
      const cookie = reply.headers.get('set-cookie')?.split(';')[0] ?? ''
      return { reply, cookie, read: (path: string) => fetch(origin + path, { headers: { cookie } }) }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
      await app.close()
    },
  }
}
