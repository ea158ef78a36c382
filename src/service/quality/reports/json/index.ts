import type { ParsedReport } from '../model/report.ts'
import { parseCtrf } from './ctrf.ts'
import { parseJestJson } from './jest.ts'
import { parsePlaywrightJson } from './playwright.ts'
import { parseVitestJson } from './vitest.ts'

/** Parsers of the JSON formats. Each throws `REPORT_UNPARSABLE` when the top-level members do not match its format. */
export const jsonParsers = {
  REPORT_FORMAT_CTRF: parseCtrf,
  REPORT_FORMAT_VITEST_JSON: parseVitestJson,
  REPORT_FORMAT_JEST_JSON: parseJestJson,
  REPORT_FORMAT_PLAYWRIGHT_JSON: parsePlaywrightJson,
} satisfies Partial<Record<ParsedReport['format'], (json: unknown) => ParsedReport>>
