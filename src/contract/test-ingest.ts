import * as z from 'zod'
import {
  accept,
  CoverageEffect,
  Id,
  IdOrEmpty,
  Key,
  prefixed,
  ProductId,
  RequestId,
  ResultStatus,
  Sentence,
  Timestamp,
  TimestampInput,
  TruncationSignals,
  ValidateOnly,
} from './base/common.ts'
import { endpoint, MIB } from './base/endpoint.ts'
import { untrusted } from './base/text.ts'
import { EnvironmentNameOrEmpty, VersionOrEmpty } from './environments.ts'
import { NamesKnown, TestLevel } from './tests.ts'

const readFormats = [
  'CTRF',
  'JUNIT_XML',
  'VITEST_JSON',
  'JEST_JSON',
  'PLAYWRIGHT_JSON',
  'TAP',
  'GO_JSON',
  'TRX',
] as const
export const ReportFormat = prefixed('REPORT_FORMAT', ['AUTO', ...readFormats, 'NATIVE'])

/** What people call the formats of reports that are read. */
export const reportFormatNames: Readonly<Record<(typeof readFormats)[number], string>> = {
  CTRF: 'CTRF',
  JUNIT_XML: 'JUnit XML',
  VITEST_JSON: 'Vitest JSON',
  JEST_JSON: 'Jest JSON',
  PLAYWRIGHT_JSON: 'Playwright JSON',
  TAP: 'TAP',
  GO_JSON: 'go test -json',
  TRX: 'TRX',
}

/** All of them in one line, for descriptions, answers and help. */
export const reportFormatList = 'JUnit XML, TAP, TRX, CTRF, go test -json, or JSON of Vitest, Jest or Playwright'
export const IngestMode = prefixed('INGEST_MODE', ['RESULTS', 'DRAFT'])
export const MissingPolicy = prefixed('MISSING_POLICY', ['KEEP', 'DEPRECATE'])
export const IngestAction = prefixed('INGEST_ACTION', ['CREATED', 'UPDATED', 'RENAMED', 'UNCHANGED', 'SKIPPED'])
export const ContentEncoding = z.enum(['identity', 'base64', 'gzip+base64'])

export const TestRun = z.object({
  id: IdOrEmpty,
  run_key: untrusted(z.string()),
  commit_sha: untrusted(z.string()),
  git_branch: untrusted(z.string()),
  environment_id: IdOrEmpty,
  release_id: IdOrEmpty,
  started_at: Timestamp.nullable(),
  finished_at: Timestamp.nullable(),
  totals: z.object({
    tests: z.int(),
    passed: z.int(),
    failed: z.int(),
    skipped: z.int(),
    flaky: z.int(),
    errors: z.int(),
  }),
  ci_url: untrusted(z.string()),
})

export const Ingest = z.object({
  id: IdOrEmpty,
  format: ReportFormat,
  run: TestRun,
  summary: z.object({
    files: z.int(),
    suites_created: z.int(),
    cases_created: z.int(),
    cases_updated: z.int(),
    cases_unchanged: z.int(),
    cases_renamed: z.int(),
    results_recorded: z.int(),
    results_duplicate: z.int(),
    links_created: z.int(),
    link_proposals_created: z.int(),
    passed: z.int(),
    failed: z.int(),
    skipped: z.int(),
    blocked: z.int().describe('Those of `skipped` that prove nothing because the run failed around them.'),
    flaky: z.int(),
    errors: z.int(),
  }),
  cases: z
    .array(
      z.object({
        test_id: IdOrEmpty,
        key: Key,
        name: untrusted(z.string()),
        file_path: untrusted(z.string()),
        names_known: NamesKnown,
        action: IngestAction,
        status: ResultStatus,
        requirement_keys: z.array(Key),
      }),
    )
    .describe('At most 500.'),
  unresolved_refs: z.array(z.object({ ref: untrusted(z.string()), test_id: IdOrEmpty })),
  warnings: z.array(z.object({ code: Key, message: Sentence, file: untrusted(z.string()), line: z.int() })),
  coverage_effect: CoverageEffect,
  gate_stale: z.boolean(),
  truncation_signals: TruncationSignals,
})

