import * as z from 'zod'
import {
  CodeRef,
  CoverageState,
  Id,
  IdOrEmpty,
  Key,
  NamedRef,
  Priority,
  ProductId,
  Ref,
  ResultStatus,
  RiskLevel,
  Timestamp,
  TruncationSignals,
} from './base/common.ts'
import { Component } from './components.ts'
import { endpoint } from './base/endpoint.ts'
import { Event, Frame, RepoPathSource } from './events.ts'
import { Issue } from './issues.ts'
import { team, untrusted } from './base/text.ts'
import { NamesKnown } from './tests.ts'

const text = () => untrusted(z.string())

export const FixContext = z.object({
  issue: Issue,
  event: Event.nullable(),
  frames: z.array(Frame),
  files: z.array(
    z.object({
      path: text(),
      path_source: RepoPathSource,
      exists_in_snapshot: z.boolean().nullable(),
      lines: z.array(z.object({ start: z.int(), end: z.int() })),
      frame_indexes: z.array(z.int()),
      component: Ref.nullable(),
      requirement_ids: z.array(Id),
      rank: z.int(),
      reason: z.enum(['crash_frame', 'in_app_frame', 'cause_frame']),
    }),
  ),
  environments: z.array(
    z.object({
      environment_id: IdOrEmpty,
      environment: text(),
      environment_known: z.boolean(),
      count: z.int(),
      share: z.number(),
      first_seen: Timestamp,
      last_seen: Timestamp,
      releases: z.array(text()),
    }),
  ),
  component: Component.nullable(),
  releases: z.object({
    first: NamedRef.nullable(),
    last: NamedRef.nullable(),
    last_good: NamedRef.nullable(),
    commit_range: z.object({ from: text(), to: text() }).nullable(),
  }),
  requirements: z.array(
    z.object({
      id: Id,
      key: Key,
      title: team(z.string()),
      statement: team(z.string()),
      priority: Priority,
      risk: RiskLevel,
      coverage_state: CoverageState,
      failing: z.boolean(),
      suspect: z.boolean(),
      matched_by: z.array(z.object({ path: text(), code_ref: CodeRef.nullable() })),
      tests: z.array(
        z.object({
          id: Id,
          key: Key,
          title: text(),
          file_path: text(),
          names_known: NamesKnown,
          last_status: ResultStatus.nullable().describe('null = never run.'),
        }),
      ),
    }),
  ),
  related_issues: z.array(
    z.object({
      id: Id,
      short_id: Key,
      title: text(),
      shared_frames: z.int(),
      same_cause: z
        .enum(['frame', 'error'])
        .nullable()
        .optional()
        .describe('frame: the root errors have one type and place; error: one type and message; absent: not compared.'),
    }),
  ),
  reproduction: z.object({
    transaction: text(),
    request: z.object({ method: text(), url: text() }),
    tags: untrusted(z.record(z.string(), z.string())),
  }),
  git_ref: team(z.string()),
  truncation_signals: TruncationSignals,
})

export const getFixContext = endpoint({
  method: 'GET',
  path: '/v1/products/{product_id}/issues/{issue_id}/fix-context',
  summary:
    'Everything a fix needs in one call: frames, implicated files, environments, component, requirements with coverage.',
  input: {
    product_id: ProductId,
    issue_id: Id,
    branch: z.string().optional().describe('Requirement branch by id or name; anything else is echoed as git_ref.'),
    max_frames: z.int().min(1).max(100).optional().describe('Default 30.'),
    environment_id: Id.optional(),
    max_files: z.int().min(1).max(100).optional().describe('Default 15.'),
    max_requirements: z.int().min(1).max(100).optional().describe('Default 20.'),
  },
  specified: ['branch', 'max_frames'],
  returns: { fix_context: FixContext },
  fails: ['not_found', 'failed_precondition'],
  reasons: ['BRANCH_NOT_OPEN'],
})
