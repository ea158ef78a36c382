import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chromiumPath } from '../crashes/browser.ts'
import { buildShop, packagesFolder } from '../crashes/build.ts'
import { machine } from '../crashes/neutral.ts'
import { checkOutShop } from './repository.ts'

const longestMs = 180_000

/** Runs the shop's unit tests against one of its releases; resolves to Vitest's JSON report. */
export async function runUnitTests(folder: string, release: string): Promise<string> {
  const shop = join(folder, `unit-${release}`)
  await checkOutShop(shop, release)
  const report = join(shop, 'report.json')
  const vitest = join(packagesFolder, 'vitest/vitest.mjs')
  // The shop has short deadlines, which test files that run in parallel would miss.
  const options = ['run', '--no-file-parallelism', '--reporter=json', `--outputFile=${report}`]
  await runTests([vitest, ...options], shop, { SHOP_RELEASE: release })
  return neutralText(await readFile(report, 'utf8'), shop)
}

/**
 * Runs the shop's browser tests against the build of one release; resolves to Playwright's JSON report. The runner is
 * not a dependency of this project: `packages` is the `node_modules` of a folder that has `@playwright/test`.
 */
export async function runPageTests(folder: string, release: string, packages: string): Promise<string> {
  const { workspace } = await buildShop(join(folder, 'built'), release, { debugIds: false })
  const checkout = join(folder, `pages-${release}`)
  await checkOutShop(checkout, release)
  const shop = join(folder, `e2e-${release}`)
  await mkdir(shop)
  for (const entry of ['e2e', 'playwright.config.ts', 'package.json']) {
    await cp(join(checkout, entry), join(shop, entry), { recursive: true })
  }
  await symlink(packages, join(shop, 'node_modules'), 'dir')
  const report = join(shop, 'report.json')
  const environment = { SHOP_BUILD: workspace, SHOP_CHROMIUM: chromiumPath, PLAYWRIGHT_JSON_OUTPUT_NAME: report }
  await runTests([join(packages, '@playwright/test/cli.js'), 'test', '--reporter=json'], shop, environment)
  return neutralText(await readFile(report, 'utf8'), shop, [packages])
}

/** Runs a test runner; failed tests (exit code 1) do not make the run fail. */
async function runTests(args: readonly string[], cwd: string, environment: Record<string, string>): Promise<void> {
  const env = { PATH: process.env['PATH'], HOME: cwd, TZ: 'UTC', ...environment }
  await writeFile(join(cwd, 'report.json'), '')
  await promisify(execFile)(process.execPath, args, { cwd, env, timeout: longestMs, maxBuffer: 2 ** 24 }).catch(
    (error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 1) return
      throw error
    },
  )
}

/** The report without anything that reveals the recording machine. */
function neutralText(report: string, shop: string, packages: readonly string[] = []): string {
  const folders = packages.map((folder) => [folder, '/srv/shop/node_modules'] as const)
  const text = [[process.execPath, '/usr/bin/node'] as const, ...folders, ...machine(shop)].reduce(
    (kept, [own, instead]) => kept.replaceAll(own, instead),
    report,
  )
  return `${text.trimEnd()}\n`
}
