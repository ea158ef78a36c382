import * as z from 'zod'
import { Component } from './components.ts'
import { accept, Actor, CodeRef, CoverageState, Etag, Id, IssueStatus, Level, Period, prefixed, Priority, ProductId, Ref, RiskLevel, Timestamp, ValidateOnly } from './common.ts'
import { endpoint, list, paging } from './endpoint.ts'
import { Event, EventSummary, Frame } from './events.ts'
import { team, untrusted } from './text.ts'

const text = () => untrusted(z.string())

export const IssueSubstatus = prefixed('ISSUE_SUBSTATUS', ['NEW', 'ONGOING', 'REGRESSED', 'QUIET'])

/** What speaks for the event being real (SAFETY §1, layer 7). `score` counts the four signs of CONTRACT §10. */
export const Corroboration = z.object({
  release_known: z.boolean(),
  frames_total: z.int(),
  frames_symbolicated: z.int(),
  files_matched: z.int(),
  users: z.int(),
  times_seen: z.int(),
  first_seen: Timestamp.nullable(),
  sdk_known: z.boolean(),
  score: z.int(),
})

export const Grouping = z.object({
  algorithm: z.string(),
  basis: z.enum(['stack', 'value', 'message', 'fingerprint', 'hybrid', 'fallback']),
  hash: z.string(),
  explanation: z.array(text()),
})

const ReleaseName = z.object({ id: z.string(), version: text(), known: z.boolean() })

export const Issue = z.object({
  id: Id,
  short_id: z.string(),
  product_id: ProductId,
  title: text(),
  type: text(),
  value: text(),
  culprit: text(),
  level: Level,
  platform: text(),
  status: IssueStatus,
  substatus: IssueSubstatus,
  is_regression: z.boolean(),
  status_changed_by: Actor.nullable(),
  status_changed_at: Timestamp.nullable(),
  status_note: team(z.string()),
  first_seen: Timestamp,
  last_seen: Timestamp,
  times_seen: z.int(),
  users_affected: z.int(),
  first_release: ReleaseName.nullable(),
  last_release: ReleaseName.nullable(),
  component: Ref.nullable(),
  handled: z.boolean(),
  corroboration: Corroboration,
  grouping: Grouping,
  reopened_count: z.int(),
  created_at: Timestamp,
  etag: Etag,
})

/** `3m` is three minutes: the specification's list ascends (CONTRACT §14.1). */
const period = Period.optional().describe('Trailing window; 3m = three minutes.')

export const listIssues = endpoint({
  method: 'GET',
  path: '/v1/products/{product_id}/issues',
  summary: 'Issues of a product, newest activity first.',
  input: {
    product_id: ProductId,
    status: z.union([z.literal(''), accept(IssueStatus)]).optional().describe('Empty means all.'),
    environment_id: Id.optional(),
    release_id: Id.optional(),
    component_id: Id.optional(),
    levels: z.array(accept(Level)).optional(),
    platforms: z.array(z.string().min(1)).optional(),
    period,
    sort: z.enum(['last_seen', 'first_seen', 'times_seen']).optional(),
    q: z.string().optional(),
    short_id: z.string().optional(),
    is_regression: z.boolean().optional(),
    first_release_id: Id.optional(),
    ...paging,
  },
  returns: { ...list('issues', Issue) },
  fails: ['invalid_argument', 'not_found'],
})

export const getIssue = endpoint({
  method: 'GET',
  path: '/v1/issues/{id}',
  summary: 'An issue with its latest occurrence; only that occurrence is symbolicated.',
  input: { id: Id, environment_id: Id.optional() },
  returns: {
    issue: Issue,
    latest_event: Event.nullable(),
    releases: z.array(
      z.object({ id: z.string(), version: text(), known: z.boolean(), environment: text(), environment_known: z.boolean(), events: z.int() }),
    ),
    history: z.array(
      z.object({
        from: IssueStatus,
        to: IssueStatus,
        actor: Actor,
        at: Timestamp,
        note: team(z.string()),
        reason: z.enum(['manual', 'regression', 'bulk']),
      }),
    ),
  },
  fails: ['not_found'],
})

export const listIssueEvents = endpoint({
  method: 'GET',
  path: '/v1/issues/{id}/events',
  summary: 'Occurrences of an issue, newest first.',
  input: {
    id: Id,
    environment_id: Id.optional(),
    release_id: Id.optional(),
    period,
    sdk_event_id: z.string().optional(),
    ...paging,
  },
  returns: { ...list('events', EventSummary) },
  fails: ['invalid_argument', 'not_found'],
})

export const getIssueEvent = endpoint({
  method: 'GET',
  path: '/v1/issues/{id}/events/{event_id}',
  summary: 'One occurrence with symbolicated frames, by its service-assigned id.',
  input: { id: Id, event_id: Id, max_frames: z.int().min(1).max(250).optional(), include_raw: z.boolean().optional() },
  returns: { event: Event },
  fails: ['not_found'],
})

const Series = z.array(z.object({ at: Timestamp, count: z.int() }))

