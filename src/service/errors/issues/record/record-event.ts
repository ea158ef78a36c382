import { once } from '../../../../lib/once.ts'
import { takeNumber } from '../../../workspace/numbers.ts'
import type { Platform } from '../../../shared/context.ts'
import { allHashes, findByHashes } from '../../grouping/lookup.ts'
import type { Prepare } from '../../../sql/database.ts'
import { attachIssueHashes } from './attach-hashes.ts'
import type { LocateEvent } from './attribution.ts'
import { keepBody, type KeptBody } from '../bodies/keep.ts'
import { recordIssueFrames } from '../issue-frames.ts'
import type { EventPlace, PlaceFinder, ProductFacts, ReadProduct } from './event-place.ts'
import { hasRoomForIssue, hasRoomForVouchedIssue, overflowGrouping } from './overflow.ts'
import { recordVouched } from './record-vouched.ts'
import { mayReopen } from './regression.ts'
import type { KnownReleases } from './known-releases.ts'
import type { Prepared } from './prepared.ts'
import type { IssueCounters, PlaceCounters } from './counters.ts'
import type { IssueChanges } from './issue-changes.ts'
import type { IssueFacts, KnownRows, Which } from './together/known-rows.ts'
import type { NewOccurrence, NewOccurrences } from './together/new-occurrences.ts'

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
  placeFinder: PlaceFinder
  rows: KnownRows
  occurrences: NewOccurrences
  counters: IssueCounters
  changes: IssueChanges
  places: PlaceCounters
  /** New issues of a product in an hour; 0 is no limit. */
  newIssuesPerHour: number
}

/** Asks for what recording these events needs, all of it together: a server gets two messages. */
export async function askAhead(
  { rows, placeFinder, product }: RecordTools,
  arrived: readonly Prepared[],
): Promise<void> {
  const places = arrived.map(({ productId, event: { environment, release }, vouched }) => {
    return { productId, environment, release, vouched }
  })
  const products = [...new Set(arrived.map(({ productId }) => productId))]
  await Promise.all([rows.ask(arrived), placeFinder.ask(places), ...products.map((id) => product(id))])
}

/**
 * Stores one event inside the caller's transaction: dedupe, issue, occurrence, counters, regression (contract §10,
 * §12). A second event with the same SDK id changes nothing and returns the id of the first one. What it counts is
 * gathered, and is part of the transaction when that is written (`writeGathered`). Throws when the product is unknown.
 */
export async function recordEvent(tools: RecordTools, prepared: Prepared): Promise<Recorded> {
  const { prepare, rows } = tools
  const { productId, event, vouched } = prepared
  const known = await findDuplicate(tools, prepared)
  if (known !== undefined) return { id: known, duplicate: true }
  const { found, filed, isAttached } = await findOrFold(tools, prepared)
  // As it was before this event.
  const before = found && { ...found }

  const { repository, settings } = await tools.product(productId)
  const { environment, release, timestamp } = event
  const asked = { id: productId, createsEnvironments: settings.auto_create_environments }
  const place = await tools.placeFinder.find(asked, { environment, release, vouched })

  const isFolded = filed !== prepared
  // Most events are of a known place in the code, and ask for nothing.
  const located = once(() => tools.locate(prepare, { id: productId, repository }, prepared.stacks()))
  const componentId = async () => (isFolded ? '' : (await located()).componentId())
  const facts = found ?? (await createIssue(tools, filed, place, componentId))
  const issueId = facts.id
  const isNewPath = !isAttached && (await attachIssueHashes(prepare, filed, issueId))
  if (!isAttached) rows.forgetHashes(productId, allHashes(filed.grouping))
  const { hash } = prepared.grouping
  // The issue that collects events has no place in the code in common with them.
  const keeping = { productId, issueId, hash, mayAdd: !isFolded }
  const kept = await keepBody({ prepare, rows }, prepared.packed, keeping)
  const isNewUser = event.user_hash !== '' && !(await rows.hasUser(issueId, event.user_hash))
  const occurrence = addOccurrence(tools, prepared, { issueId, place, before, kept })
  if (isNewPath && !isFolded) {
    const { frames } = await located()
    await recordIssueFrames(prepare, productId, issueId, frames())
  }
  if (isNewUser) rows.addUser(issueId, event.user_hash)
  tools.counters.count({
    issueId,
    componentId: facts.component_id,
    place,
    timestamp,
    receivedAt: event.received_at,
    userHash: event.user_hash,
    isNewest: before === undefined || timestamp >= before.last_seen,
  })
  tools.changes.add(filed, { facts, place, occurrence, isNewUser })
  tools.places.count(place, timestamp)
  await judgeStatus(tools, filed, { issueId, place, before, settings })
  return { id: occurrence.id, duplicate: false }
}

/** What the occurrence means for an issue that was closed, and for one that is vouched for. */
async function judgeStatus(
  tools: RecordTools,
  { productId, event, grouping: { title, type }, vouched }: Prepared,
  {
    issueId,
    place,
    before,
    settings,
  }: { issueId: string; place: EventPlace; before: IssueFacts | undefined; settings: ProductFacts['settings'] },
): Promise<void> {
  const { timestamp, level, release } = event
  const reopening = { productId, place, namesRelease: release !== '', reopens: settings.reopen_on_regression }
  const outcome = vouched
    ? await recordVouched(tools, { ...reopening, issueId, timestamp, level, title, type })
    : 'stays'
  if (before === undefined || before.status === 'unresolved') return
  const occurrence = { ...reopening, issue: before, vouched: outcome }
  if (await mayReopen(tools, occurrence, () => writeGathered(tools))) tools.rows.forget()
}

