import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Browser, Page } from 'playwright-core'
import { promptTexts } from '../../../src/cli/pages/prompt-texts.ts'
import { startApp } from '../../app.ts'
import { inaccessible } from '../../axe.ts'
import { chromiumPath, launchBrowser } from '../../browser.ts'
import { startSampleApp } from '../../sample-app.ts'
import { hostile, openDesk } from '../rig.ts'

if (chromiumPath === undefined) console.warn('skipped: no Chromium on this machine (apt-get install chromium)')

let browser: Browser
beforeAll(async () => {
  if (chromiumPath !== undefined) browser = await launchBrowser()
})
afterAll(async () => {
  if (chromiumPath !== undefined) await browser.close()
})

/** A page whose requests and complaints are collected. */
async function openTab(javaScriptEnabled = true) {
  const context = await browser.newContext({ javaScriptEnabled, permissions: ['clipboard-read', 'clipboard-write'] })
  const page = await context.newPage()
  const requested: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => requested.push(new URL(request.url()).origin))
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  return { page, requested, complaints }
}

/** Signs in with the keyboard alone: the field for the token is the first stop. */
async function signIn(page: Page, token: string) {
  await page.keyboard.press('Tab')
  await page.keyboard.insertText(token)
  await page.keyboard.press('Enter')
  await page.getByRole('navigation', { name: 'Areas' }).waitFor()
}

const prompts = promptTexts({ toolsets: ['default'], readOnly: false })

test.skipIf(chromiumPath === undefined)(
  'in Chromium a person comes from the address to the board, the gate and the coverage, filters, copies and signs out',
  async () => {
    await using desk = await openDesk(await startSampleApp())
    const { page, requested, complaints } = await openTab()
    await page.goto(desk.origin)
    expect(new URL(page.url()).pathname).toBe('/triage')
    expect(await inaccessible(page)).toEqual([])
    await signIn(page, desk.app.token)
    expect(await inaccessible(page)).toEqual([])

    await page.getByLabel('Text').fill('Invalid time')
    await page.keyboard.press('Enter')
    await page.waitForURL(/match=Invalid\+time/)
    const issues = page.locator('.issue')
    expect(await issues.count()).toBe(1)
    const [address, key] = [page.url(), await issues.locator('.key').innerText()]
    await page.getByRole('button', { name: `Copy prompt to fix ${key}` }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('The prompt is copied.').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(prompts.fixIssue(key))
    await page.locator('summary').first().focus()
    await page.keyboard.press('Enter')
    expect(await page.locator('pre').isVisible()).toBe(true)
    expect(await inaccessible(page)).toEqual([])

    await page.getByRole('link', { name: 'Gate', exact: true }).click()
    await page.getByRole('heading', { name: /Quality gate/ }).waitFor()
    await page.getByRole('link', { name: 'Coverage', exact: true }).click()
    await page.getByText('requirements verified').waitFor()
    expect(await inaccessible(page)).toEqual([])
    await page.getByLabel('Kind').selectOption({ label: 'failing' })
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.waitForURL(/type=GAP_TYPE_FAILING/)
    await page.locator('.gap-action a').first().click()
    await page.waitForURL(/triage\?product=1&issue=SHOP-/)
    expect(await issues.count()).toBe(1)

    await page.goto(address)
    expect(await issues.locator('.key').innerText()).toBe(key)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Your API token').waitFor()
    await page.goBack()
    expect(await page.locator('.issue').count()).toBe(0)
    expect(await page.context().cookies()).toEqual([])
    expect([...new Set(requested)]).toEqual([desk.origin])
    expect([complaints, desk.errors]).toEqual([[], []])
  },
)

test.skipIf(chromiumPath === undefined)(
  'in Chromium every area fits a phone and is accessible there, in light and in dark',
  async () => {
    await using desk = await openDesk(await startSampleApp())
    const { page } = await openTab()
    await page.setViewportSize({ width: 390, height: 800 })
    await page.goto(`${desk.origin}/triage`)
    await signIn(page, desk.app.token)
    for (const area of ['triage', 'gate', 'coverage']) {
      await page.goto(`${desk.origin}/${area}`)
      expect([area, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([area, 390])
      expect(await inaccessible(page)).toEqual([])
    }
  },
)

test.skipIf(chromiumPath === undefined)(
  'in Chromium without scripts the text of a prompt can be selected, and no button promises to copy it',
  async () => {
    await using desk = await openDesk(await startSampleApp())
    const { page } = await openTab(false)
    await page.goto(`${desk.origin}/triage?issue=SHOP-25`)
    await signIn(page, desk.app.token)
    expect(await page.getByRole('button', { name: 'Copy prompt' }).count()).toBe(0)
    await page.locator('summary').click()
    expect(await page.locator('pre').innerText()).toBe(prompts.fixIssue('SHOP-25'))
  },
)

test.skipIf(chromiumPath === undefined)(
  'in Chromium where the clipboard is closed the prompt is selected and the copy command takes it',
  async () => {
    await using desk = await openDesk(await startSampleApp())
    const { page } = await openTab()
    await page.addInitScript(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`)
    await page.goto(`${desk.origin}/triage?issue=SHOP-25`)
    await signIn(page, desk.app.token)
    await page.getByRole('button', { name: 'Copy prompt' }).click()
    await page.getByText(/The prompt is (?:copied|selected)/).waitFor()
    expect(await page.evaluate('String(getSelection())')).toBe(prompts.fixIssue('SHOP-25'))
  },
)

test.skipIf(chromiumPath === undefined)(
  'in Chromium hostile text of events neither runs nor leaves its place nor asks for another origin',
  async () => {
    const app = await startApp()
    await using desk = await openDesk(app)
    const value = `\u202e${hostile} ${'M'.repeat(10_000)}`
    await app.ingest({ exception: { values: [{ type: 'Hostile', value }] }, transaction: hostile, release: hostile })
    const { page, requested, complaints } = await openTab()
    await page.setViewportSize({ width: 390, height: 800 })
    await page.goto(`${desk.origin}/triage`)
    await signIn(page, desk.app.token)
    expect(await page.locator('.issue-title').innerText()).toContain('<script>document.title')
    expect(await page.title()).toBe('Triage – Tracegate')
    expect(await page.locator('img').count()).toBe(0)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    expect([...new Set(requested)]).toEqual([desk.origin])
    expect([complaints, desk.errors]).toEqual([[], []])
  },
)
