import * as z from 'zod'
import {
  accept,
  Actor,
  Etag,
  Hash,
  Id,
  IssueStatus,
  Key,
  Level,
  prefixed,
  ProductId,
  Ref,
  RequestId,
  Timestamp,
  trailingPeriod,
  ValidateOnly,
} from './base/common.ts'
import { endpoint, list, paging } from './base/endpoint.ts'
import { Event } from './events.ts'
import { FixedIn, IgnoreUntil, ReleaseName, Reopening, statusDetails, StillFiring } from './base/issue-status.ts'
import { team, untrusted } from './base/text.ts'

const text = () => untrusted(z.string())

export const IssueSubstatus = prefixed('ISSUE_SUBSTATUS', ['NEW', 'ONGOING', 'REGRESSED', 'QUIET'])

/** Evidence that the event is genuine (mcp §6.7). `score` counts the four signs of contract §10.1. */
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
  contradicted: z
    .boolean()
    .optional()
    .describe('The code that each event claims is not in the sources of its release; absent: not checked.'),
  suspicious: z
    .boolean()
    .optional()
    .describe('Title, message or culprit of each event reads like instructions to an agent; absent: not checked.'),
})

export const Grouping = z.object({
  algorithm: Key,
  basis: z
    .enum(['stack', 'value', 'message', 'fingerprint', 'hybrid', 'fallback', 'overflow'])
    .describe('overflow: collects events beyond the limit of new issues; they are different errors.'),
  hash: Hash,
  explanation: z.array(text()),
})

const EnvironmentCount = z.object({ id: Id, name: text(), known: z.boolean(), events: z.int() })

/** An event with a server key, a member, or '' for neither (contract §10.6). */
export const VouchedBy = z.enum(['server_key', 'member', ''])

export const Issue = z.object({
  id: Id,
  short_id: Key,
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
  fixed_in: FixedIn.optional().describe('Of a resolved issue; absent: resolved without a release.'),
  ignore_until: IgnoreUntil.optional().describe('Of an ignored issue; absent: ignored until someone reopens it.'),
  still_firing: StillFiring.optional().describe('Of a resolved issue whose occurrences go on after 7 days.'),
  reopening: Reopening.optional().describe('In answers about single issues.'),
  first_seen: Timestamp,
  last_seen: Timestamp,
  times_seen: z.int(),
  users_affected: z.int(),
  first_release: ReleaseName.nullable(),
  last_release: ReleaseName.nullable(),
  component: Ref.nullable(),
  handled: z.boolean(),
  corroboration: Corroboration,
  vouched_by: VouchedBy.optional().describe(
    'Who, other than senders with a public key, says that the issue is open; empty: it fails no quality gate.',
  ),
  grouping: Grouping,
  environments: z.array(EnvironmentCount).optional().describe('At most 10, the one with the most events first.'),
  causes: z
    .array(text())
    .optional()
    .describe('Types of the exceptions that caused the newest occurrence, the direct cause first, at most 4.'),
  reopened_count: z.int(),
  created_at: Timestamp,
  etag: Etag,
})

export const listIssues = endpoint({
  method: 'GET',
  path: '/v1/products/{product_id}/issues',
  summary: 'Issues of a product, newest activity first.',
  input: {
    product_id: ProductId,
    status: z
      .union([z.literal(''), accept(IssueStatus)])
      .optional()
      .describe('Empty means all.'),
    environment_id: Id.optional(),
    release_id: Id.optional(),
    component_id: Id.optional(),
    levels: z.array(accept(Level)).optional(),
    platforms: z.array(z.string().min(1)).optional(),
    period: trailingPeriod,
    sort: z.enum(['last_seen', 'first_seen', 'times_seen']).optional().describe('Descending. Default last_seen.'),
    q: z
      .string()
      .optional()
      .describe('Text in title, message, culprit or causes, or in a file or function of the team.'),
    short_id: z.string().optional(),
    is_regression: z.boolean().optional(),
    first_release_id: Id.optional().describe('Issues that this release brought to its environment.'),
    ...paging,
  },
  specified: ['status', 'environment_id', 'release_id', 'component_id', 'levels', 'platforms', 'period', 'sort'],
  returns: { ...list('issues', Issue) },
  fails: ['invalid_argument', 'not_found'],
})

export const getIssue = endpoint({
  method: 'GET',
  path: '/v1/issues/{id}',
  summary: 'An issue with its latest occurrence; only that occurrence is symbolicated.',
  input: { id: Id, environment_id: Id.optional().describe('Return the latest occurrence in this environment.') },
  returns: {
    issue: Issue,
    latest_event: Event.nullable(),
    releases: z.array(
      z.object({
        id: Id,
        version: text(),
        known: z.boolean(),
        environment: text(),
        environment_known: z.boolean(),
        events: z.int(),
      }),
    ),
    history: z.array(
      z.object({
        from: IssueStatus,
        to: IssueStatus,
        actor: Actor,
        at: Timestamp,
        note: team(z.string()),
        reason: z.enum(['manual', 'regression', 'bulk', 'ignore_ended']),
        fixed_in: FixedIn.optional(),
        ignore_until: IgnoreUntil.optional(),
      }),
    ),
  },
  fails: ['not_found'],
})

export const listReleaseIssues = endpoint({
  method: 'GET',
  path: '/v1/releases/{release_id}/issues',
  summary: 'Issues that a release brought to its environment, or that came back in it.',
  input: {
    release_id: Id,
    status: z.union([z.literal(''), accept(IssueStatus)]).optional(),
    levels: z.array(accept(Level)).optional(),
    include: z.enum(['new', 'regressed']).optional().describe('Default new.'),
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
    ...statusDetails,
    etag: Etag.optional(),
    request_id: RequestId.optional(),
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
    ...statusDetails,
    request_id: RequestId.optional(),
    validate_only: ValidateOnly.optional(),
  },
  returns: {
    issues: z.array(Issue),
    updated_count: z.int(),
    unchanged_count: z.int(),
    not_found_ids: z.array(Id),
  },
  retry: 'idempotent',
  fails: ['invalid_argument', 'not_found'],
})
