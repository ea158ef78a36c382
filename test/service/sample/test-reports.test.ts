import { readFile, stat } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { parseReport } from '../../../src/service/quality/reports/index.ts'
import { readReport, reportsUrl, sampleRuns } from '../../../src/service/sample/test-reports.ts'
import { sampleReleases } from '../../../src/service/sample/product.ts'

const shopTests = new URL('../../../src/dev/sample-recorder/shop-tests/', import.meta.url)
const now = Date.parse('2030-05-04T12:00:00.000Z')

const reports = await Promise.all(
  sampleRuns.map(async (run) => ({ run, report: parseReport({ name: '', content: await readReport(run, now) }) })),
)

/** Where the cases lie in the shop's repository. */
const placeOf = (file: string) => file.replace('/srv/shop/', '')

describe('the recorded reports', () => {
  test('come from the two runners and have the same cases in each release', () => {
    expect(reports.map(({ report }) => report.format)).toEqual([
      'REPORT_FORMAT_PLAYWRIGHT_JSON',
      'REPORT_FORMAT_VITEST_JSON',
      'REPORT_FORMAT_VITEST_JSON',
      'REPORT_FORMAT_PLAYWRIGHT_JSON',
    ])
    expect(reports.map(({ report }) => report.cases.length)).toEqual([7, 51, 51, 7])
    expect(reports.flatMap(({ report }) => report.warnings)).toEqual([])
  })

  test('were made from the tests as they are; if not, run record-quality.ts', async () => {
    for (const { file_path: file, line, name } of reports.flatMap(({ report }) => report.cases)) {
      const text = await readFile(new URL(placeOf(file), shopTests), 'utf8')
      const [start = ''] = name.split(/(?<= its )/)
      expect(text.split('\n')[line - 1], `${file}:${String(line)}`).toContain(start)
    }
  })

  test('show the bugs that each release has, one flaky case, one skipped and one to be written', () => {
    const untold = reports.map(({ run, report }) => [
      `${run.runner} ${run.release}`,
      ...report.cases
        .filter(({ status }) => status !== 'RESULT_STATUS_PASSED')
        .map(({ status, name, attempts }) => `${status.slice(14)} ${name} (${String(attempts)})`)
        .toSorted(),
    ])
    expect(untold).toMatchInlineSnapshot(`
      [
        [
          "playwright shop@1.4.0",
          "FAILED is still there after a reload (2)",
          "FAILED leaves out what has no price in francs (2)",
        ],
        [
          "vitest shop@1.4.0",
          "FAILED [REQ-18] takes a maintenance page for a payment that failed (1)",
          "FAILED [REQ-7] count once when they build on each other (1)",
          "FLAKY [REQ-31] are what the carrier asks for less (2)",
          "SKIPPED [REQ-26] finds C++ and Coffee by its name (1)",
          "SKIPPED [REQ-29] warns when fewer than 5 pieces of an article are left (1)",
        ],
        [
          "vitest shop@1.4.1",
          "FAILED [REQ-12] goes to the address that a guest typed (1)",
          "FAILED [REQ-18] takes a maintenance page for a payment that failed (1)",
          "FLAKY [REQ-31] are what the carrier asks for less (2)",
          "SKIPPED [REQ-26] finds C++ and Coffee by its name (1)",
          "SKIPPED [REQ-29] warns when fewer than 5 pieces of an article are left (1)",
        ],
        [
          "playwright shop@1.4.1",
          "FAILED is still there after a reload (2)",
          "FAILED leaves out what has no price in francs (2)",
        ],
      ]
    `)
  })

  test('happened on staging after the release was deployed there, and start at the stated time', () => {
    for (const { run, report } of reports) {
      const went = sampleReleases.find(
        ({ version, environment }) => version === run.release && environment === 'staging',
      )
      expect(run.offset_ms).toBeGreaterThan(went?.released_offset_ms ?? 0)
      expect(report.started_at).toBe(now + run.offset_ms)
      expect(report.finished_at! - report.started_at!).toBeLessThan(180_000)
      for (const { started_at: started } of report.cases) {
        if (started === null) continue
        expect(started).toBeGreaterThanOrEqual(report.started_at!)
        expect(started).toBeLessThanOrEqual(report.finished_at!)
      }
    }
  })

  test('are small', async () => {
    const sizes = await Promise.all(sampleRuns.map(async ({ file }) => (await stat(new URL(file, reportsUrl))).size))
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(200_000)
  })
})