export const getIssueStats = endpoint({
  method: 'GET',
  path: '/v1/issues/{id}/stats',
  summary: 'Occurrence counts over time and per environment.',
  input: { id: Id, period, environment_id: Id.optional() },
  returns: {
    stats: z.object({
      issue_id: Id,
      period: Period,
      bucket_seconds: z.int(),
      from: Timestamp,
      to: Timestamp,
      total: z.int(),
      users_affected: z.int(),
      series: Series,
      environments: z.array(
        z.object({
          environment_id: z.string(),
          environment: text(),
          environment_known: z.boolean(),
          count: z.int(),
          first_seen: Timestamp,
          last_seen: Timestamp,
          series: Series,
        }),
      ),
      releases: z.array(
        z.object({
          release_id: z.string(),
          version: text(),
          known: z.boolean(),
          environment: text(),
          environment_known: z.boolean(),
          count: z.int(),
          first_seen: Timestamp,
          last_seen: Timestamp,
        }),
      ),
    }),
  },
  fails: ['invalid_argument', 'not_found'],
})

export const listReleaseIssues = endpoint({
  method: 'GET',
  path: '/v1/releases/{release_id}/issues',
  summary: 'Issues first seen in a release.',
  input: {
    release_id: Id,
    status: z.union([z.literal(''), accept(IssueStatus)]).optional(),
    levels: z.array(accept(Level)).optional(),
    include: z.enum(['new', 'regressed']).optional(),
    ...paging,
  },
  returns: { ...list('issues', Issue) },
  fails: ['invalid_argument', 'not_found'],
})

export const setIssueStatus = endpoint({
  method: 'POST',
  path: '/v1/issues/{id}:setStatus',
  summary: 'Set the status of one issue; the actor is recorded and the change is reversible.',
  input: {
    id: Id,
    status: accept(IssueStatus),
    note: z.string().max(1000).optional(),
    etag: Etag.optional(),
    validate_only: ValidateOnly.optional(),
  },
  returns: { issue: Issue },
  retry: 'idempotent',
  fails: ['invalid_argument', 'not_found', 'aborted'],
})

export const bulkSetIssueStatus = endpoint({
  method: 'POST',
  path: '/v1/products/{product_id}/issues:bulkSetStatus',
  summary: 'Set the same status on up to 500 issues in one transaction.',
  input: {
    product_id: ProductId,
    issue_ids: z.array(Id).min(1).max(500),
    status: accept(IssueStatus),
    note: z.string().max(1000).optional(),
    validate_only: ValidateOnly.optional(),
  },
  returns: {
    issues: z.array(Issue),
    updated_count: z.int(),
    unchanged_count: z.int(),
    not_found_ids: z.array(z.string()),
  },
  retry: 'idempotent',
  fails: ['invalid_argument', 'not_found'],
})

export const FixContext = z.object({
  issue: Issue,
  event: Event.nullable(),
  frames: z.array(Frame),
  files: z.array(
    z.object({
      path: untrusted(z.string()),
      exists_in_snapshot: z.boolean().nullable(),
      lines: z.array(z.object({ start: z.int(), end: z.int() })),
      frame_indexes: z.array(z.int()),
      component: Ref.nullable(),
      requirement_ids: z.array(z.string()),
      rank: z.int(),
      reason: z.enum(['crash_frame', 'in_app_frame', 'cause_frame']),
    }),
  ),
  environments: z.array(
    z.object({
      environment_id: z.string(),
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
    first: ReleaseName.nullable(),
    last: ReleaseName.nullable(),
    last_good: ReleaseName.nullable(),
    commit_range: z.object({ from: team(z.string()), to: team(z.string()) }).nullable(),
  }),
  requirements: z.array(
    z.object({
      id: Id,
      key: z.string(),
      title: team(z.string()),
      statement: team(z.string()),
      priority: Priority,
      risk: RiskLevel,
      coverage_state: CoverageState,
      failing: z.boolean(),
      suspect: z.boolean(),
      matched_by: z.array(z.object({ path: team(z.string()), code_ref: CodeRef.nullable() })),
      tests: z.array(
        z.object({ id: Id, key: z.string(), title: team(z.string()), file_path: team(z.string()), last_status: z.string() }),
      ),
    }),
  ),
  related_issues: z.array(z.object({ id: Id, short_id: z.string(), title: text(), shared_frames: z.int() })),
  reproduction: z.object({
    transaction: text(),
    request: z.object({ method: text(), url: text() }),
    tags: untrusted(z.record(z.string(), z.string())),
  }),
  git_ref: z.string(),
  truncation_signals: z.array(z.string()),
})

export const getFixContext = endpoint({
  method: 'GET',
  path: '/v1/products/{product_id}/issues/{issue_id}/fix-context',
  summary: 'Everything a fix needs in one call: frames, implicated files, environments, component, requirements with coverage.',
  input: {
    product_id: ProductId,
    issue_id: Id,
    branch: z.string().optional(),
    max_frames: z.int().min(1).max(100).optional(),
    environment_id: Id.optional(),
    max_files: z.int().min(1).max(100).optional(),
    max_requirements: z.int().min(1).max(100).optional(),
  },
  returns: { fix_context: FixContext },
  fails: ['not_found'],
})
