import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { gateView, gateViewFile } from '../../../src/dev/views.ts'
import { inaccessible } from '../../axe.ts'
import { chromiumPath, launchBrowser } from '../../browser.ts'
import { connect } from '../../mcp/clients.ts'
import { startGate } from '../gate/rig.ts'
import { hostile } from '../rig.ts'

const uri = 'ui://tracegate/gate'

test('the file of the view is what its sources make, and small', async () => {
  const committed = readFileSync(gateViewFile, 'utf8')
  expect(committed === (await gateView()), 'run: npm run views').toBe(true)
  expect(Buffer.byteLength(committed)).toBeLessThan(150_000)
})

test('the tools of the gate name the view, which a host reads as an MCP App', async () => {
  await using desk = await startGate()
  await using agent = await connect(desk.app.api)
  const { client } = agent
  const { tools } = await client.listTools()
  const named = tools.filter(({ _meta }) => _meta !== undefined)
  expect(Object.fromEntries(named.map(({ name, _meta }) => [name, _meta]))).toEqual({
    get_quality_gate: { ui: { resourceUri: uri } },
    compute_quality_gate: { ui: { resourceUri: uri } },
  })
  const { contents } = await client.readResource({ uri })
  expect(contents).toEqual([{ uri, mimeType: 'text/html;profile=mcp-app', text: readFileSync(gateViewFile, 'utf8') }])
})

/** A host that shows the view in a sandboxed frame and passes it what it is told; `heard` has the view's messages. */
async function showIn(page: Page) {
  const html = readFileSync(gateViewFile, 'utf8')
  await page.route('http://host.example/', (route) => route.fulfill({ contentType: 'text/html', body: hostPage }))
  await page.goto('http://host.example/')
  await page.evaluate(`start(${JSON.stringify(html).replaceAll('</', String.raw`<\/`)})`)
  await page.waitForFunction(`heard.some(({ method }) => method === 'ui/notifications/initialized')`)
  const frame = page.frameLocator('iframe')
  return {
    frame,
    heard: () => page.evaluate<{ method?: string; params?: unknown }[]>('heard'),
    tell: (method: string, params: unknown) =>
      page.evaluate(`tell(${JSON.stringify({ jsonrpc: '2.0', method, params })})`),
  }
}

const hostPage = `<!doctype html><html lang="en"><title>Host</title><main><h1>Host</h1></main><script>
  const heard = []
  let frame
  function tell(message) { frame.contentWindow.postMessage(message, '*') }
  function start(html) {
    addEventListener('message', ({ data }) => {
      heard.push(data)
      if (data.method !== 'ui/initialize') return
      tell({ jsonrpc: '2.0', id: data.id, result: { protocolVersion: data.params.protocolVersion, hostContext: { theme: 'dark' } } })
    })
    frame = document.createElement('iframe')
    frame.title = 'View'
    frame.style = 'width:100%;height:2000px;border:0'
    frame.sandbox = 'allow-scripts'
    frame.srcdoc = html
    document.querySelector('main').append(frame)
  }
</script></html>`

if (chromiumPath === undefined) console.warn('skipped: no Chromium on this machine (apt-get install chromium)')
test.skipIf(chromiumPath === undefined)(
  'in Chromium a host shows the results of the tools, hostile text is text, and nothing is requested or called',
  async () => {
    await using desk = await startGate()
    await using agent = await connect(desk.app.api)
    const computed = await agent.call('compute_quality_gate')
    const matrix = await agent.call('get_quality_gate', { view: 'traceability' })
    await using browser = await launchBrowser()
    const page = await (await browser.newContext()).newPage()
    const requested: string[] = []
    page.on('request', (request) => requested.push(request.url()))
    const { frame, heard, tell } = await showIn(page)

    await tell('ui/notifications/tool-result', { structuredContent: computed.structured, content: [] })
    const verdict = frame.getByRole('region', { name: 'Verdict', exact: true })
    expect(await verdict.innerText()).toMatch(/FAIL\s+Not ready to ship: \d+ blocking conditions fail/)
    expect(await frame.getByRole('region', { name: 'Path to green' }).innerText()).toContain('To pass: 1')
    expect(await frame.locator('.outside').allTextContents()).toContainEqual(expect.stringContaining('</script>'))
    expect(await frame.locator('img, a').count()).toBe(0)
    const shot = process.env['TRACEGATE_SCREENSHOTS']
    if (shot !== undefined) await page.screenshot({ path: `${shot}/view.png`, fullPage: true })
    expect(await inaccessible(page)).toEqual([])

    await tell('ui/notifications/tool-result', { structuredContent: matrix.structured })
    const rows = frame.getByRole('group', { name: 'Traceability', exact: true }).locator('tbody tr')
    await rows.nth(2).waitFor()
    expect(await frame.getByText('Waiting').count()).toBe(0)
    await frame.getByRole('button', { name: 'Failing' }).focus()
    await page.keyboard.press('Enter')
    await rows.nth(1).waitFor({ state: 'detached' })
    expect(await rows.innerText()).toContain('REQ-2')
    expect(await inaccessible(page)).toEqual([])

    await tell('ui/notifications/tool-result', { structuredContent: { data: { verdict: { status: 'not stated' } } } })
    await frame.getByText('Not decided').waitFor()
    expect(await verdict.innerText()).toMatch(/not stated\s+Not decided\s+The reason is not stated\./)
    await tell('ui/notifications/tool-result', { isError: true, content: [{ type: 'text', text: hostile }] })
    expect(await frame.locator('.note').innerText()).toBe(hostile)
    expect(new Set((await heard()).map(({ method }) => method))).toEqual(
      new Set(['ui/initialize', 'ui/notifications/initialized', 'ui/notifications/size-changed']),
    )
    expect(requested.filter((url) => !/^http:\/\/host\.example\/$|^about:/.test(url))).toEqual([])
  },
)
