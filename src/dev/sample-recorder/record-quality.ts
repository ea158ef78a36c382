import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { importRequirements } from './quality/requirements.ts'
import { runPageTests, runUnitTests } from './quality/test-runs.ts'
import { reportsUrl, sampleRuns } from '../../service/sample/test-reports.ts'
import { requirementsUrl } from '../../service/sample/requirements.ts'

/** Imports the requirements from the shop's documents and writes them to the recordings. */
async function recordRequirements(): Promise<void> {
  const requirements = await importRequirements()
  await writeFile(requirementsUrl, `${JSON.stringify(requirements, undefined, 1)}\n`)
  console.info(`${String(requirements.length)} requirements in ${relative('.', fileURLToPath(requirementsUrl))}`)
}

/** Runs the shop's tests and records the reports of the runners. Nothing leaves this machine. */
async function recordReports(packages: string): Promise<void> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'sample-tests-')))
  try {
    await mkdir(reportsUrl, { recursive: true })
    for (const { file, runner, release } of sampleRuns) {
      const report =
        runner === 'vitest' ? await runUnitTests(folder, release) : await runPageTests(folder, release, packages)
      await writeFile(new URL(file, reportsUrl), report)
      console.info(`${file}: ${String(report.length)} characters`)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2)
  await recordRequirements()
  // Playwright's test runner is only needed here, so the project does not depend on it.
  if (folder === undefined) console.info('for the reports: npm install --prefix DIR @playwright/test, then give DIR')
  else await recordReports(await realpath(resolve(folder, 'node_modules')))
}
