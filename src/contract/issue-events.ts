import * as z from 'zod'
import { Id, IdOrEmpty, Period, Timestamp, trailingPeriod } from './base/common.ts'
import { endpoint, list, paging } from './base/endpoint.ts'
import { untrusted } from './base/text.ts'
import { ComparedBreadcrumb, ComparedEvent, ComparedFrame, Event, EventSummary } from './events.ts'

const text = () => untrusted(z.string())

export const listIssueEvents = endpoint({
  method: 'GET',
  path: '/v1/issues/{id}/events',
  summary: 'Occurrences of an issue, newest first.',
  input: {
    id: Id,
    environment_id: Id.optional(),
    release_id: Id.optional(),
    period: trailingPeriod,
    sdk_event_id: z.string().optional().describe("The id that the SDK assigned; not the occurrence's id."),
    q: z
      .string()
      .optional()
      .describe('Text in title, message, transaction, exceptions, tags (key=value), request address or breadcrumbs.'),
    ...paging,
  },
  returns: { ...list('events', EventSummary) },
  fails: ['invalid_argument', 'not_found'],
})

export const getIssueEvent = endpoint({
  method: 'GET',
  path: '/v1/issues/{id}/events/{event_id}',
  summary: 'One occurrence with symbolicated frames, by its service-assigned id.',
  input: {
    id: Id,
    event_id: Id,
    max_frames: z.int().min(1).max(250).optional().describe('Default 100.'),
    include_raw: z.boolean().optional(),
  },
  returns: { event: Event },
  fails: ['not_found'],
})

export const getIssueEvents = endpoint({
  method: 'GET',
  path: '/v1/issues/{id}/events:batchGet',
  summary: 'Several occurrences of an issue, with what tells them apart and symbolicated frames.',
  input: {
    id: Id,
    event_ids: z.array(Id).min(1).max(100),
    max_frames: z.int().min(1).max(250).optional().describe('Default 100.'),
    max_breadcrumbs: z.int().min(0).max(200).optional().describe('The newest ones. Default 100.'),
  },
  returns: {
    events: z.array(ComparedEvent).describe('In the order of event_ids, without those that the issue does not have.'),
    unread_ids: z.array(Id).describe('Those beyond 1 MB of events as they were sent.'),
    frames: z.array(ComparedFrame).describe('Each distinct one of the exceptions once.'),
    breadcrumbs: z.array(ComparedBreadcrumb).describe('Each distinct one once, without its time.'),
  },
  fails: ['invalid_argument', 'not_found'],
})

const Series = z.array(z.object({ at: Timestamp, count: z.int() }))

export const getIssueStats = endpoint({
  method: 'GET',
  path: '/v1/issues/{id}/stats',
  summary: 'Occurrence counts over time and per environment.',
  input: { id: Id, period: trailingPeriod, environment_id: Id.optional() },
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
          environment_id: IdOrEmpty,
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
          release_id: IdOrEmpty,
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
