import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const require = createRequire(import.meta.url)

/** The two published lines of the suite: only the newer one knows 2026-07-28. */
export const suites = {
  alpha: require.resolve('conformance-alpha/dist/index.js'),
  stable: require.resolve('@modelcontextprotocol/conformance/dist/index.js'),
} as const

interface Check {
  id: string
  status: string
  errorMessage?: string
}

export interface SuiteRun {
  exitCode: number | null
  /** What the suite printed. */
  output: string
  /** Every check it made, by scenario. */
  checks: Record<string, Check[]>
}

/** Runs the public conformance suite against an address. */
export async function runSuite(suite: keyof typeof suites, url: string, ...args: string[]): Promise<SuiteRun> {
  const directory = mkdtempSync(join(tmpdir(), 'tracegate-conformance-'))
  const child = spawn(process.execPath, [suites[suite], 'server', '--url', url, '-o', directory, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const exitCode = await new Promise<number | null>((done) => child.once('close', done))
  const checks = readChecks(directory)
  rmSync(directory, { recursive: true, force: true })
  return { exitCode, output, checks }
}

/** `server-<scenario>-<time>/checks.json` for each scenario that ran. */
function readChecks(directory: string): Record<string, Check[]> {
  return Object.fromEntries(
    readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => {
        const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '')
        // Written by the suite in this form; a change of it fails the assertions on what ran.
        const checks = JSON.parse(readFileSync(join(directory, name, 'checks.json'), 'utf8')) as Check[]
        return [scenario, checks]
      }),
  )
}

/** `check-id: why` of every check that failed. */
export function failedChecks(checks: readonly Check[] | undefined): string[] {
  return (checks ?? [])
    .filter(({ status }) => status === 'FAILURE')
    .map(({ id, errorMessage = '' }) => `${id}: ${errorMessage}`)
}
