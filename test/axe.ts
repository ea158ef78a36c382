import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * What is not accessible on the page as it is now, in light and in dark, one line each. It is run by the debugger, which a
 * page's policy against scripts does not bind; the context has JavaScript enabled.
 */
export async function inaccessible(page: Page): Promise<string[]> {
  await page.evaluate(source)
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const { violations } = await page.evaluate<AxeResults>('axe.run()')
    for (const { id, nodes } of violations) {
      found.push(...nodes.map(({ html, failureSummary }) => `${colorScheme}: ${id}: ${html}: ${failureSummary ?? ''}`))
    }
  }
  return found
}
