import { once } from '../../../../lib/once.ts'
import { takeNumber } from '../../../workspace/numbers.ts'
import type { Platform } from '../../../shared/context.ts'
import { attachHashes, findByHashes } from '../../grouping/lookup.ts'
import type { Prepare } from '../../../sql/database.ts'
import type { LocateEvent } from './attribution.ts'
import { keepBody, type KeptBody } from '../bodies/keep.ts'
import { countOccurrence, countUser, type PlaceCounters } from './counters.ts'
import { recordIssueFrames } from '../issue-frames.ts'
import type { EventPlace, FindPlace, ReadProduct } from './event-place.ts'
import { hasRoomForIssue, hasRoomForVouchedIssue, overflowGrouping } from './overflow.ts'
import { recordVouched } from './record-vouched.ts'
import { mayReopen } from './regression.ts'
import type { KnownReleases } from './known-releases.ts'
import type { Prepared } from './prepared.ts'
import { updateIssue, type IssueFacts } from './update-issue.ts'

export interface Recorded {
  id: string
  duplicate: boolean
}

/** Shared by all events of one transaction. */
export interface RecordTools {
  prepare: Prepare
  platform: Platform
  locate: LocateEvent
  releases: KnownReleases
  vouchedReleases: KnownReleases
  product: ReadProduct
  findPlace: FindPlace
  places: PlaceCounters
  /** New issues of a product in an hour; 0 is no limit. */
  newIssuesPerHour: number
}

/**
 * Stores one event inside the caller's transaction: dedupe, issue, occurrence, counters, regression (contract §10,
 * §12). A second event with the same SDK id changes nothing and returns the id of the first one. Throws when the
 * product is unknown.
 */
export async function recordEvent(tools: RecordTools, prepared: Prepared): Promise<Recorded> {
  const { prepare } = tools
  const { productId, event, vouched } = prepared
  // What does not depend on each other's answer is asked at once: a server gets it in one message (decision 098).
  const [known, { before, filed, isAttached }] = await Promise.all([
    findDuplicate(tools, prepared),
    findOrFold(tools, prepared),
  ])
  if (known !== undefined) return { id: known, duplicate: true }

  const { repository, settings } = await tools.product(productId)
  const { environment, release } = event
  const asked = { id: productId, createsEnvironments: settings.auto_create_environments }
  const place = await tools.findPlace(asked, { environment, release, vouched })

  const isFolded = filed !== prepared
  // Most events are of a known place in the code, and ask for nothing.
  const located = once(() => tools.locate(prepare, { id: productId, repository }, prepared.stacks()))
  const componentId = async () => (isFolded ? '' : (await located()).componentId())
  const issueId = before?.id ?? (await createIssue(tools, filed, place, componentId))
  const isNewPath = !isAttached && (await attachIssueHashes(prepare, filed, issueId))
  const { hash } = prepared.grouping
  // The issue that collects events has no place in the code in common with them.
  const kept = await keepBody(prepare, prepared.packed, { productId, issueId, hash, mayAdd: !isFolded })
  const occurred = {
    issueId,
    place,
    timestamp: event.timestamp,
    receivedAt: event.received_at,
    userHash: event.user_hash,
    isNewest: before === undefined || event.timestamp >= before.last_seen,
  }
  const [occurrence, isNewUser] = await Promise.all([
    insertOccurrence(tools, prepared, { issueId, place, before, kept }),
    countUser(prepare, occurred),
  ])
  if (isNewPath && !isFolded) {
    const { frames } = await located()
    await recordIssueFrames(prepare, productId, issueId, frames())
  }
  await updateIssue(prepare, filed, { issueId, place, before, seq: occurrence.seq, newUsers: isNewUser ? 1 : 0 })
  await countOccurrence(prepare, occurred)
  const { timestamp, level } = event
  const { title, type } = filed.grouping
  const reopening = { productId, place, namesRelease: release !== '', reopens: settings.reopen_on_regression }
  const outcome = vouched
    ? await recordVouched(tools, { ...reopening, issueId, timestamp, level, title, type })
    : 'stays'
  if (before !== undefined && before.status !== 'unresolved') {
    await mayReopen(tools, { ...reopening, issue: before, vouched: outcome })
  }
  await prepare.sent()
  // At the end, because what is gathered is not rolled back with the event.
  tools.places.count(place, timestamp)
  return { id: occurrence.id, duplicate: false }
}

/**
 * The id of the occurrence that the event repeats. An event with a server key takes its id from one that came with a
 * public key: otherwise a stranger who reads an id in time could suppress the event.
 */
async function findDuplicate(
  { prepare, platform }: RecordTools,
  { productId, event, vouched }: Prepared,
): Promise<string | undefined> {
  const select = prepare('SELECT id, vouched FROM occurrence WHERE product_id = ? AND sdk_event_id = ?')
  const known = await select.get<{ id: string; vouched: number }>(productId, event.sdk_event_id)
  if (known === undefined || known.vouched === 1 || !vouched) return known?.id
  const other = platform.newId().replaceAll('-', '')
  await prepare('UPDATE occurrence SET sdk_event_id = ? WHERE id = ?').run(other, known.id)
  return undefined
}

interface Filed {
  before: IssueFacts | undefined
  filed: Prepared
  /** Nothing of the event's hashes is to be attached to the issue. */
  isAttached: boolean
}

