import { Agent, request } from 'node:http'
import { startServer, type Lines } from './processes.ts'

export type Era = '2026-07-28' | '2025-11-25'

/** Makes one call and rejects unless the answer is a result. */
export type Caller = (tool: string, args?: object) => Promise<void>

const clientInfo = { name: 'bench', version: '1.0.0' }
let lastId = 0

function message(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: (lastId += 1), method, params })
}

/** What a call is in each revision. */
const calls: Record<Era, (name: string, args: object) => string> = {
  '2025-11-25': (name, args) => message('tools/call', { name, arguments: args }),
  '2026-07-28': (name, args) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': clientInfo,
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    return message('tools/call', { name, arguments: args, _meta })
  },
}

const initialize = () => message('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })

interface Address {
  url: string
  token: string
  /** Connections that callers share; by default one. */
  agent?: Agent
}

/** A caller over HTTP that does no more than it must: the same for both servers. */
export function httpCaller({ url, token, agent = oneConnection() }: Address, era: Era): Caller {
  return async (name, args = {}) => {
    await post({ url, token, agent }, calls[era](name, args), {
      'mcp-protocol-version': era,
      ...(era === '2026-07-28' && { 'mcp-method': 'tools/call', 'mcp-name': name }),
    })
  }
}

/** A caller of the 2025 revisions in a session of its own. */
export async function sessionCaller({ url, token, agent = oneConnection() }: Address): Promise<Caller> {
  const { session } = await post({ url, token, agent }, initialize(), {})
  const headers = { 'mcp-protocol-version': '2025-11-25', 'mcp-session-id': session ?? '' }
  return async (name, args = {}) => {
    await post({ url, token, agent }, calls['2025-11-25'](name, args), headers)
  }
}

function oneConnection(): Agent {
  return new Agent({ keepAlive: true, maxSockets: 1 })
}

function post(
  { url, token, agent }: Required<Address>,
  body: string,
  extra: Readonly<Record<string, string>>,
): Promise<{ session: string | undefined }> {
  const headers = {
    authorization: `Bearer ${token}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...extra,
  }
  return new Promise((done, fail) => {
    const sent = request(url, { agent, method: 'POST', headers }, (reply) => {
      let text = ''
      reply.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      reply.once('error', fail).once('end', () => {
        const session = reply.headers['mcp-session-id']
        if (reply.statusCode === 200 && isResult(text)) return done({ session: session?.toString() })
        fail(new Error(`${String(reply.statusCode)} ${text.slice(0, 300)}`))
      })
    })
    sent.once('error', fail).end(body)
  })
}

function isResult(text: string): boolean {
  return text.includes('"result":') && !text.includes('"isError":true')
}

export interface StdioServer extends AsyncDisposable {
  call: Caller
  pid: number
}

/** A server of `servers.ts` over stdio, after its first call. */
export async function stdioServer(era: Era, ...args: string[]): Promise<StdioServer> {
  const lines = startServer(...args)
  if (era === '2025-11-25') {
    await exchange(lines, initialize())
    lines.write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))
  }
  const call: Caller = (name, given = {}) => exchange(lines, calls[era](name, given))
  return { call, pid: lines.pid, [Symbol.asyncDispose]: () => lines[Symbol.asyncDispose]() }
}

async function exchange(lines: Lines, text: string): Promise<void> {
  lines.write(text)
  const answer = await lines.next()
  if (!isResult(answer)) throw new Error(answer.slice(0, 300))
}
