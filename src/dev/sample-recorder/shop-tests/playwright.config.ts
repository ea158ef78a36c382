import { defineConfig } from '@playwright/test'

export default defineConfig({
  testDir: 'e2e',
  // Each test has a server of its own; two at once are enough for the machine that runs them.
  workers: 2,
  fullyParallel: true,
  retries: 1,
  timeout: 15_000,
  expect: { timeout: 3000 },
  use: {
    locale: 'en-GB',
    launchOptions: {
      executablePath: process.env['SHOP_CHROMIUM'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu'],
    },
  },
})
