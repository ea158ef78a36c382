import { takeNumber } from '../../../workspace/numbers.ts'
import { notFound } from '../../../../errors.ts'
import type { Platform } from '../../../shared/context.ts'
import type { Grouping } from '../../grouping/index.ts'
import { attachHashes, findByHashes } from '../../grouping/lookup.ts'
import type { NormalEvent } from '../../event/event.ts'
import type { Prepare } from '../../../sql/database.ts'
import type { Attribute, OpenLocator } from './attribution.ts'
import { StoredSettings } from '../../../workspace/settings.ts'
import { causeTypes } from '../causes.ts'
import { corroborate, type Doubts } from './corroboration.ts'
import { countOccurrence, countUser } from './counters.ts'
import { issueFrames, recordIssueFrames } from '../issue-frames.ts'
import { findPlace, type EventPlace } from './event-place.ts'
import { hasRoomForIssue, overflowGrouping, type OverflowGrouping } from './overflow.ts'
import { mayReopen } from './regression.ts'
import type { KnownReleases } from './known-releases.ts'
import { readJson } from '../../../sql/json.ts'

/** An event with everything that can be computed before the transaction. */
export interface Prepared {
  productId: number
  /** With source maps applied. */
  event: NormalEvent
  grouping: Grouping | OverflowGrouping
  summary: string
  /** Of the event as it was sent. */
  body: Uint8Array
  doubts: Doubts
}

export interface Recorded {
  id: string
  duplicate: boolean
}

/** Shared by all events of one transaction. */
export interface RecordTools {
  prepare: Prepare
  platform: Platform
  attribute: Attribute
  locator: OpenLocator
  releases: KnownReleases
  /** New issues of a product in an hour; 0 is no limit. */
  newIssuesPerHour: number
}

interface ProductFacts {
  repository: string
  settings: string
}

interface IssueFacts {
  id: string
  status: string
  resolved_in: string | null
  fixed_in: string | null
  ignore_until: string | null
  first_seen: number
  last_seen: number
  times_seen: number
}

/**
 * Stores one event inside the caller's transaction: dedupe, issue, occurrence, counters, regression (contract §10,
 * §12). A second event with the same SDK id changes nothing and returns the id of the first one. Throws when the
 * product is unknown.
 */
export function recordEvent(tools: RecordTools, prepared: Prepared): Recorded {
  const { prepare } = tools
  const { productId, event } = prepared
  const known = prepare('SELECT id FROM occurrence WHERE product_id = ? AND sdk_event_id = ?').get<Recorded>(
    productId,
    event.sdk_event_id,
  )
  if (known !== undefined) return { id: known.id, duplicate: true }

  const product = prepare('SELECT repository, settings FROM product WHERE id = ?').get<ProductFacts>(productId)
  if (product === undefined) throw notFound('product', String(productId), 'use the DSN of an existing product')
  const settings = readJson(StoredSettings, product.settings)
  const createsEnvironments = settings.auto_create_environments
  const place = findPlace(tools, { id: productId, createsEnvironments }, event)

  const { before, filed } = findOrFold(tools, prepared)
  const isFolded = filed !== prepared
  const locate = tools.locator(prepare, productId, product.repository)
  const componentId = () => (isFolded ? '' : tools.attribute(prepare, productId, event, locate))
  const issueId = before?.id ?? createIssue(tools, filed, place, componentId)
  const occurrence = insertOccurrence(tools, prepared, { issueId, place, before })
  const isNewPath = attachIssueHashes(prepare, filed, issueId)
  if (isNewPath && !isFolded) recordIssueFrames(prepare, productId, issueId, issueFrames(event, locate))
  const counted = {
    issueId,
    place,
    timestamp: event.timestamp,
    receivedAt: event.received_at,
    userHash: event.user_hash,
  }
  const newUsers = countUser(prepare, counted) ? 1 : 0
  updateIssue(prepare, filed, { issueId, place, before, seq: occurrence.seq, newUsers })
  countOccurrence(prepare, counted)
  if (before !== undefined && before.status !== 'unresolved') {
    const namesRelease = event.release !== ''
    mayReopen(tools, { productId, issue: before, place, namesRelease, reopens: settings.reopen_on_regression })
  }
  return { id: occurrence.id, duplicate: false }
}

/** The event's issue if it exists; an event that may not start one is filed under the issue that collects such events. */
function findOrFold(
  { prepare, platform, newIssuesPerHour }: RecordTools,
  prepared: Prepared,
): { before: IssueFacts | undefined; filed: Prepared } {
  const before = findIssue(prepare, prepared)
  const room = { now: platform.now(), mostPerHour: newIssuesPerHour }
  if (before !== undefined || hasRoomForIssue(prepare, prepared.productId, room)) return { before, filed: prepared }
  const filed = { ...prepared, grouping: overflowGrouping(prepared.grouping, newIssuesPerHour) }
  return { before: findIssue(prepare, filed), filed }
}

