import * as z from 'zod'
import {
  accept,
  Actor,
  clearable,
  Etag,
  ExclusionReason,
  Hash,
  Id,
  IdList,
  IdOrEmpty,
  IssueStatus,
  Key,
  LabelMap,
  optional,
  Position,
  prefixed,
  ProductId,
  RequestId,
  ResultStatus,
  TagList,
  Timestamp,
  TimestampInput,
  Title,
  ValidateOnly,
} from './base/common.ts'
import { endpoint, list, paging } from './base/endpoint.ts'
import { TestLink } from './links.ts'
import { team, untrusted } from './base/text.ts'

export const TestKind = prefixed('TEST_KIND', ['SUITE', 'CASE'])
export const TestLevel = prefixed('TEST_LEVEL', [
  'UNIT',
  'INTEGRATION',
  'E2E',
  'CONTRACT',
  'PERFORMANCE',
  'MANUAL',
  'UNKNOWN',
])
export const TestStatus = prefixed('TEST_STATUS', ['DRAFT', 'ACTIVE', 'DEPRECATED'])
export const AutomationStatus = prefixed('AUTOMATION_STATUS', ['AUTOMATED', 'MANUAL', 'PLANNED'])
export const TestView = prefixed('TEST_VIEW', ['BASIC', 'FULL'])

export const TestResult = z.object({
  id: Id,
  test_id: Id,
  run_id: Id,
  status: ResultStatus,
  attempts: z.int(),
  duration_ms: z.int(),
  message: untrusted(z.string()),
  trace: untrusted(z.string()),
  executed_at: Timestamp,
  environment_id: IdOrEmpty,
  environment: untrusted(z.string()),
  environment_known: z.boolean(),
  release_id: IdOrEmpty,
  release: untrusted(z.string()),
  release_known: z.boolean(),
  commit_sha: untrusted(z.string()),
  git_branch: untrusted(z.string()),
  ci_url: untrusted(z.string()),
})

/** Whether members vouch for the names of a test (contract §4.4). */
export const NamesKnown = z
  .boolean()
  .describe('True if members gave the title and the place in the code; false if any of them only comes from a report.')

/** An issue that a test reproduces; its title is not here, because anyone may have written it. */
export const ReproducedIssue = z.object({ id: Id, short_id: Key, status: IssueStatus })

export const Test = z.object({
  id: Id,
  key: Key,
  product_id: ProductId,
  branch_id: IdOrEmpty,
  parent_id: IdOrEmpty.describe('The parent suite.'),
  position: z.int(),
  kind: TestKind,
  title: untrusted(z.string()),
  names_known: NamesKnown,
  description: team(z.string()),
  level: TestLevel,
  status: TestStatus,
  automation: AutomationStatus,
  framework: untrusted(z.string()),
  automation_ref: z.object({
    identity: Hash.describe('SHA-256 of file path, suite path, name and project.'),
    file_path: untrusted(z.string()),
    suite_path: z.array(untrusted(z.string())),
    name: untrusted(z.string()),
    project: untrusted(z.string()).describe('Never vouched for.'),
    line: z.int(),
  }),
  preconditions: team(z.string()),
  steps: z.array(
    z.object({ position: z.int(), action: team(z.string()), data: team(z.string()), expected: team(z.string()) }),
  ),
  tags: z.array(untrusted(z.string())),
  labels: untrusted(z.record(z.string(), z.string())),
  component_ids: z.array(Id),
  quarantined: z.boolean().describe('It has results and proves nothing; false from `quarantined_until` on.'),
  quarantine_reason: team(z.string()),
  quarantine_owner: team(z.string()).describe('Who will mend it.'),
  quarantined_until: Timestamp.nullable().describe('In the past: the quarantine has ended by itself.'),
  link_count: z.int(),
  requirement_keys: z.array(Key),
  issue: ReproducedIssue.nullable().describe('The issue that the test reproduces.'),
  last_result: TestResult.nullable(),
  stats: z.object({
    runs: z.int(),
    passed: z.int(),
    failed: z.int(),
    skipped: z.int(),
    flaky: z.int(),
    pass_rate: z.number(),
    avg_duration_ms: z.int(),
    window_days: z.int(),
  }),
  created_by: Actor,
  created_at: Timestamp,
  updated_at: Timestamp,
  etag: Etag,
})

const StepInput = z.object({
  action: z.string().min(1).max(4000),
  data: z.string().max(4000).optional(),
  expected: z.string().max(4000).optional(),
})

