import { setImmediate as nextTurn } from 'node:timers/promises'
import type * as z from 'zod'
import type { Grouping } from '../../grouping/index.ts'
import type { LocateEvent } from './attribution.ts'
import type { StoredEvent } from '../bodies/body.ts'
import { createBodyReader, type PackedEvent } from '../bodies/read.ts'
import { Summary, writeSummary } from '../columns.ts'
import type { ClaimCheck } from './claims.ts'
import { corroborate, storedCorroboration } from './corroboration.ts'
import { replaceIssueFrames } from '../issue-frames.ts'
import { findOverflowIssue } from './overflow.ts'
import { setComponent } from '../../../workspace/activity.ts'
import { noteIssueChange } from '../../../workspace/issue-facts/revision.ts'
import { attachIssueHashes } from './attach-hashes.ts'
import { regroup } from '../symbolication.ts'
import type { Database, Prepare, Rows } from '../../../sql/database.ts'
import type { Symbolicator } from '../../sourcemaps/symbolicate/symbolicator.ts'
import { readJson } from '../../../sql/json.ts'

/** Issues that are updated, the most recent first; the others follow with their next event. */
const MOST_ISSUES = 1_000
/**
 * Bytes of the events that are read, as they were sent: a confirm waits for this, and a stranger may have sent a
 * thousand events of the largest size (decision 011). Once an event does not fit, later ones are read only if they are
 * small enough.
 */
const MOST_BYTES = 32 * 1024 ** 2
/** Issues per transaction. */
const STEP = 50
/** Bytes of their events, as they were sent: read, they take many times as much memory. One at least is read. */
const MOST_BYTES_OF_STEP = 1_000_000
/** Attempts for an issue that keeps receiving newer events meanwhile. */
const MOST_ROUNDS = 3

export interface Resymbolicating {
  db: Database
  symbolicator: Pick<Symbolicator, 'symbolicate' | 'changed'>
  locate: LocateEvent
  claims: Pick<ClaimCheck, 'contradicts'>
  /** Smaller in tests. */
  mostBytes?: number
}

/** Whether an event still fits into the budget; if so, it is deducted. */
type Affords = (event: NewestOccurrence) => boolean

function byteBudget(bytes: number): Affords {
  let left = bytes
  return ({ sizeBytes }) => {
    const fits = sizeBytes <= left
    if (fits) left -= sizeBytes
    return fits
  }
}

/**
 * Updates each issue that occurred in a release, or has a frame with one of the debug ids, from its newest event:
 * title, culprit, component, corroboration, grouping, hashes and code locations are then those of its sources. Status,
 * counters and etag stay. If a new hash already leads to another issue, both issues stay. Resolves to the number of
 * issues that changed; calling it again changes nothing.
 */
export async function resymbolicate(
  tools: Resymbolicating,
  productId: number,
  release: string,
  debugIds: readonly string[],
): Promise<number> {
  const { db, symbolicator, mostBytes = MOST_BYTES } = tools
  const affords = byteBudget(mostBytes)
  symbolicator.changed(productId)
  const ids = new Set([
    ...(await issuesOfRelease(db.read, productId, release)),
    ...(await issuesWithDebugId(db.read, productId, debugIds, byteBudget(mostBytes))),
  ])
  // The issue that collects events of many kinds keeps its title.
  ids.delete(await findOverflowIssue(db.read, productId))
  let waiting = [...ids]
  let changed = 0
  for (let round = 0; round < MOST_ROUNDS && waiting.length > 0; round += 1) {
    const late: string[] = []
    for (let from = 0; from < waiting.length; from += STEP) {
      const outcome = await renew(tools, productId, waiting.slice(from, from + STEP), affords)
      changed += outcome.changed
      late.push(...outcome.late)
    }
    waiting = late
  }
  return changed
}