/** The issue that the event's hashes lead to (errors §2.2 item 7). */
function findIssue(prepare: Prepare, { productId, grouping }: Prepared): IssueFacts | undefined {
  const statement = prepare(
    `SELECT issue.id, issue.status, issue.resolved_in, issue.fixed_in, issue.ignore_until, issue.first_seen,
       issue.last_seen, issue.times_seen
     FROM issue_hash JOIN issue ON issue.id = issue_hash.issue_id WHERE issue_hash.product_id = ? AND issue_hash.hash = ?`,
  )
  return findByHashes(grouping, (hash) => statement.get<IssueFacts>(productId, hash))
}

/** A row with all counters at zero: `updateIssue` adds the first occurrence like every other. */
function createIssue(tools: RecordTools, prepared: Prepared, place: EventPlace, componentId: () => string): string {
  const { prepare, platform } = tools
  const { productId, event, grouping } = prepared
  const number = takeNumber(prepare, productId, 'issue')
  const id = platform.newId()
  const { algorithm, basis, hash, explanation } = grouping
  prepare(
    `INSERT INTO issue (id, product_id, number, title, type, value, culprit, level, platform, first_seen, last_seen,
       times_seen, first_release_id, component_id, handled, corroboration, grouping, first_seq, last_seq, created_at)
     VALUES (?, ?, ?, '', '', '', '', '', '', ?, ?, 0, ?, ?, 0, '{}', ?, 0, 0, ?)`,
  ).run(
    id,
    productId,
    number,
    event.timestamp,
    event.timestamp,
    place.releaseId,
    componentId(),
    JSON.stringify({ algorithm, basis, hash, explanation }),
    platform.now(),
  )
  return id
}

function insertOccurrence(
  { prepare, platform }: RecordTools,
  { productId, event, summary, body }: Prepared,
  { issueId, place, before }: { issueId: string; place: EventPlace; before: IssueFacts | undefined },
): { id: string; seq: number } {
  const id = platform.newId()
  const seq = prepare(
    `INSERT INTO occurrence (id, product_id, issue_id, sdk_event_id, timestamp, received_at, environment_id, release_id,
       user_hash, summary, body, size_bytes, before_first_seen, before_last_seen, before_times_seen)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).insert(
    id,
    productId,
    issueId,
    event.sdk_event_id,
    event.timestamp,
    event.received_at,
    place.environmentId,
    place.releaseId,
    event.user_hash,
    summary,
    body,
    event.size_bytes,
    before?.first_seen ?? null,
    before?.last_seen ?? null,
    before?.times_seen ?? 0,
  )
  return { id, seq }
}

/**
 * The first writer wins: a hash that leads to another issue keeps leading there. Returns whether any hash is new, which
 * means that the issue had not been reached through this path in the code before.
 */
export function attachIssueHashes(
  prepare: Prepare,
  { productId, grouping }: Pick<Prepared, 'productId' | 'grouping'>,
  issueId: string,
): boolean {
  const statement = prepare(
    'INSERT INTO issue_hash (product_id, hash, issue_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  )
  let attached = false
  attachHashes(grouping, (hash) => {
    const isNew = statement.run(productId, hash, issueId).changes > 0
    attached ||= isNew
    return isNew
  })
  return attached
}

interface Addition {
  issueId: string
  place: EventPlace
  before: IssueFacts | undefined
  seq: number
  newUsers: number
}

/**
 * Counts the occurrence. The newest event sets title, level and culprit; the oldest sets the first release. A doubt stays
 * as long as every event gives reason for it.
 */
function updateIssue(prepare: Prepare, prepared: Prepared, { issueId, place, before, seq, newUsers }: Addition): void {
  const { event, grouping, doubts } = prepared
  const { timestamp } = event
  prepare(
    `UPDATE issue SET times_seen = times_seen + 1, users_affected = users_affected + ?1, last_seq = ?2,
       first_seq = CASE first_seq WHEN 0 THEN ?2 ELSE first_seq END,
       first_release_id = CASE WHEN ?3 < first_seen THEN ?4 ELSE first_release_id END,
       first_seen = CASE WHEN ?3 < first_seen THEN ?3 ELSE first_seen END,
       suspicious = CASE WHEN times_seen = 0 OR suspicious = 1 THEN ?6 ELSE suspicious END,
       contradicted = CASE WHEN times_seen = 0 OR contradicted = 1 THEN ?7 ELSE contradicted END WHERE id = ?5`,
  ).run(newUsers, seq, timestamp, place.releaseId, issueId, doubts.suspicious ? 1 : 0, doubts.contradicted ? 1 : 0)
  if (before !== undefined && timestamp < before.last_seen) return
  prepare(
    `UPDATE issue SET last_seen = ?, title = ?, type = ?, value = ?, culprit = ?, level = ?, platform = ?, handled = ?, causes = ?,
       last_release_id = coalesce(nullif(?, ''), last_release_id), corroboration = ? WHERE id = ?`,
  ).run(
    timestamp,
    grouping.title,
    grouping.type,
    grouping.value,
    grouping.culprit,
    event.level,
    event.platform,
    event.handled ? 1 : 0,
    // The events of the issue that collects them have nothing in common.
    JSON.stringify(grouping.basis === 'overflow' ? [] : causeTypes(event)),
    place.releaseId,
    JSON.stringify(corroborate(event, place.releaseId)),
    issueId,
  )
}
