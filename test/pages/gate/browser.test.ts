import { expect, test } from 'vitest'
import { inaccessible } from '../../axe.ts'
import { chromiumPath, launchBrowser } from '../../browser.ts'
import { hostile } from '../rig.ts'
import { startGate } from './rig.ts'

if (chromiumPath === undefined) console.warn('skipped: no Chromium on this machine (apt-get install chromium)')
test.skipIf(chromiumPath === undefined)(
  'in Chromium a person signs in by the keyboard and reads why the release is blocked, without scripts and other origins',
  async () => {
    await using desk = await startGate()
    await using browser = await launchBrowser()
    const page = await (await browser.newContext()).newPage()
    const requested: string[] = []
    page.on('request', (request) => requested.push(new URL(request.url()).origin))
    await page.goto(`${desk.origin}/gate`)
    expect(await inaccessible(page)).toEqual([])
    await page.keyboard.press('Tab')
    await page.keyboard.insertText(desk.app.token)
    await page.keyboard.press('Enter')
    const verdict = page.getByRole('region', { name: 'Verdict', exact: true })
    expect(await verdict.innerText()).toMatch(/FAIL\s+Not ready to ship: \d+ blocking conditions fail/)
    expect(await inaccessible(page)).toEqual([])
    const shot = process.env['TRACEGATE_SCREENSHOTS']
    if (shot !== undefined) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.screenshot({ path: `${shot}/gate-${colorScheme}.png`, fullPage: true })
      }
      await page.pdf({ path: `${shot}/gate.pdf` })
    }
    expect(await page.getByLabel('Path to green').innerText()).toContain('To pass: 1 of 1 must change.')
    expect(await page.locator('.outside').allTextContents()).toContainEqual(expect.stringContaining(hostile))
    expect([await page.locator('script, img').count(), await page.title()]).toEqual([0, expect.stringMatching(/^FAIL/)])

    await page.getByRole('link', { name: 'Failing' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/filter=failing/)
    const rows = page.getByRole('group', { name: 'Traceability' }).locator('tbody tr')
    expect(await rows.count()).toBe(1)
    expect(await rows.innerText()).toContain('REQ-2')

    await page.setViewportSize({ width: 320, height: 640 })
    await page.goto(`${desk.origin}/gate?git_branch=${'x'.repeat(200)}`)
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain('git branch xxx')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    expect([...new Set(requested)]).toEqual([desk.origin])
    expect(desk.errors).toEqual([])
  },
)