async function issuesOfRelease(rows: Rows, productId: number, version: string): Promise<string[]> {
  if (version === '') return []
  const found = await rows
    .selectFrom('issue')
    .select('id')
    .where('product_id', '=', productId)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('release')
          .innerJoin('issue_presence as here', (join) =>
            join
              .onRef('here.issue_id', '=', 'issue.id')
              .onRef('here.environment_id', '=', 'release.environment_id')
              .onRef('here.release_id', '=', 'release.id'),
          )
          .select('release.id')
          .where('release.product_id', '=', productId)
          .where('release.version', '=', version),
      ),
    )
    .orderBy('last_seen', 'desc')
    .orderBy('id', 'desc')
    .limit(MOST_ISSUES)
    .execute()
  return found.map(({ id }) => id)
}

/** Debug ids are stored only in the events themselves, so the most recent issues are searched. */
async function issuesWithDebugId(
  rows: Rows,
  productId: number,
  debugIds: readonly string[],
  affords: Affords,
): Promise<string[]> {
  if (debugIds.length === 0) return []
  const issues = await rows
    .selectFrom('issue')
    .select('id')
    .where('product_id', '=', productId)
    .orderBy('last_seen', 'desc')
    .orderBy('id', 'desc')
    .limit(MOST_ISSUES)
    .execute()
  const wanted = new Set(debugIds)
  const readBody = createBodyReader(rows)
  const found: string[] = []
  for (const { id } of issues) {
    await nextTurn()
    const newest = await newestOccurrence(rows, id)
    const event = newest !== undefined && affords(newest) ? (await readBody(newest))?.event : undefined
    if (event !== undefined && hasDebugId(event, wanted)) found.push(id)
  }
  return found
}

function hasDebugId({ exceptions, threads }: StoredEvent, wanted: ReadonlySet<string>): boolean {
  return [...exceptions, ...threads].some(({ frames }) => frames.some((frame) => wanted.has(frame.debug_id)))
}

interface NewestOccurrence extends PackedEvent {
  id: string
  releaseId: string
  summary: string
  sizeBytes: number
  vouched: boolean
}

/** The newest occurrence that still has its body. */
async function newestOccurrence(rows: Rows, issueId: string): Promise<NewestOccurrence | undefined> {
  const found = await rows
    .selectFrom('occurrence')
    .innerJoin('place', 'place.id', 'place_id')
    .select(['occurrence.id', 'release_id', 'summary', 'body', 'dictionary_id', 'size_bytes', 'vouched'])
    .where('issue_id', '=', issueId)
    .where('body', 'is not', null)
    .orderBy('timestamp', 'desc')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (found === undefined || found.body === null) return undefined
  const { id, release_id: releaseId, summary, body, dictionary_id, size_bytes: sizeBytes } = found
  return { id, releaseId, summary, body, dictionary_id, sizeBytes, vouched: found.vouched === 1 }
}

/** An issue with its newest event, source maps applied. */
interface Renewed {
  issueId: string
  productId: number
  occurrence: NewestOccurrence
  event: StoredEvent
  grouping: Grouping
  summary: string
}

interface Outcome {
  changed: number
  /** Issues that have received newer events meanwhile. */
  late: string[]
}

async function renew(
  tools: Resymbolicating,
  productId: number,
  issueIds: readonly string[],
  affords: Affords,
): Promise<Outcome> {
  const outcome: Outcome = { changed: 0, late: [] }
  const renewed: Renewed[] = []
  const contradicted: string[] = []
  let bytes = 0

  async function writeStep(): Promise<void> {
    const { changed, late } = await writeAll(tools, renewed.splice(0), contradicted.splice(0))
    outcome.changed += changed
    outcome.late.push(...late)
    bytes = 0
  }

  const readBody = createBodyReader(tools.db.read)
  for (const issueId of issueIds) {
    // Let everything else of the process run between two events.
    await nextTurn()
    const occurrence = await newestOccurrence(tools.db.read, issueId)
    if (occurrence === undefined || !affords(occurrence)) continue
    const sent = (await readBody(occurrence))?.event
    if (sent === undefined) continue
    const read = await regroup(tools.symbolicator, productId, sent)
    if (await tools.claims.contradicts(productId, read.event)) contradicted.push(issueId)
    const summary = renewedSummary(occurrence.summary, read.grouping.title, read.symbolication.state)
    // Nothing was mapped and the state is unchanged: so is the event.
    if (read.symbolication.frames_mapped === 0 && summary === occurrence.summary) continue
    renewed.push({ issueId, productId, occurrence, event: read.event, grouping: read.grouping, summary })
    bytes += occurrence.sizeBytes
    if (bytes >= MOST_BYTES_OF_STEP) await writeStep()
  }
  await writeStep()
  return outcome
}

