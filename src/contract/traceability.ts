import * as z from 'zod'
import {
  accept,
  CodeRefSource,
  CoverageState,
  Hash,
  Id,
  IdOrEmpty,
  IssueStatus,
  Key,
  Level,
  NamedRef,
  prefixed,
  Priority,
  ProductId,
  Ref,
  ResultStatus,
  RiskLevel,
  Timestamp,
} from './base/common.ts'
import { endpoint, paging, pagingResult } from './base/endpoint.ts'
import { gateScope } from './quality-gate/gate.ts'
import { VerdictStatus } from './quality-gate/policy.ts'
import { LinkRole, LinkState } from './links.ts'
import { RequirementKind, RequirementStatus } from './requirements.ts'
import { NamesKnown, TestLevel } from './tests.ts'
import { team, untrusted } from './base/text.ts'

export const MatrixView = prefixed('MATRIX_VIEW', ['ROWS', 'GRID'])
export const GridState = z.enum(['passed', 'failed', 'skipped', 'not_run', 'suspect'])

export const TraceabilityRow = z.object({
  requirement: z.object({
    id: Id,
    key: Key,
    title: team(z.string()),
    kind: RequirementKind,
    status: RequirementStatus,
    priority: Priority,
    risk: RiskLevel,
    version: z.int(),
    parent_key: Key,
  }),
  coverage_state: CoverageState,
  failing: z.boolean(),
  suspect: z.boolean(),
  tests: z.array(
    z.object({
      id: Id,
      key: Key,
      title: untrusted(z.string()),
      level: TestLevel,
      file_path: untrusted(z.string()),
      names_known: NamesKnown,
      role: LinkRole,
      link_state: LinkState,
      criterion_ids: z.array(Id),
      last_result: z
        .object({
          status: ResultStatus,
          executed_at: Timestamp,
          release: untrusted(z.string()),
          release_known: z.boolean(),
          environment: untrusted(z.string()),
          environment_known: z.boolean(),
        })
        .nullable(),
    }),
  ),
  code: z.array(z.object({ path: team(z.string()), symbol: team(z.string()), source: CodeRefSource })),
  components: z.array(Ref),
  issues: z.array(
    z.object({
      id: Id,
      short_id: Key,
      title: untrusted(z.string()),
      status: IssueStatus,
      level: Level,
      times_seen: z.int(),
    }),
  ),
  risk_ids: z.array(Id),
})

export const MatrixFilter = z.enum(['holes', 'suspect', 'failing'])
export const MatrixFormat = z.enum(['json', 'csv', 'markdown', 'html', 'needs'])

/** Content types of the formats other than JSON, for `Accept` and for the response. */
export const matrixFormats = {
  csv: 'text/csv',
  markdown: 'text/markdown',
  html: 'text/html',
  needs: 'application/vnd.needs+json',
} as const satisfies Record<Exclude<z.output<typeof MatrixFormat>, 'json'>, string>

export const TraceabilityMatrix = z.object({
  product_id: ProductId,
  scope: z.object({
    release_id: IdOrEmpty,
    environment_id: IdOrEmpty,
    branch_id: IdOrEmpty,
    commit_sha: Hash,
    git_branch: untrusted(z.string()),
  }),
  filter: z.array(MatrixFilter).describe('Only rows with one of these; empty: all rows.'),
  version: Key.describe('The version of the service.'),
  digest: Hash.describe('Of everything that the matrix is made from: equal inputs have the same digest and bytes.'),
  verdict: z.object({ id: Id, status: VerdictStatus, computed_at: Timestamp }).nullable(),
  direction: z.literal('bidirectional'),
  rows: z.array(TraceabilityRow),
  grid: z
    .object({
      requirement_ids: z.array(Id),
      test_ids: z.array(Id),
      cells: z.array(z.tuple([z.int(), z.int(), GridState])).describe('Row, column and state.'),
    })
    .nullable(),
  orphans: z.object({
    tests_without_requirement: z.array(NamedRef).describe('At most 100.'),
    requirements_without_test: z.array(Ref).describe('At most 100.'),
    files_with_errors_without_requirement: z
      .array(z.object({ path: untrusted(z.string()), events: z.int() }))
      .describe('Files at the crash of open issues that no requirement claims; at most 50.'),
  }),
  totals: z.object({
    requirements: z.int(),
    verified: z.int(),
    not_run: z.int(),
    no_test: z.int(),
    failing: z.int(),
    suspect: z.int(),
    tests: z.int(),
    linked_tests: z.int(),
    unlinked_tests: z.int(),
  }),
})

export const getTraceability = endpoint({
  method: 'GET',
  path: '/v1/products/{product_id}/quality-gate/traceability',
  summary: 'Requirements against tests, code, components, issues and risks; also as CSV, Markdown, HTML or needs.json.',
  input: {
    product_id: ProductId,
    ...gateScope,
    component_id: Id.optional(),
    requirement_id: Id.optional().describe('Only this requirement and its descendants.'),
    coverage_state: z.array(accept(CoverageState)).optional(),
    filter: z.array(accept(MatrixFilter)).optional().describe('holes: no_test or not_run, unless not to be tested.'),
    format: accept(MatrixFormat).optional().describe('Default json; also by the Accept header.'),
    include: z.string().optional().describe('Comma-separated list of tests, code, issues. Default all.'),
    view: accept(MatrixView).optional().describe('Default MATRIX_VIEW_ROWS.'),
    ...paging,
  },
  returns: { traceability_matrix: TraceabilityMatrix, ...pagingResult },
  formats: matrixFormats,
  fails: ['invalid_argument', 'not_found', 'failed_precondition'],
  reasons: ['BRANCH_NOT_OPEN'],
})
