import './instrument.ts'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Catalogue } from '../catalogue/catalogue.ts'
import { feed } from '../catalogue/feed.ts'
import { type Session, Sessions } from '../session/session.ts'
import { NotFoundError, ShopError } from '../support/errors.ts'
import { release } from '../support/release.ts'
import { api } from './api.ts'
import { identify, report, tag } from './report.ts'
import { findRoute } from './router.ts'

const sessions = new Sessions()
const routes = api(Catalogue.fromFeed(feed), sessions)

const server = createServer((request, response) => {
  answer(request).then(
    (result) => send(response, 200, result ?? {}),
    (error: unknown) => {
      report(error)
      const status = error instanceof ShopError ? error.status : 500
      send(response, status, { error: error instanceof ShopError ? error.message : 'something went wrong' })
    },
  )
})

server.listen(Number(process.env['SHOP_PORT'] ?? 8080), '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ listening: server.address(), release })}\n`)
})

async function answer(request: IncomingMessage): Promise<unknown> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://shop')
  const session = sessionOf(request)
  if (session) identify(session)
  tag({ channel: request.headers['x-shop-channel']?.toString() ?? 'web' })
  const match = findRoute(routes, request.method ?? 'GET', pathname)
  if (!match) throw new NotFoundError(`nothing at ${pathname}`)
  const body = request.method === 'POST' ? await readJson(request) : undefined
  return match.route.handle({ params: match.params, query: searchParams, body, ...(session && { session }) })
}

function sessionOf(request: IncomingMessage): Session | undefined {
  const id = /\bsid=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1]
  return id ? sessions.get(id) : undefined
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text ? JSON.parse(text) : undefined
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