/** Writes the occurrences until now, what they have changed on issues, and what is counted for them. */
export async function writeGathered({ occurrences, changes, counters }: RecordTools): Promise<void> {
  await occurrences.write()
  await changes.write()
  await counters.write()
}

/**
 * The id of the occurrence that the event repeats. An event with a server key takes its id from one that came with a
 * public key: otherwise a stranger who reads an id in time could suppress the event.
 */
async function findDuplicate(tools: RecordTools, { productId, event, vouched }: Prepared): Promise<string | undefined> {
  const { prepare, platform, rows } = tools
  const known = await rows.occurrence(productId, event.sdk_event_id)
  if (known === undefined || known.vouched === 1 || !vouched) return known?.id
  // It may be one of this transaction.
  await tools.occurrences.write()
  const other = platform.newId().replaceAll('-', '')
  await prepare('UPDATE occurrence SET sdk_event_id = ? WHERE id = ?').run(other, known.id)
  return undefined
}

interface Filed {
  found: IssueFacts | undefined
  filed: Prepared
  /** Nothing of the event's hashes is to be attached to the issue. */
  isAttached: boolean
}

/** The event's issue if it exists; an event that may not start one is filed under the issue that collects such events. */
async function findOrFold(
  { prepare, platform, newIssuesPerHour, rows }: RecordTools,
  prepared: Prepared,
): Promise<Filed> {
  const known = await findIssue(rows, prepared)
  if (known !== undefined) {
    return { found: known, filed: prepared, isAttached: await areAttached(rows, prepared) }
  }
  const room = { now: platform.now(), mostPerHour: newIssuesPerHour }
  const hasRoom = prepared.vouched ? hasRoomForVouchedIssue : hasRoomForIssue
  if (await hasRoom(prepare, prepared.productId, room)) {
    return { found: await findJoinable(rows, prepared), filed: prepared, isAttached: false }
  }
  const filed = { ...prepared, grouping: overflowGrouping(prepared.grouping, newIssuesPerHour) }
  const collecting = await findIssue(rows, filed)
  if (collecting !== undefined) return { found: collecting, filed, isAttached: await areAttached(rows, filed) }
  // An issue that is joined gets the hashes, which an event with a server key vouches for.
  return { found: await findJoinable(rows, filed), filed, isAttached: false }
}

/** The issue that the event's hashes lead to (errors §2.2 item 7); one with a server key follows vouched hashes alone. */
function findIssue(rows: KnownRows, prepared: Prepared): Promise<IssueFacts | undefined> {
  return findAmong(rows, prepared, prepared.vouched ? 'vouched' : 'any')
}

/** Whether each hash leads to some issue already, so that attaching them would change nothing. */
async function areAttached(rows: KnownRows, { productId, grouping, vouched }: Prepared): Promise<boolean> {
  for (const hash of [grouping.hash, ...grouping.other_hashes]) {
    if ((await rows.issue(productId, hash, vouched ? 'vouched' : 'any')) === undefined) return false
  }
  return true
}

/**
 * For an event with a server key the issue that other hashes lead to, if nothing is vouched for of it: an event with a
 * public key cannot file it under an issue that is old, resolved or ignored.
 */
function findJoinable(rows: KnownRows, prepared: Prepared): Promise<IssueFacts | undefined> {
  return prepared.vouched ? findAmong(rows, prepared, 'free') : Promise.resolve(undefined)
}

function findAmong(rows: KnownRows, { productId, grouping }: Prepared, which: Which): Promise<IssueFacts | undefined> {
  return findByHashes(grouping, (hash) => rows.issue(productId, hash, which))
}

/** A row with all counters at zero: `updateIssue` adds the first occurrence like every other. */
async function createIssue(
  tools: RecordTools,
  prepared: Prepared,
  place: EventPlace,
  componentId: () => Promise<string>,
): Promise<IssueFacts> {
  const { prepare, platform, rows } = tools
  const { productId, event, grouping } = prepared
  const number = await takeNumber(prepare, productId, 'issue')
  const id = platform.newId()
  const { algorithm, basis, hash, explanation } = grouping
  const facts = {
    id,
    status: 'unresolved',
    resolved_in: null,
    fixed_in: null,
    ignore_until: null,
    component_id: await componentId(),
    first_seen: event.timestamp,
    last_seen: event.timestamp,
    times_seen: 0,
  }
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
    facts.component_id,
    JSON.stringify({ algorithm, basis, hash, explanation }),
    platform.now(),
  )
  rows.addIssue(facts)
  return facts
}

function addOccurrence(
  { platform, rows, occurrences }: RecordTools,
  { productId, event, summary, vouched }: Prepared,
  {
    issueId,
    place,
    before,
    kept,
  }: { issueId: string; place: EventPlace; before: IssueFacts | undefined; kept: KeptBody },
): NewOccurrence {
  const id = platform.newId()
  rows.addOccurrence(productId, event.sdk_event_id, { id, vouched: vouched ? 1 : 0 })
  return occurrences.add(id, [
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
  ])
}
