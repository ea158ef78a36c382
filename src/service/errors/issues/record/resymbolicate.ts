import { setImmediate as nextTurn } from 'node:timers/promises'
import type * as z from 'zod'
import type { Grouping } from '../../grouping/index.ts'
import type { Attribute } from './attribution.ts'
import { parseRepositoryRoots } from '../../../workspace/repo-path.ts'
import { unpackBody, type StoredEvent } from '../event-body.ts'
import { Summary } from '../columns.ts'
import { corroborate } from './corroboration.ts'
import { issueFrames, replaceIssueFrames } from '../issue-frames.ts'
import { attachIssueHashes } from './record-event.ts'
import { readAgain } from '../symbolication.ts'
import type { Database, Prepare, Rows } from '../../../sql/database.ts'
import type { Symbolicator } from '../../sourcemaps/symbolicate/symbolicator.ts'
import { readJson } from '../../../sql/json.ts'

/** Issues whose newest event is read anew, the newest first; the others follow with their next event. */
const MOST_ISSUES = 1_000
/**
 * Bytes of the events that are read anew, as they were sent: a confirm waits for it, and a stranger may have sent a
 * thousand of the largest (decision 011). Of those that follow only smaller ones still fit.
 */
const MOST_BYTES = 32 * 1024 ** 2
/** Issues per transaction. */
const STEP = 50
/** How often an issue is tried that gets a newer event meanwhile. */
const MOST_ROUNDS = 3

export interface Resymbolicating {
  db: Database
  symbolicator: Pick<Symbolicator, 'symbolicate' | 'changed'>
  attribute: Attribute
  /** Smaller in tests. */
  mostBytes?: number
}

/** Says of an event whether it is still read. */
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
 * Reads the newest event of each issue anew that occurred in a release, or has a frame with one of the debug ids: title,
 * culprit, component, corroboration, grouping, hashes and places in the code are then those of its sources. Status,
 * counters and etag stay. Where a new hash leads to another issue already, both issues stay. Answers how many issues
 * changed; calling it again changes nothing.
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
  const releases = await rows
    .selectFrom('release')
    .select('id')
    .where('product_id', '=', productId)
    .where('version', '=', version)
    .execute()
  if (releases.length === 0) return []
  const found = await rows
    .selectFrom('issue_presence')
    .innerJoin('issue', 'issue.id', 'issue_presence.issue_id')
    .select('issue.id')
    .where(
      'issue_presence.release_id',
      'in',
      releases.map(({ id }) => id),
    )
    .where('issue.product_id', '=', productId)
    .groupBy('issue.id')
    .orderBy('issue.last_seen', 'desc')
    .orderBy('issue.id', 'desc')
    .limit(MOST_ISSUES)
    .execute()
  return found.map(({ id }) => id)
}

/** Debug ids stand only in the events themselves: the newest issues are looked through. */
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
  const found: string[] = []
  for (const { id } of issues) {
    await nextTurn()
    const newest = await newestOccurrence(rows, id)
    if (newest !== undefined && affords(newest) && hasDebugId(unpackBody(newest.body).event, wanted)) found.push(id)
  }
  return found
}

function hasDebugId({ exceptions, threads }: StoredEvent, wanted: ReadonlySet<string>): boolean {
  return [...exceptions, ...threads].some(({ frames }) => frames.some((frame) => wanted.has(frame.debug_id)))
}

interface NewestOccurrence {
  id: string
  releaseId: string
  summary: string
  body: Uint8Array
  sizeBytes: number
}

