import { expect, test } from 'vitest'
import { promptTexts } from '../../../src/cli/pages/prompt-texts.ts'
import { startApp, type App } from '../../app.ts'
import { inaccessible } from '../../axe.ts'
import { chromiumPath, launchBrowser } from '../../browser.ts'
import { connect, defaults } from '../../mcp/clients.ts'
import { startSampleApp } from '../../sample-app.ts'
import { hostile } from '../rig.ts'
import { showIn } from './host.ts'

const uri = 'ui://tracegate/triage'
const result = 'ui/notifications/tool-result'
const prompts = promptTexts({ toolsets: ['default'], readOnly: false })

/** The view's file as a host reads it, with what it asks the host for. */
async function readView(app: App, options = defaults) {
  await using agent = await connect(app.api, { options })
  const { contents } = await agent.client.readResource({ uri })
  const [content] = contents
  return { text: content !== undefined && 'text' in content ? content.text : '', meta: content?._meta }
}

test('the view carries the prompt of its caller, and asks that it may copy it', async () => {
  await using app = await startApp()
  const { text, meta } = await readView(app)
  expect(meta).toEqual({ ui: { permissions: { clipboardWrite: {} } } })
  expect(text).toContain(JSON.stringify(prompts.fixIssue('ISSUE-0')).replaceAll('<', String.raw`\u003c`))
  const reading = await readView(app, { ...defaults, readOnly: true })
  expect(reading.text).toContain('ISSUE-0')
  expect(reading.text).not.toContain('Not before.')
})

if (chromiumPath === undefined) console.warn('skipped: no Chromium on this machine (apt-get install chromium)')

test.skipIf(chromiumPath === undefined)(
  'in Chromium a person filters the issues that were found and says the prompt of one in the conversation',
  async () => {
    await using app = await startSampleApp()
    await using agent = await connect(app.api)
    const found = await agent.call('find_error_issues', { limit: 15 })
    await using browser = await launchBrowser()
    const page = await (await browser.newContext()).newPage()
    const requested: string[] = []
    page.on('request', (request) => requested.push(request.url()))
    const { frame, heard, tell } = await showIn(page, (await readView(app)).text, { message: { text: {} } })
    await tell(result, { structuredContent: found.structured, content: [] })
    const issues = frame.locator('.issue')
    await issues.nth(14).waitFor()
    expect(await issues.first().innerText()).toMatch(/SHOP-7\s+regressed\s+TypeError: Cannot read/)
    const shot = process.env['TRACEGATE_SCREENSHOTS']
    if (shot !== undefined) await page.screenshot({ path: `${shot}/triage-view.png`, fullPage: true })
    expect(await inaccessible(page)).toEqual([])

    await frame.getByLabel('Text').fill('invalid time')
    await issues.nth(1).waitFor({ state: 'detached' })
    expect(await issues.locator('.key').innerText()).toBe('SHOP-20')
    await frame.getByRole('button', { name: 'Fix this SHOP-20' }).focus()
    await page.keyboard.press('Enter')
    await frame.getByRole('button', { name: 'Sent SHOP-20' }).waitFor()
    const content = [{ type: 'text', text: prompts.fixIssue('SHOP-20') }]
    expect((await heard()).filter(({ method }) => method === 'ui/message')).toMatchObject([
      { params: { role: 'user', content } },
    ])
    await frame.getByLabel('Text').fill('')
    await frame.getByLabel('Component').selectOption('Storefront')
    expect(await issues.first().innerText()).toContain('Storefront')
    expect(requested.filter((url) => !/^https:\/\/host\.example\/$|^about:/.test(url))).toEqual([])
  },
)

test.skipIf(chromiumPath === undefined)(
  'in Chromium where the host takes no messages the prompt is copied, or shown where that is not allowed',
  async () => {
    await using app = await startSampleApp()
    await using agent = await connect(app.api)
    const found = await agent.call('find_error_issues', { match: 'Invalid time' })
    await using browser = await launchBrowser()
    for (const [capabilities, word] of [
      [{ sandbox: { permissions: { clipboardWrite: {} } } }, 'Copied'],
      [{}, 'Copy below'],
    ] as const) {
      const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
      const page = await context.newPage()
      page.setDefaultTimeout(5000)
      const { frame, heard, tell } = await showIn(page, (await readView(app)).text, capabilities)
      await tell(result, { structuredContent: found.structured })
      await frame.getByRole('button', { name: 'Fix this SHOP-20' }).click()
      await frame.getByRole('button', { name: `${word} SHOP-20` }).waitFor()
      const text =
        word === 'Copied'
          ? await page.evaluate('navigator.clipboard.readText()')
          : await frame.getByLabel('Prompt').inputValue()
      expect(text).toBe(prompts.fixIssue('SHOP-20'))
      expect((await heard()).map(({ method }) => method)).not.toContain('ui/message')
    }
  },
)

test.skipIf(chromiumPath === undefined)(
  'in Chromium hostile titles are text, and an error is said as it is',
  async () => {
    await using app = await startApp()
    await app.ingest({ exception: { values: [{ type: 'Hostile', value: hostile }] } })
    await using agent = await connect(app.api)
    const found = await agent.call('find_error_issues')
    await using browser = await launchBrowser()
    const page = await browser.newPage()
    const { frame, tell } = await showIn(page, (await readView(app)).text)
    await tell(result, { structuredContent: found.structured })
    expect(await frame.locator('.issue-title').innerText()).toContain('script>document.title')
    expect(await frame.locator('img').count()).toBe(0)
    await tell(result, { isError: true, content: [{ type: 'text', text: hostile }] })
    await frame.locator('.note').waitFor()
    expect(await frame.locator('.note').innerText()).toBe(hostile)
  },
)
