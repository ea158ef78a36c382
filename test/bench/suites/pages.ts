import type { Browser } from 'playwright-core'
import { launchBrowser } from '../../browser.ts'
import { serve } from '../../serve.ts'
import { inTurn } from '../harness/measure.ts'
import type { Suite } from '../harness/suite.ts'

const ROUNDS = 15
const areas = ['triage', 'gate', 'coverage'] as const

/** What a person waits for, in Chromium on this machine. */
export const pages: Suite = {
  about: 'The pages of the sample in Chromium, each in a new tab: from the request to the first content on the screen.',
  onlyNamed: 'It needs Chromium.',
  async run() {
    await using served = await serve({ args: ['--sample'] })
    await using browser = await launchBrowser()
    const { origin } = new URL(served.endpoints.mcp)
    const open = await openTabs(browser, origin, served.endpoints.token)
    for (const area of areas) await open(area)
    const taken = await inTurn(
      { triage: () => open('triage'), gate: () => open('gate'), coverage: () => open('coverage') },
      ROUNDS,
    )
    const figures = areas.map((area) => ({
      name: `/${area}, first paint`,
      unit: 'ms' as const,
      values: taken[area],
      goals: [{ of: 'median' as const, most: 200 }],
    }))
    return [{ title: 'Pages for people', figures }]
  },
}

/** Run in the page, where its policy forbids to wait for an expression. */
const firstPaint = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    const [paint] = list.getEntriesByName('first-contentful-paint')
    if (paint) resolve(paint.startTime)
  }).observe({ type: 'paint', buffered: true })
})`

/** Signs in once; what is returned opens a page in a tab of its own and resolves to the milliseconds to its first paint. */
async function openTabs(browser: Browser, origin: string, token: string): Promise<(area: string) => Promise<number>> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${origin}/triage`)
  await page.getByLabel('Your API token').fill(token)
  await page.keyboard.press('Enter')
  await page.locator('.areas').waitFor()
  return async (area) => {
    const tab = await context.newPage()
    await tab.goto(`${origin}/${area}`)
    const value = await tab.evaluate<number>(firstPaint)
    await tab.close()
    return value
  }
}