/** The newest occurrence that has its body. */
async function newestOccurrence(rows: Rows, issueId: string): Promise<NewestOccurrence | undefined> {
  const found = await rows
    .selectFrom('occurrence')
    .select(['id', 'release_id', 'summary', 'body', 'size_bytes'])
    .where('issue_id', '=', issueId)
    .where('body', 'is not', null)
    .orderBy('timestamp', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (found === undefined || found.body === null) return undefined
  const { id, release_id: releaseId, summary, body, size_bytes: sizeBytes } = found
  return { id, releaseId, summary, body, sizeBytes }
}

/** An issue with its newest event as it reads now. */
interface Renewed {
  issueId: string
  productId: number
  occurrence: NewestOccurrence
  event: StoredEvent
  grouping: Grouping
  summary: string
}

async function renew(
  tools: Resymbolicating,
  productId: number,
  issueIds: readonly string[],
  affords: Affords,
): Promise<{ changed: number; late: string[] }> {
  const renewed: Renewed[] = []
  for (const issueId of issueIds) {
    // Everything else of the process runs between two events.
    await nextTurn()
    const occurrence = await newestOccurrence(tools.db.read, issueId)
    if (occurrence === undefined || !affords(occurrence)) continue
    const read = await readAgain(tools.symbolicator, productId, unpackBody(occurrence.body).event)
    const summary = renewedSummary(occurrence.summary, read.grouping.title, read.symbolication.state)
    // Nothing mapped and the state as before: the event reads as it did.
    if (read.symbolication.frames_mapped === 0 && summary === occurrence.summary) continue
    renewed.push({ issueId, productId, occurrence, event: read.event, grouping: read.grouping, summary })
  }
  if (renewed.length === 0) return { changed: 0, late: [] }
  return tools.db.batch((prepare) => {
    const outcomes = renewed.map((issue) => ({ id: issue.issueId, outcome: write(prepare, tools.attribute, issue) }))
    return {
      changed: outcomes.filter(({ outcome }) => outcome === 'changed').length,
      late: outcomes.filter(({ outcome }) => outcome === 'late').map(({ id }) => id),
    }
  })
}

function renewedSummary(stored: string, title: string, state: z.input<typeof Summary>['symbolication_state']): string {
  return JSON.stringify({ ...readJson(Summary, stored), title, symbolication_state: state })
}

/** Late: the issue has got a newer event since this one was read. */
function write(prepare: Prepare, attribute: Attribute, renewed: Renewed): 'changed' | 'same' | 'late' {
  const { issueId, productId, occurrence, event, grouping, summary } = renewed
  const newest = prepare(
    'SELECT id FROM occurrence WHERE issue_id = ? AND body IS NOT NULL ORDER BY timestamp DESC, id DESC LIMIT 1',
  ).get<{ id: string }>(issueId)
  if (newest?.id !== occurrence.id) return 'late'
  const product = prepare('SELECT repository FROM product WHERE id = ?').get<{ repository: string }>(productId)
  if (product === undefined) return 'same'
  const attached = attachIssueHashes(prepare, renewed, issueId)
  const face = prepare(
    `UPDATE issue SET title = ?1, type = ?2, value = ?3, culprit = ?4, corroboration = ?5, component_id = ?6
     WHERE id = ?7 AND (title, type, value, culprit, corroboration, component_id) <> (?1, ?2, ?3, ?4, ?5, ?6)`,
  ).run(
    grouping.title,
    grouping.type,
    grouping.value,
    grouping.culprit,
    JSON.stringify(corroborate(event, occurrence.releaseId)),
    attribute(prepare, productId, event, product.repository),
    issueId,
  )
  const summed = prepare('UPDATE occurrence SET summary = ?1 WHERE id = ?2 AND summary <> ?1').run(
    summary,
    occurrence.id,
  )
  const grouped = writeGrouping(prepare, renewed)
  if (!attached && face.changes + summed.changes + grouped === 0) return 'same'
  replaceIssueFrames(prepare, productId, issueId, issueFrames(event, parseRepositoryRoots(product.repository)))
  return 'changed'
}

/** What an issue says of its grouping is about a hash that leads to it; a hash of another issue stays with that one. */
function writeGrouping(prepare: Prepare, { issueId, productId, grouping }: Renewed): number {
  const { algorithm, basis, hash, explanation } = grouping
  const owner = prepare('SELECT issue_id FROM issue_hash WHERE product_id = ? AND hash = ?').get<{ issue_id: string }>(
    productId,
    hash,
  )
  if (owner?.issue_id !== issueId) return 0
  const text = JSON.stringify({ algorithm, basis, hash, explanation })
  return prepare('UPDATE issue SET grouping = ?1 WHERE id = ?2 AND grouping <> ?1').run(text, issueId).changes
}
