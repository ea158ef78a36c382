import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findEvent, parseEnvelope } from '../../../src/service/sample/envelope.ts'
import { record } from '../../../src/dev/sample-recorder/record-crashes.ts'
import { chromiumPath } from '../../../src/dev/sample-recorder/crashes/browser.ts'
import { browserScenarios } from '../../../src/dev/sample-recorder/crashes/browser-scenarios.ts'
import { nodeScenarios } from '../../../src/dev/sample-recorder/crashes/node-scenarios.ts'
import { on, type Scenario } from '../../../src/dev/sample-recorder/crashes/scenario.ts'

let into: string

beforeAll(async () => {
  into = await mkdtemp(join(tmpdir(), 'sample-recording-'))
})
afterAll(() => rm(into, { recursive: true, force: true }))

test('the recorder crashes the server in Node and keeps what the SDK sent', async () => {
  const server = once(nodeScenarios, 'country without tax rates')
  const lines = await record({ into, server, pages: [] })
  expect(lines).toMatchObject([{ offset_ms: 0, headers: {}, path: expect.stringContaining('sentry.javascript.node') }])
  expect(eventIn(lines)).toMatchObject({
    platform: 'node',
    release: 'shop@1.4.1',
    environment: 'production',
    exception: { values: [{ type: 'TypeError' }] },
    request: { url: 'https://shop.example/api/cart?country=NO' },
  })
  expect(await readdir(join(into, 'bundles/shop@1.4.1/server'))).toHaveLength(2)
})

test('the recorder crashes the page in Chromium and keeps what the SDK sent', async (context) => {
  if (!existsSync(chromiumPath)) context.skip(`there is no ${chromiumPath} to record with`)
  const pages = once(browserScenarios, 'wished delivery day that is no date')
  const lines = await record({ into, server: [], pages })
  expect(lines).toMatchObject([{ offset_ms: 0, path: expect.stringContaining('sentry.javascript.browser') }])
  expect(eventIn(lines)).toMatchObject({
    platform: 'javascript',
    release: 'shop@1.4.1',
    exception: { values: [{ type: 'RangeError', value: 'Invalid time value' }] },
    request: { url: 'https://shop.example/' },
    debug_meta: { images: [{ code_file: expect.stringMatching(/^https:\/\/shop\.example\/assets\/app-\w+\.js$/) }] },
  })
})

/** One scenario, happening once. */
function once<Kind extends Scenario>(scenarios: readonly Kind[], name: string): Kind[] {
  const found = scenarios.filter((scenario) => scenario.name === name)
  return found.map((scenario) => ({ ...scenario, runs: [on('production', '1.4.1', '0s')] }))
}

function eventIn([line]: Awaited<ReturnType<typeof record>>) {
  return line && 'body' in line ? findEvent(parseEnvelope(line.body)) : undefined
}
