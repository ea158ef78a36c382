import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import type { BrowserContextOptions } from 'playwright-core'
import { launchBrowser } from '../../test/browser.ts'
import { serve } from '../../test/serve.ts'

const root = resolve(import.meta.dirname, '../..')

/** Of the sample: the board for `README.md`, or with a folder every page, light and dark, wide and on a phone. */
async function takePictures(folder: string | undefined): Promise<void> {
  await using served = await serve({ args: ['--sample'] })
  await using browser = await launchBrowser()
  const { origin } = new URL(served.endpoints.mcp)
  const picture = async (options: BrowserContextOptions, area: string, path: string, fullPage: boolean) => {
    await using context = await browser.newContext(options)
    const page = await context.newPage()
    await page.goto(`${origin}/${area}`)
    await page.getByLabel('Your API token').fill(served.endpoints.token)
    await page.keyboard.press('Enter')
    await page.locator('.areas').waitFor()
    await page.screenshot({ path, fullPage })
  }
  if (folder === undefined) {
    mkdirSync(`${root}/docs`, { recursive: true })
    await picture({ viewport: { width: 1280, height: 800 } }, 'triage', `${root}/docs/triage.png`, false)
    return
  }
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 390]) {
      for (const area of ['triage', 'gate', 'coverage']) {
        const path = `${folder}/${area}-${colorScheme}-${String(width)}.png`
        await picture({ colorScheme, viewport: { width, height: 900 } }, area, path, false)
      }
    }
  }
}

await takePictures(process.argv[2])