const writable = {
  parent_id: Id.describe('The parent suite.'),
  position: Position,
  description: z.string().max(20_000),
  level: accept(TestLevel),
  status: accept(TestStatus),
  automation: accept(AutomationStatus),
  framework: z.string().max(60),
  automation_ref: z
    .object({
      file_path: z.string().min(1).max(500),
      suite_path: z.array(z.string().max(500)).max(20).optional(),
      name: z.string().min(1).max(1000),
      project: z.string().max(120).optional(),
      line: z.int().min(0).optional(),
    })
    .describe('Location of the case in the code; unique within the product. A PUT without project or line keeps them.'),
  preconditions: z.string().max(20_000),
  steps: z.array(StepInput).max(200).describe('In order; replaces the whole list.'),
  tags: TagList,
  labels: LabelMap,
  component_ids: IdList,
  issue_id: Id.describe(
    'The issue that the test reproduces: while that is open, a failure asks for a fix of the code.',
  ),
  quarantined: z.boolean().describe('True requires a reason, an owner and an end, unless the test is in quarantine.'),
  quarantine_reason: z.string().max(1000),
  quarantine_owner: z.string().max(120).describe('Who will mend the test.'),
  quarantined_until: TimestampInput.describe('At most 30 days ahead; then the test counts again by itself.'),
}

export const createTest = endpoint({
  method: 'POST',
  path: '/v1/products/{product_id}/tests',
  summary: 'Create a suite or a case, with its links to requirements.',
  input: {
    product_id: ProductId,
    kind: accept(TestKind),
    title: Title,
    ...optional(writable),
    requirement_ids: IdList.optional().describe('Requirements to link in the same call.'),
    branch_id: Id.optional(),
    request_id: RequestId.optional(),
    validate_only: ValidateOnly.optional(),
  },
  returns: { test: Test, links: z.array(TestLink) },
  fails: ['invalid_argument', 'not_found', 'already_exists', 'failed_precondition'],
  reasons: ['BRANCH_NOT_OPEN'],
})

export const updateTest = endpoint({
  method: 'PUT',
  path: '/v1/tests/{id}',
  summary: 'Change a test: absent members are kept, null clears, lists replace.',
  input: {
    id: Id,
    title: Title.optional(),
    ...clearable(writable),
    update_mask: z.string().max(500).optional().describe('Comma-separated list: only these members are changed.'),
    branch_id: Id.optional(),
    etag: Etag.optional(),
    reason: ExclusionReason.optional(),
  },
  returns: { test: Test },
  fails: ['invalid_argument', 'not_found', 'already_exists', 'aborted', 'failed_precondition'],
  reasons: ['BRANCH_NOT_OPEN'],
})

export const listTests = endpoint({
  method: 'GET',
  path: '/v1/products/{product_id}/tests',
  summary: 'Suites and cases of a product.',
  input: {
    product_id: ProductId,
    kind: accept(TestKind).optional(),
    parent_id: Id.optional(),
    status: accept(TestStatus).optional(),
    level: accept(TestLevel).optional(),
    framework: z.string().optional(),
    tag: z.string().optional(),
    component_id: Id.optional(),
    requirement_id: Id.optional(),
    linked: z.boolean().optional(),
    result_status: z.array(accept(ResultStatus)).optional().describe('Status of the newest result.'),
    quarantined: z.boolean().optional(),
    file_path: z.string().optional().describe('Exact or glob.'),
    q: z.string().optional().describe('Full text.'),
    key: z.array(z.string().min(1)).optional(),
    branch_id: Id.optional(),
    view: accept(TestView).optional().describe('BASIC omits description, preconditions and steps.'),
    ...paging,
  },
  returns: { ...list('tests', Test) },
  fails: ['invalid_argument', 'not_found', 'failed_precondition'],
  reasons: ['BRANCH_NOT_OPEN'],
})

export const getTest = endpoint({
  method: 'GET',
  path: '/v1/tests/{id}',
  summary: 'One test with its links and its newest results, at most 10.',
  input: { id: Id, branch_id: Id.optional() },
  returns: { test: Test, links: z.array(TestLink), recent_results: z.array(TestResult) },
  fails: ['not_found', 'failed_precondition'],
  reasons: ['BRANCH_NOT_OPEN'],
})

export const deleteTest = endpoint({
  method: 'DELETE',
  path: '/v1/tests/{id}',
  summary: 'Delete a test and its links; its results are kept for 30 days.',
  input: {
    id: Id,
    branch_id: Id.optional(),
    recursive: z.boolean().optional(),
    etag: Etag.optional(),
    reason: ExclusionReason.optional(),
  },
  fails: ['not_found', 'aborted', 'failed_precondition'],
  reasons: ['HAS_CHILDREN', 'BRANCH_NOT_OPEN'],
})
