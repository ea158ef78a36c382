import type { AddressInfo } from 'node:net'
import type { Api } from '../../../src/client/api.ts'
import { createApi } from '../../../src/client/client.ts'
import { createDoor } from '../../../src/http/door.ts'
import type { Confirmed, Tool } from '../../../src/mcp/define/define.ts'
import type { Surface } from '../../../src/mcp/surface/listing.ts'
import { createDecisions, type Decisions } from '../../../src/pages/confirm/decisions.ts'
import { confirmPath } from '../../../src/pages/confirm/path.ts'
import { createPages } from '../../../src/pages/index.ts'
import { origin as serviceOrigin, startApp, type App } from '../../app.ts'
import { connect } from '../../mcp/clients.ts'
import { thingSurface, type Thing } from '../../mcp/confirm/things.ts'

/** What was written: by whom, and by which way it was confirmed. */
export interface Change {
  by: string | undefined
  way: Confirmed['way'] | undefined
}

export interface Desk extends AsyncDisposable {
  app: App
  origin: string
  decisions: Decisions
  thing: Thing
  written: Change[]
  /** Bugs. */
  errors: unknown[]
  clock: { now: number }
  /** Lets an agent call a tool that asks, and returns the link of its answer. */
  prepare(tool: string, reason?: string): Promise<string>
}

/** The confirmation page at a door, with tools that change a thing of the service's first product. */
export async function startDesk(): Promise<Desk> {
  const app = await startApp()
  const thing: Thing = { text: 'Orders are kept.', written: [] }
  const written: Change[] = []
  const errors: unknown[] = []
  const clock = { now: Date.parse('2026-11-22T12:00:00Z') }
  const surface = inProduct(thingSurface(thing), app.productId, written)
  const confirm = { mode: 'page' as const, secret: () => 'a secret of the operator, long enough', now: () => clock.now }
  const apiFor = (token: string) => createApi({ send: app.service.direct, baseUrl: serviceOrigin, token })
  const decisions = createDecisions({ surface, options: { toolsets: ['default'], readOnly: false }, confirm }, apiFor)
  const server = createDoor({
    pages: createPages({ decisions, onError: (error) => errors.push(error) }),
    allowedHosts: ['127.0.0.1'],
    version: '1.2.3',
    log: () => undefined,
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  // It listens on TCP.
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  const pageLink = (code: string) => Promise.resolve(origin + confirmPath(code))
  const agent = await connect(app.api, { surface, confirm: { ...confirm, pageLink } })
  return {
    app,
    origin,
    decisions,
    thing,
    written,
    errors,
    clock,
    async prepare(tool, reason = 'The user asked.') {
      const { text } = await agent.call(tool, { thing: 'REQ-12', reason })
      return /^page: (?<link>\S+)$/m.exec(text)?.groups?.['link'] ?? `no link in: ${text}`
    },
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]()
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
      await app.close()
    },
  }
}

/** The tools, which can be seen and run only with a token that sees the product. */
function inProduct(surface: Surface, productId: string, written: Change[]): Surface {
  const read = async (api: Api) => void (await api.listIssues({ product_id: productId, page_size: 1 }))
  const tools = surface.tools.map((tool): Tool => ({
    ...tool,
    async confirm(args, context) {
      await read(context.api)
      const question = await tool.confirm?.(args, context)
      if (question === undefined) throw new Error(`${tool.name} asks nothing`)
      return question
    },
    async run(args, context) {
      const answer = await tool.run(args, context)
      const { user } = await context.api.getMe({})
      written.push({ by: user.display_name, way: context.confirmed?.way })
      return answer
    },
  }))
  return { ...surface, tools }
}