/** The event's issue if it exists; an event that may not start one is filed under the issue that collects such events. */
async function findOrFold({ prepare, platform, newIssuesPerHour }: RecordTools, prepared: Prepared): Promise<Filed> {
  const known = await findIssue(prepare, prepared)
  if (known !== undefined) return toFiled(prepared, known)
  const room = { now: platform.now(), mostPerHour: newIssuesPerHour }
  const hasRoom = prepared.vouched ? hasRoomForVouchedIssue : hasRoomForIssue
  if (await hasRoom(prepare, prepared.productId, room)) {
    return toFiled(prepared, undefined, await findJoinable(prepare, prepared))
  }
  const filed = { ...prepared, grouping: overflowGrouping(prepared.grouping, newIssuesPerHour) }
  const collecting = await findIssue(prepare, filed)
  return toFiled(filed, collecting, collecting === undefined ? await findJoinable(prepare, filed) : undefined)
}

/** An issue that is joined gets the hashes, which an event with a server key vouches for. */
function toFiled(filed: Prepared, found: FoundIssue | undefined, joined?: FoundIssue): Filed {
  const { hash, other_hashes: others } = filed.grouping
  const isAttached = found?.hash === hash && others.length === 0
  return { before: (found ?? joined)?.facts, filed, isAttached }
}

interface FoundIssue {
  facts: IssueFacts
  /** That led to it. */
  hash: string
}

/** The issue that the event's hashes lead to (errors §2.2 item 7); one with a server key follows vouched hashes alone. */
function findIssue(prepare: Prepare, prepared: Prepared): Promise<FoundIssue | undefined> {
  return findWhere(prepare, prepared, prepared.vouched ? 'issue_hash.vouched = 1' : '1 = 1')
}

/**
 * For an event with a server key the issue that other hashes lead to, if nothing is vouched for of it: an event with a
 * public key cannot file it under an issue that is old, resolved or ignored.
 */
function findJoinable(prepare: Prepare, prepared: Prepared): Promise<FoundIssue | undefined> {
  if (!prepared.vouched) return Promise.resolve(undefined)
  const isFree = 'NOT EXISTS (SELECT 1 FROM vouched_issue WHERE vouched_issue.issue_id = issue.id)'
  return findWhere(prepare, prepared, isFree)
}

function findWhere(
  prepare: Prepare,
  { productId, grouping }: Prepared,
  condition: string,
): Promise<FoundIssue | undefined> {
  const statement = prepare(
    `SELECT issue.id, issue.status, issue.resolved_in, issue.fixed_in, issue.ignore_until, issue.first_seen,
       issue.last_seen, issue.times_seen
     FROM issue_hash JOIN issue ON issue.id = issue_hash.issue_id
     WHERE issue_hash.product_id = ? AND issue_hash.hash = ? AND ${condition}`,
  )
  return findByHashes(grouping, async (hash) => {
    const facts = await statement.get<IssueFacts>(productId, hash)
    return facts && { facts, hash }
  })
}

/** A row with all counters at zero: `updateIssue` adds the first occurrence like every other. */
async function createIssue(
  tools: RecordTools,
  prepared: Prepared,
  place: EventPlace,
  componentId: () => Promise<string>,
): Promise<string> {
  const { prepare, platform } = tools
  const { productId, event, grouping } = prepared
  const number = await takeNumber(prepare, productId, 'issue')
  const id = platform.newId()
  const { algorithm, basis, hash, explanation } = grouping
  await prepare(
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
    await componentId(),
    JSON.stringify({ algorithm, basis, hash, explanation }),
    platform.now(),
  )
  return id
}

async function insertOccurrence(
  { prepare, platform }: RecordTools,
  { productId, event, summary, vouched }: Prepared,
  {
    issueId,
    place,
    before,
    kept,
  }: { issueId: string; place: EventPlace; before: IssueFacts | undefined; kept: KeptBody },
): Promise<{ id: string; seq: number }> {
  const id = platform.newId()
  const seq = await prepare(
    `INSERT INTO occurrence (id, product_id, issue_id, sdk_event_id, timestamp, received_at, place_id, user_hash,
       summary, body, dictionary_id, size_bytes, before_first_seen, before_last_seen, before_times_seen,
       vouched) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).insert(
    id,
    productId,
    issueId,
    event.sdk_event_id,
    event.timestamp,
    event.received_at,
    place.id,
    event.user_hash,
    summary,
    kept.body,
    kept.dictionaryId,
    event.size_bytes,
    before?.first_seen ?? null,
    before?.last_seen ?? null,
    before?.times_seen ?? 0,
    vouched ? 1 : 0,
  )
  return { id, seq }
}

/**
 * The first writer wins: a hash that leads to another issue keeps leading there, unless the event came with a server key
 * and the writer with a public one. Returns whether any hash is new, which
 * means that the issue had not been reached through this path in the code before.
 */
export async function attachIssueHashes(
  prepare: Prepare,
  { productId, grouping, vouched }: Pick<Prepared, 'productId' | 'grouping' | 'vouched'>,
  issueId: string,
): Promise<boolean> {
  const statement = prepare(
    vouched
      ? `INSERT INTO issue_hash (product_id, hash, issue_id, vouched) VALUES (?, ?, ?, 1)
         ON CONFLICT (product_id, hash) DO UPDATE SET issue_id = excluded.issue_id, vouched = 1 WHERE issue_hash.vouched = 0`
      : 'INSERT INTO issue_hash (product_id, hash, issue_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  )
  let attached = false
  await attachHashes(grouping, async (hash) => {
    const { changes } = await statement.run(productId, hash, issueId)
    attached ||= changes > 0
    return changes > 0
  })
  return attached
}