async function writeAll(
  tools: Resymbolicating,
  renewed: readonly Renewed[],
  contradicted: readonly string[],
): Promise<Outcome> {
  if (renewed.length + contradicted.length === 0) return { changed: 0, late: [] }
  return tools.db.batch(async (prepare) => {
    for (const issueId of contradicted) await contradict(prepare, issueId)
    const late: string[] = []
    let changed = 0
    for (const issue of renewed) {
      const outcome = await write(prepare, tools, issue)
      if (outcome === 'changed') changed += 1
      if (outcome === 'late') late.push(issue.issueId)
    }
    return { changed, late }
  })
}

/** Of several events only the newest was read. */
async function contradict(prepare: Prepare, issueId: string): Promise<void> {
  await prepare('UPDATE issue SET contradicted = 1 WHERE id = ? AND times_seen = 1').run(issueId)
  await noteIssueChange(prepare, issueId)
}

/** The summary with another title or state; the text as it is stored when they are the same. */
function renewedSummary(stored: string, title: string, state: z.output<typeof Summary>['symbolication_state']): string {
  const before = readJson(Summary, stored)
  if (before.title === title && before.symbolication_state === state) return stored
  return writeSummary({ ...before, title, symbolication_state: state })
}

/** `late` means that the issue has received a newer event since this one was read. */
async function write(
  prepare: Prepare,
  { locate }: Pick<Resymbolicating, 'locate'>,
  renewed: Renewed,
): Promise<'changed' | 'same' | 'late'> {
  const { issueId, productId, occurrence, event, grouping, summary } = renewed
  const newest = await prepare(
    'SELECT id FROM occurrence WHERE issue_id = ? AND body IS NOT NULL ORDER BY timestamp DESC, seq DESC LIMIT 1',
  ).get<{ id: string }>(issueId)
  if (newest?.id !== occurrence.id) return 'late'
  const select = prepare('SELECT repository FROM product WHERE id = ?')
  const product = await select.get<{ repository: string }>(productId)
  if (product === undefined) return 'same'
  const attached = await attachIssueHashes(prepare, { ...renewed, vouched: occurrence.vouched }, issueId)
  const face = await prepare(
    `UPDATE issue SET title = ?1, type = ?2, value = ?3, culprit = ?4, corroboration = ?5
     WHERE id = ?6 AND (title, type, value, culprit, corroboration) <> (?1, ?2, ?3, ?4, ?5)`,
  ).run(
    grouping.title,
    grouping.type,
    grouping.value,
    grouping.culprit,
    storedCorroboration(occurrence.releaseId, corroborate(event)),
    issueId,
  )
  const located = await locate(prepare, { id: productId, repository: product.repository }, event)
  const moved = await setComponent(prepare, issueId, located.componentId())
  const summing = prepare('UPDATE occurrence SET summary = ?1 WHERE id = ?2 AND summary <> ?1')
  const summed = await summing.run(summary, occurrence.id)
  const grouped = await writeGrouping(prepare, renewed)
  if (!attached && !moved && face.changes + summed.changes + grouped === 0) return 'same'
  await replaceIssueFrames(prepare, productId, issueId, located.frames())
  return 'changed'
}

/** An issue's grouping describes a hash that leads to it; a hash that belongs to another issue is not written here. */
async function writeGrouping(prepare: Prepare, { issueId, productId, grouping }: Renewed): Promise<number> {
  const { algorithm, basis, hash, explanation } = grouping
  const select = prepare('SELECT issue_id FROM issue_hash WHERE product_id = ? AND hash = ?')
  const owner = await select.get<{ issue_id: string }>(productId, hash)
  if (owner?.issue_id !== issueId) return 0
  const text = JSON.stringify({ algorithm, basis, hash, explanation })
  const update = prepare('UPDATE issue SET grouping = ?1 WHERE id = ?2 AND grouping <> ?1')
  const { changes } = await update.run(text, issueId)
  return changes
}
