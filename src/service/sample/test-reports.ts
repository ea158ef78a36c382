import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { recordingUrl } from './recording.ts'

/** A run of the shop's tests, and the report that the runner wrote. */
export interface SampleRun {
  /** Name of the report's file. */
  file: string
  runner: 'vitest' | 'playwright'
  release: string
  run_key: string
  ci_url: string
  /** Time of its start, before the newest event. */
  offset_ms: number
}

const hour = 3_600_000

/** The folder of the reports. */
export const reportsUrl = new URL('./reports/', recordingUrl)

/** The runs on staging, oldest first, some hours after each release went there. */
export const sampleRuns: readonly SampleRun[] = [
  run('playwright', 'shop@1.4.0', { number: 4108, hoursAgo: 7 * 24 + 21 }),
  run('vitest', 'shop@1.4.0', { number: 4108, hoursAgo: 7 * 24 + 20 }),
  run('vitest', 'shop@1.4.1', { number: 4152, hoursAgo: 2 * 24 + 20 }),
  run('playwright', 'shop@1.4.1', { number: 4152, hoursAgo: 2 * 24 + 19 }),
]

function run(runner: SampleRun['runner'], release: string, { number, hoursAgo }: { number: number; hoursAgo: number }) {
  return {
    file: `${runner}-${release}.json`,
    runner,
    release,
    run_key: `ci-${String(number)}-${runner}`,
    ci_url: `https://ci.example/sample-shop/runs/${String(number)}`,
    offset_ms: -hoursAgo * hour,
  }
}

/** The report of a run as if it had been written until now: every time in it moves by the same amount. */
export async function readReport({ file, offset_ms }: SampleRun, now: number): Promise<object> {
  return moveReport(await readFile(new URL(file, reportsUrl), 'utf8'), now + offset_ms)
}

const Report = z.union([
  z.object({ startTime: z.number() }).transform(({ startTime }) => startTime),
  z.object({ stats: z.object({ startTime: z.iso.datetime() }) }).transform(({ stats }) => Date.parse(stats.startTime)),
])

/** A report of Vitest or Playwright that begins at `start` (epoch milliseconds). */
function moveReport(text: string, start: number): object {
  const byMs = start - Report.parse(JSON.parse(text))
  return JSON.parse(text, (name, value: unknown) => {
    if (name !== 'startTime' && name !== 'endTime') return value
    return typeof value === 'number' ? value + byMs : new Date(Date.parse(String(value)) + byMs).toISOString()
  }) as object
}