const content = {
  content: z
    .union([z.string(), z.record(z.string(), z.unknown())])
    .describe('The report as the reporter wrote it: text, or the JSON object itself.'),
  format: accept(ReportFormat).optional().describe('Default REPORT_FORMAT_AUTO: detected from the content.'),
  content_encoding: ContentEncoding.optional(),
}

const CaseInput = z.object({
  file_path: z.string().max(500),
  suite_path: z.array(z.string().max(500)).max(20),
  name: z.string().min(1).max(1000),
  project: z.string().max(120).optional(),
  status: accept(ResultStatus),
  duration_ms: z.number().min(0).optional(),
  message: z.string().optional(),
  trace: z.string().optional(),
  attempts: z.int().min(1).optional(),
  tags: z.array(z.string()).max(100).optional(),
  requirement_keys: z.array(z.string().min(1)).max(100).optional(),
  line: z.int().min(0).optional(),
  external_id: z.string().max(200).optional(),
})

const Draft = z
  .object({
    ...content,
    content: content.content.optional(),
    files: z
      .array(
        z.object({
          name: z.string().min(1).max(500),
          ...content,
          folder: z
            .string()
            .max(500)
            .optional()
            .describe('Folder of the repository that relative paths in it are of. Default: the root.'),
        }),
      )
      .max(1000)
      .optional()
      .describe('Shards, or one report per file; a malformed report is a warning.'),
    cases: z.array(CaseInput).max(50_000).optional().describe('Cases that are not in a report format.'),
  })
  .describe('The JSON form. A report may also be the body itself (XML, TAP, JSON), with run.* and options.* as query.')

const Run = z.object({
  run_key: z.string().max(200).optional().describe('Shards with the same key belong to one run.'),
  commit_sha: z.string().max(64).optional(),
  git_branch: z.string().max(250).optional(),
  environment: EnvironmentNameOrEmpty.optional().describe('By name; created if missing.'),
  release: VersionOrEmpty.optional().describe('By version; created if missing.'),
  started_at: TimestampInput.optional(),
  ci_url: z.string().max(2000).optional(),
  shard_index: z.int().min(0).optional(),
  shard_total: z.int().min(1).optional(),
})

const Options = z.object({
  mode: accept(IngestMode).optional().describe('DRAFT creates cases only and records no results. Default RESULTS.'),
  create_missing: z.boolean().optional().describe('Default true.'),
  link_annotations: z.boolean().optional().describe('Link cases to the requirement keys in their names. Default true.'),
  root_dir: z.string().max(500).optional().describe('Stripped from file paths.'),
  missing_policy: accept(MissingPolicy)
    .optional()
    .describe('What to do with known cases that a reported file no longer contains.'),
  level: accept(TestLevel).optional(),
  branch_id: Id.optional(),
  max_trace_bytes: z.int().min(0).max(65_536).optional().describe('Default 8192.'),
})

export const ingestTests = endpoint({
  method: 'POST',
  path: '/v1/products/{product_id}/tests:ingest',
  summary: 'Ingest a test report: cases, results, links by annotation, coverage before and after.',
  input: {
    product_id: ProductId,
    draft: Draft,
    run: Run.optional(),
    options: Options.optional(),
    request_id: RequestId.optional(),
    validate_only: ValidateOnly.optional(),
  },
  returns: { ingest: Ingest },
  fails: ['invalid_argument', 'not_found', 'failed_precondition', 'payload_too_large'],
  reasons: ['REPORT_UNPARSABLE', 'REPORT_EMPTY', 'FORMAT_UNKNOWN', 'BRANCH_NOT_OPEN'],
  bodyLimitBytes: 32 * MIB,
  rawBody: {
    object: 'draft',
    member: 'content',
    query: ['run', 'options'],
    types: ['application/xml', 'text/xml', 'text/x-tap'],
  },
})
