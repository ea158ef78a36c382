import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Browser, Page } from 'playwright-core'
import { inaccessible } from '../../axe.ts'
import { chromiumPath, launchBrowser } from '../../browser.ts'
import { startDesk, type Desk } from './rig.ts'

if (chromiumPath === undefined) console.warn('skipped: no Chromium on this machine (apt-get install chromium)')

const hostile = `</dd><script>document.title='run'</script><img src="https://evil.example/x" onerror="document.title='run'">\u202e`

let desk: Desk
let browser: Browser
beforeAll(async () => {
  if (chromiumPath === undefined) return
  ;[desk, browser] = await Promise.all([startDesk(), launchBrowser()])
})
afterAll(async () => {
  if (chromiumPath === undefined) return
  await browser.close()
  await desk[Symbol.asyncDispose]()
})

/** A page whose requests are collected. */
async function openTab(javaScriptEnabled: boolean): Promise<{ page: Page; requested: string[]; errors: string[] }> {
  const context = await browser.newContext({ javaScriptEnabled })
  const page = await context.newPage()
  const requested: string[] = []
  const errors: string[] = []
  page.on('request', (request) => requested.push(new URL(request.url()).origin))
  page.on('console', (message) => errors.push(message.text()))
  return { page, requested, errors }
}

test.skipIf(chromiumPath === undefined)(
  'without JavaScript, a person corrects a key and decides with the keyboard alone, and nothing of it is kept',
  async () => {
    desk.thing.text = hostile
    const { page, requested, errors } = await openTab(false)
    const link = await desk.prepare('approve_thing', hostile)
    await page.goto(link)
    expect(await page.title()).toBe('Clear REQ-12 for good? – Tracegate')
    const shown = hostile.replace('\u202e', '')
    expect(await page.locator('dd', { hasText: 'script' }).allTextContents()).toEqual([
      shown.replaceAll('<', '‹'),
      shown,
    ])
    expect(await page.locator('script, img, iframe').count()).toBe(0)

    const type = async (key: string) => {
      await page.keyboard.press('Tab')
      await page.keyboard.type(key)
      await page.keyboard.press('Tab')
      await page.keyboard.type(desk.app.token)
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
    }
    await type('REQ-13')
    await page.waitForSelector('.note.bad')
    expect(await page.locator('.note').innerText()).toContain('what was typed is not REQ-12')
    expect(await page.getByLabel('Your API token').inputValue()).toBe('')
    expect(desk.written).toEqual([])

    await type('REQ-12')
    await page.waitForSelector('.note.good')
    expect(await page.locator('dl').innerText()).toContain('Cleared.')
    expect(desk.written).toMatchObject([{ way: 'page' }])
    expect(await page.content()).not.toContain(desk.app.token)
    expect(await page.context().cookies()).toEqual([])
    expect(new Set(requested)).toEqual(new Set([desk.origin]))
    // The browser reports what the policy blocks.
    expect(errors.filter((text) => !text.includes('400'))).toEqual([])
  },
)

test.skipIf(chromiumPath === undefined)(
  'the question, a refusal and the result are accessible in light and in dark, on a phone and on paper',
  async () => {
    desk.thing.text = 'Orders are kept.'
    const { page } = await openTab(true)
    await page.goto(await desk.prepare('delete_thing', 'x'.repeat(1000)))
    expect(await inaccessible(page)).toEqual([])
    await page.setViewportSize({ width: 320, height: 640 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    desk.thing.asks = `Merge quality branch ${'x'.repeat(100)}`
    await page.goto(await desk.prepare('delete_thing'))
    expect(await page.getByRole('button').innerText()).toContain('xxx')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    desk.thing.asks = undefined
    await page.goto(await desk.prepare('delete_thing'))
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('dl').isVisible()).toBe(true)
    expect(await page.locator('form').isVisible()).toBe(false)
    await page.emulateMedia({ media: 'screen' })
    await page.getByLabel('Type REQ-12 to confirm').fill('no')
    await page.getByLabel('Your API token').fill(desk.app.token)
    await page.getByRole('button').click()
    await page.waitForSelector('.note.bad')
    expect(await inaccessible(page)).toEqual([])
    await page.getByLabel('Type REQ-12 to confirm').fill('REQ-12')
    await page.getByLabel('Your API token').fill(desk.app.token)
    await page.getByRole('button').click()
    await page.waitForSelector('.note.good')
    expect(await inaccessible(page)).toEqual([])
  },
)

test.skipIf(chromiumPath === undefined)('a double click and a reload show the outcome of the first click', async () => {
  desk.thing.text = 'Orders are kept.'
  desk.written.length = 0
  const { page } = await openTab(true)
  await page.goto(await desk.prepare('change_things'))
  await page.getByLabel('Your API token').fill(desk.app.token)
  await page.getByRole('button').dblclick({ noWaitAfter: true })
  await page.waitForSelector('.note.good')
  await page.reload()
  expect(await page.locator('dl').innerText()).toContain('Cleared.')
  expect(desk.written).toHaveLength(1)
})
