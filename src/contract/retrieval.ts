import * as z from 'zod'
import {
  accept,
  Id,
  IdOrEmpty,
  NamedRef,
  Priority,
  ProductId,
  RequestId,
  Timestamp,
  TruncationSignals,
} from './base/common.ts'
import { Component } from './components.ts'
import { endpoint, list, paging } from './base/endpoint.ts'
import { Conventions, Gap, GapType, GapWindow, TestContext } from './test-context.ts'
import { team } from './base/text.ts'

export const GapSummary = z.object({
  total: z.int(),
  by_state: z.object({ not_run: z.int(), no_test: z.int() }),
  by_type: z.record(GapType, z.int()),
  by_component: z.array(
    z.object({ component_id: IdOrEmpty, name: team(z.string()), gaps: z.int(), max_score: z.number() }),
  ),
})

export const listCoverageGaps = endpoint({
  method: 'GET',
  path: '/v1/products/{product_id}/coverage-gaps',
  summary: 'Requirements without working tests, and hot files without a requirement, by risk and exposure.',
  input: {
    product_id: ProductId,
    window: GapWindow.optional().describe('Period of the errors that count as exposure. Default 7d.'),
    type: z.array(accept(GapType)).optional(),
    component_id: Id.optional(),
    priority: z.array(accept(Priority)).optional(),
    environment_id: Id.optional(),
    branch_id: Id.optional(),
    min_score: z.number().min(0).max(100).optional(),
    limit: z.int().min(1).optional().describe('The same as page_size.'),
    ...paging,
  },
  returns: { ...list('coverage_gaps', Gap), summary: GapSummary },
  fails: ['invalid_argument', 'not_found', 'failed_precondition'],
  reasons: ['BRANCH_NOT_OPEN'],
})

export const getTestContext = endpoint({
  method: 'GET',
  path: '/v1/products/{product_id}/requirements/{requirement_id}/test-context',
  summary: 'Everything needed to write the tests of a requirement.',
  input: {
    product_id: ProductId,
    requirement_id: Id,
    branch_id: Id.optional(),
    max_files: z.int().min(0).max(100).optional().describe('Default 20.'),
    max_similar_tests: z.int().min(0).max(50).optional().describe('Default 5.'),
    max_tokens: z.int().min(500).max(100_000).optional().describe('Default 12000.'),
  },
  returns: { test_context: TestContext },
  fails: ['not_found', 'failed_precondition'],
  reasons: ['BRANCH_NOT_OPEN'],
})

const WorkingTree = z
  .object({
    files: z
      .array(
        z.object({
          path: z.string().min(1).max(500),
          size: z.int().min(0).optional(),
          language: z.string().max(60).optional(),
          exports: z.array(z.string().max(200)).max(500).optional(),
          content: z.string().optional(),
        }),
      )
      .max(5000),
    commit_sha: z.string().max(64).optional(),
  })
  .describe('Files of the working tree, used to expand globs; only their paths are stored.')

export const TestGenerationContext = z.object({
  id: Id,
  contexts: z.array(TestContext),
  shared: z.object({
    conventions: Conventions,
    components: z.array(Component),
    environments: z.array(NamedRef),
  }),
  unresolved_globs: z.array(team(z.string())),
  token_estimate: z.int(),
  truncation_signals: TruncationSignals,
  created_at: Timestamp,
  expires_at: Timestamp,
})

export const prepareTestContext = endpoint({
  method: 'POST',
  path: '/v1/products/{product_id}/test-generation-context:prepare',
  summary: 'Test contexts of several requirements within one budget, using the files of the working tree.',
  input: {
    product_id: ProductId,
    requirement_ids: z
      .array(Id)
      .min(1)
      .max(20)
      .optional()
      .describe('Pass one of requirement_ids, gap_ids and top_gaps.'),
    gap_ids: z.array(Id).min(1).max(20).optional(),
    top_gaps: z.int().min(1).max(20).optional(),
    branch_id: Id.optional(),
    max_tokens: z.int().min(500).max(200_000).optional().describe('Default 40000.'),
    framework: z.string().max(60).optional(),
    repository: WorkingTree.optional(),
    request_id: RequestId.optional(),
  },
  returns: { test_generation_context: TestGenerationContext },
  fails: ['invalid_argument', 'not_found', 'failed_precondition'],
  reasons: ['BRANCH_NOT_OPEN'],
})
