import { execFile, spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ResponseOf } from '../../src/contract/index.ts'
import { chromiumPath, launchBrowser } from '../browser.ts'
import { servePublished } from '../cli/published.ts'
import { eventually, type Served } from '../serve.ts'

const run = promisify(execFile)
const fixture = (name: string) => join(import.meta.dirname, 'fixtures', name)
const python = '/usr/bin/python3'
const hasPythonSdk = spawnSync(python, ['-c', 'import sentry_sdk']).status === 0
if (!hasPythonSdk) console.warn('skipped: no python3-sentry-sdk on this machine (apt-get install python3-sentry-sdk)')
if (chromiumPath === undefined) console.warn('skipped: no Chromium on this machine (apt-get install chromium)')

type Issues = ResponseOf<'listIssues'>
type IssueWithEvent = ResponseOf<'getIssue'>

let app: Served
beforeAll(async () => {
  app = await servePublished()
})
afterAll(() => app[Symbol.asyncDispose]())

/** The issue whose title starts so, once it has been seen that often. */
function issueTitled(title: string, timesSeen = 1) {
  return eventually(`issue ${title}`, async () => {
    const { issues } = await app.rest<Issues>('GET', `/v1/products/${app.endpoints.product_id}/issues`)
    return issues.find((issue) => issue.title.startsWith(title) && issue.times_seen >= timesSeen)
  })
}

test('100 equal crashes under the real @sentry/node are one issue seen 100 times', async () => {
  await run(process.execPath, [fixture('node-crash.mjs'), app.endpoints.dsn, '100'])
  const issue = await issueTitled('CartError', 100)
  expect(issue).toMatchObject({ times_seen: 100, users_affected: 1, level: 'error', platform: 'node' })
  expect(issue.first_release).toMatchObject({ version: 'cart@2.0.1', known: false })

  const { latest_event: event } = await app.rest<IssueWithEvent>('GET', `/v1/issues/${issue.id}`)
  expect(event?.exceptions.map(({ type }) => type)).toEqual(['TypeError', 'CartError'])
  expect(event?.tags).toContainEqual({ key: 'checkout', value: 'express' })
  expect(event?.breadcrumbs.at(-1)).toMatchObject({ category: 'cart' })
  expect(event).toMatchObject({ environment: 'production', server_name: 'web-1', user: { id: 'user-17' } })
  const crash = event?.exceptions[0]?.frames.at(-1)
  expect(crash).toMatchObject({ function: 'priceOf', in_app: true })
  expect(crash?.context_line).toContain('item.price.amount')
})

test.skipIf(!hasPythonSdk)("a crash under Debian's Python SDK arrives over /store/", async () => {
  await run(python, [fixture('python-crash.py'), app.endpoints.dsn])
  const issue = await issueTitled('TypeError: ')
  const { latest_event: event } = await app.rest<IssueWithEvent>('GET', `/v1/issues/${issue.id}`)
  expect(issue).toMatchObject({ platform: 'python', culprit: expect.stringContaining('charge') as string })
  expect(event).toMatchObject({ environment: 'staging', release: 'billing@5.1', sdk: { name: 'sentry.python' } })
})

test.skipIf(chromiumPath === undefined)(
  'an uncaught error under the real @sentry/browser in Chromium arrives',
  async () => {
    const { outputFiles } = await build({
      entryPoints: [fixture('browser-crash.ts')],
      bundle: true,
      write: false,
      define: { DSN: JSON.stringify(app.endpoints.dsn) },
    })
    const script = outputFiles[0]?.text ?? ''
    const pages = createServer((request, reply) => {
      const isScript = request.url === '/wishlist.js'
      reply.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
      reply.end(isScript ? script : '<!doctype html><title>Wishlist</title><script src="/wishlist.js"></script>')
    })
    await new Promise<void>((ready) => pages.listen(0, '127.0.0.1', ready))
    const browser = await launchBrowser()
    try {
      const page = await browser.newPage()
      await page.goto(`http://127.0.0.1:${String((pages.address() as AddressInfo).port)}/`)
      const issue = await issueTitled('TypeError: Cannot read properties of undefined')
      const { latest_event: event } = await app.rest<IssueWithEvent>('GET', `/v1/issues/${issue.id}`)
      expect(issue).toMatchObject({ platform: 'javascript', handled: false })
      expect(event).toMatchObject({ release: 'web@3.2.0', environment: 'production' })
      expect(event?.exceptions[0]?.frames.at(-1)?.function).toContain('titleOf')
    } finally {
      await browser.close()
      pages.close()
    }
  },
)
