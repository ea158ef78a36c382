import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type App } from '../../app.ts'
import { chromiumPath, launchBrowser } from '../../browser.ts'
import { serveMcp, type McpServed } from './http-server.ts'

let app: App
let server: McpServed
beforeAll(async () => {
  app = await startApp()
  await app.ingest({})
  server = await serveMcp(app)
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await app.close()
})

/** What the page runs: the client of the SDK, as an application in a browser bundles it. */
const script = `
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
globalThis.useTools = async ({ address, token, era }) => {
  const versionNegotiation = { mode: era === '2026-07-28' ? { pin: era } : 'legacy' }
  const client = new Client({ name: 'page', version: '1.0.0' }, { versionNegotiation })
  const requestInit = { headers: { authorization: 'Bearer ' + token } }
  const transport = new StreamableHTTPClientTransport(new URL(address), { requestInit })
  await client.connect(transport)
  const { tools } = await client.listTools()
  const result = await client.callTool({ name: 'find_error_issues', arguments: {} })
  const session = transport.sessionId
  if (session !== undefined) await transport.terminateSession()
  await client.close()
  return { tools: tools.length, text: result.content[0].text, session }
}
globalThis.refused = async (address) => {
  const response = await fetch(address, { method: 'POST', headers: { authorization: 'Bearer wrong' }, body: '{}' })
  return { status: response.status, challenge: response.headers.get('www-authenticate'), body: await response.json() }
}
`

async function bundled(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: script, resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}

/** A page of another port of this machine, which is another origin. */
async function servePage(): Promise<AsyncDisposable & { port: number }> {
  const code = await bundled()
  const pages = createServer(({ url }, outgoing) => {
    if (url === '/app.js') return void outgoing.setHeader('content-type', 'text/javascript').end(code)
    outgoing.setHeader('content-type', 'text/html').end('<!doctype html><script src="/app.js"></script>')
  })
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve))
  return {
    port: (pages.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise((resolve) => pages.close(() => resolve())),
  }
}

/** What `script` adds to the page. */
interface InPage {
  useTools(asked: { address: string; token: string; era: string }): Promise<unknown>
  refused(address: string): Promise<unknown>
  isReadable(address: string): Promise<boolean>
}

const evaluate = <T>(page: Page, expression: (inPage: InPage, asked: T) => Promise<unknown>, asked: T) =>
  page.evaluate(`(${expression.toString()})(globalThis, ${JSON.stringify(asked)})`)

if (chromiumPath === undefined) console.warn('skipped: no Chromium on this machine (apt-get install chromium)')
test.skipIf(chromiumPath === undefined)(
  'a page of another loopback origin uses tools in both revisions, reads a refusal, and a page elsewhere does not',
  async () => {
    await using pages = await servePage()
    await using browser = await launchBrowser()
    const page = await (await browser.newContext()).newPage()
    await page.goto(`http://localhost:${String(pages.port)}/`)
    const address = `${server.base}/mcp`
    const use = (era: string) =>
      evaluate(page, (inPage, asked) => inPage.useTools(asked), { address, token: app.token, era })
    const text = expect.stringContaining('1 unresolved error issue') as string
    expect(await use('2026-07-28')).toEqual({ tools: expect.any(Number) as number, text })
    expect(await use('2025-11-25')).toMatchObject({ text, session: expect.stringMatching(/^[\w-]{36}$/) as string })
    expect(await evaluate(page, (inPage, asked) => inPage.refused(asked), address)).toEqual({
      status: 401,
      challenge: 'Bearer realm="tracegate", error="invalid_token"',
      body: { jsonrpc: '2.0', error: { code: -32_000, message: 'the API token is not valid' }, id: null },
    })
    const sandboxed = await (await browser.newContext()).newPage()
    await sandboxed.goto(
      `data:text/html,<script>${encodeURIComponent(`globalThis.isReadable = (address) =>
      fetch(address, { method: 'POST', body: '{}' }).then(() => true, () => false)`)}</script>`,
    )
    expect(await evaluate(sandboxed, (inPage, asked) => inPage.isReadable(asked), address)).toBe(false)
    expect(server.errors).toEqual([])
  },
)
