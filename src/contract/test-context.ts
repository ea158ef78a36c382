import * as z from 'zod'
import {
  Coverage,
  CoverageState,
  Hash,
  Id,
  IdOrEmpty,
  Key,
  Level,
  NamedRef,
  prefixed,
  Priority,
  Ref,
  RiskLevel,
  Sentence,
  Timestamp,
  TruncationSignals,
} from './base/common.ts'
import { Requirement } from './requirements.ts'
import { NamesKnown, ReproducedIssue, Test } from './tests.ts'
import { team, untrusted } from './base/text.ts'

const text = () => untrusted(z.string())

export const GapType = prefixed('GAP_TYPE', [
  'NO_TEST',
  'NOT_RUN',
  'FAILING',
  'SUSPECT',
  'STALE',
  'PARTIAL_CRITERIA',
  'UNCLAIMED_HOT_FILE',
])
export const GapAction = prefixed('GAP_ACTION', [
  'WRITE_TEST',
  'RUN_TEST',
  'FINISH_TEST',
  'FIX_TEST',
  'FIX_CODE',
  'CONFIRM_LINK',
  'ADD_CRITERION_TEST',
  'WRITE_REQUIREMENT',
])
export const GapWindow = z.enum(['1d', '7d', '30d'])

const issueName = { id: Id, short_id: Key, title: text() }

export const Gap = z.object({
  id: Hash.describe('Stable: the same type and subject have the same id in every scan.'),
  rank: z.int(),
  type: GapType,
  requirement: Ref.extend({ priority: Priority, risk: RiskLevel, version: z.int() }).nullable(),
  coverage_state: CoverageState.nullable().describe('null for GAP_TYPE_UNCLAIMED_HOT_FILE.'),
  linked_test_count: z.int(),
  component: Ref.nullable(),
  files: z.array(text()),
  score: z.number().describe('0 to 100, one decimal.'),
  risk_score: z.number(),
  exposure_score: z.number(),
  type_factor: z.number(),
  exposure: z.object({
    window: GapWindow,
    events: z.int(),
    users: z.int(),
    unresolved_issues: z.int(),
    fatal_events: z.int(),
    top_issues: z.array(z.object({ ...issueName, events: z.int() })),
  }),
  reasons: z.array(Sentence),
  suggested_action: GapAction,
  reproduced_issues: z.array(ReproducedIssue).describe('The issues that its failing tests reproduce.'),
  open_proposals: z.int(),
})

/** How the product's tests are written, derived from the registered tests. */
export const Conventions = z.object({
  frameworks: z.array(z.object({ name: text(), cases: z.int(), share: z.number() })),
  dominant_framework: text(),
  test_file_pattern: Sentence.describe(
    '`test/<name>.test.ts`, of common endings and folders only; empty if no more than half are alike.',
  ),
  test_files: z.int().describe('The number of test files read.'),
  test_files_alike: z.int().describe('Those that are as test_file_pattern says.'),
  suite_naming: Sentence,
  suite_naming_example: z.array(text()).describe('The titles of the suites around one case.'),
  case_naming_examples: z.array(text()),
  examples_known: z.boolean().describe('True if members vouch for the names in all examples.'),
  requirement_annotation: z.object({
    style: z.enum(['tag', 'bracket', 'property']),
    example: Sentence.describe(
      '`… [REQ-12]`; empty if no more than half of the cases that name a requirement are alike.',
    ),
    cases: z.int().describe('The cases that name a requirement.'),
    cases_alike: z.int().describe('Those that do it as in the example.'),
  }),
})

export const TestSuggestion = z.object({
  criterion_id: IdOrEmpty,
  title: team(z.string()),
  technique: z.enum(['happy_path', 'boundary', 'negative', 'state', 'regression']),
  notes: team(z.string()),
})

export const TestContext = z.object({
  requirement: Requirement,
  ancestors: z.array(Ref),
  coverage: Coverage,
  gap: Gap.nullable(),
  acceptance_criteria: z.array(
    z.object({
      id: Id,
      text: team(z.string()),
      given: team(z.string()),
      when: team(z.string()),
      // oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
      then: team(z.string()),
      covered: z.boolean().describe('Tests name it, and all of them passed.'),
      covering_test_keys: z.array(Key).describe('The tests that name it.'),
    }),
  ),
  linked_tests: z.array(Test),
  past_failures: z
    .array(
      z.object({
        test_key: Key,
        message: text(),
        executed_at: Timestamp,
        commit_sha: text(),
        release: text(),
        release_known: z.boolean(),
      }),
    )
    .describe('At most 10.'),
  code_files: z.array(
    z.object({
      path: text(),
      component: Ref.nullable(),
      reason: z.enum(['declared', 'marker', 'stack_frame', 'component_glob']),
      symbols: z.array(text()),
      excerpt: text().describe('Lines known from events and source maps.'),
      recent_issues: z.array(z.object(issueName)),
    }),
  ),
  similar_tests: z.array(
    z.object({
      id: Id,
      key: Key,
      title: text(),
      file_path: text(),
      names_known: NamesKnown,
      framework: text(),
      score: z.number(),
      reasons: z.array(Sentence),
    }),
  ),
  conventions: Conventions,
  environments: z.array(NamedRef),
  related_issues: z.array(
    z.object({
      ...issueName,
      level: Level,
      times_seen: z.int(),
      culprit: text(),
      top_frames: z.array(text()).describe('At most 5, `function (file:line)`.'),
    }),
  ),
  suggestions: z
    .object({
      target_file: text(),
      suite: text(),
      names_known: z.boolean().describe('False if file and suite are those of a test whose names are not known.'),
      annotation: team(z.string()),
      cases: z.array(TestSuggestion),
    })
    .describe("Generated by rules from members' text and issue ids; never contains text from events."),
  guidance: z.array(Sentence),
  token_estimate: z.int(),
  truncation_signals: TruncationSignals,
})
