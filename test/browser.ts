import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

const candidates = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The machine's own browser, or undefined: tests that need one then say so and skip. */
export const chromiumPath = candidates.find((path) => path !== undefined && existsSync(path))

/** Headless, and quiet: without these flags Chromium looks up its maker's hosts at every start. */
export function launchBrowser(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('no Chromium on this machine: apt-get install chromium')
  return chromium.launch({
    executablePath: chromiumPath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
