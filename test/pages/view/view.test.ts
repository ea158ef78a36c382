import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { buildView, viewSources } from '../../../src/dev/views.ts'
import { inaccessible } from '../../axe.ts'
import { chromiumPath, launchBrowser } from '../../browser.ts'
import { connect } from '../../mcp/clients.ts'
import { startGate } from '../gate/rig.ts'
import { showIn } from './host.ts'
import { hostile } from '../rig.ts'

const uri = 'ui://tracegate/gate'

test.each(Object.entries(viewSources))(
  'the file of the view %s is what its sources make, and small',
  async (_, view) => {
    const committed = readFileSync(view.file, 'utf8')
    expect(committed === (await buildView(view)), 'run: npm run views').toBe(true)
    expect(Buffer.byteLength(committed)).toBeLessThan(50_000)
  },
)

test('the tools name their view, which a host reads as an MCP App', async () => {
  await using desk = await startGate()
  await using agent = await connect(desk.app.api)
  const { client } = agent
  const { tools } = await client.listTools()
  const named = tools.filter(({ _meta }) => _meta !== undefined)
  expect(Object.fromEntries(named.map(({ name, _meta }) => [name, _meta]))).toEqual({
    find_error_issues: { ui: { resourceUri: 'ui://tracegate/triage' } },
    get_quality_gate: { ui: { resourceUri: uri } },
    compute_quality_gate: { ui: { resourceUri: uri } },
  })
  const { contents } = await client.readResource({ uri })
  expect(contents).toEqual([
    { uri, mimeType: 'text/html;profile=mcp-app', text: readFileSync(viewSources.gate.file, 'utf8') },
  ])
})

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
    const { frame, heard, tell } = await showIn(page, readFileSync(viewSources.gate.file, 'utf8'))

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
    expect(requested.filter((url) => !/^https:\/\/host\.example\/$|^about:/.test(url))).toEqual([])
  },
)
