import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql, type Expression } from 'kysely'
import {
  compileComponentRows,
  type ComponentGlobColumns,
  type Owners,
} from '../../../workspace/components/components.ts'
import { createLocator, wantedNames } from '../../../workspace/components/locate-frame.ts'
import { parseRepositoryRoots } from '../../../workspace/components/repo-path.ts'
import { namedPathsIn } from '../../../workspace/components/snapshot.ts'
import type { NormalEvent } from '../../event/event.ts'
import type { EventSymbolicator } from '../../../shared/event-symbolicator.ts'
import type { Database, Prepare, Rows } from '../../../sql/database.ts'
import { findOverflowIssue } from './overflow.ts'
import { setComponent } from '../../../workspace/activity.ts'
import { attributeEvent, ownFrames } from '../attribute-event.ts'
import { issueFrames, type IssueFrame } from '../issue-frames.ts'
import type { StoredEvent } from '../bodies/body.ts'
import { createBodyReader } from '../bodies/read.ts'

/** Issues per transaction when all issues of a product are attributed again. */
const STEP = 50
/** Bytes of their events, as they were sent: read, they take many times as much memory. One at least is read. */
const MOST_BYTES = 1_000_000

/** Files of one event that are read for the names to look up, the nearest to the crash first (decision 011). */
const MOST_FILES = 500

/** Where an event is in the code of its product. */
export interface LocatedEvent {
  /** Id of the component that owns it, '' for none. */
  componentId: () => string
  /** See `issueFrames`. */
  frames: () => IssueFrame[]
}

/**
 * Reads what locating an event needs, inside the caller's transaction: the components of its product, and known paths
 * with the names of its files. `repository` is the product's column.
 */
export type LocateEvent = (
  prepare: Prepare,
  product: { id: number; repository: string },
  event: Pick<NormalEvent, 'exceptions' | 'threads'>,
) => Promise<LocatedEvent>

export interface AttributionOptions {
  db: Database
  symbolicator: EventSymbolicator
}

/**
 * Attributes events to components; the components of a product are compiled once and kept until `forget` is called or
 * another process has changed one.
 */
export function createAttribution({ db, symbolicator }: AttributionOptions) {
  const kept = new Map<number, { state: string; owners: Owners }>()
  let forgotten = 0

  async function ownersIn(prepare: Prepare, productId: number): Promise<Owners> {
    const before = forgotten
    const state = await stateIn(prepare, productId)
    const known = kept.get(productId)
    if (known?.state === state) return known.owners
    const statement = prepare('SELECT id, path_globs, exclude_globs, position FROM component WHERE product_id = ?')
    const owners = compileComponentRows(await statement.all<ComponentGlobColumns>(productId))
    // What was read before a change is not for the transactions after it.
    if (before === forgotten) kept.set(productId, { state, owners })
    return owners
  }

  const locate: LocateEvent = async (prepare, { id, repository }, event) => {
    const roots = parseRepositoryRoots(repository)
    const owners = await ownersIn(prepare, id)
    const named = await namedPathsIn(prepare, id, wantedNames([...ownFrames(event).take(MOST_FILES)], roots))
    const locateFrame = createLocator({ roots, named, folders: owners.folders })
    return {
      componentId: () => attributeEvent(owners, event, locateFrame),
      frames: () => issueFrames(event, locateFrame),
    }
  }

  /** Attributes every unresolved issue by its newest occurrence, a few per transaction. */
  async function reattribute(productId: number): Promise<void> {
    const overflow = await findOverflowIssue(db.read, productId)
    const readBody = createBodyReader(db.read)
    for (let after = ''; ;) {
      const issues = await newestEvents(db.read, productId, after)
      const last = issues.at(-1)
      if (last === undefined) return
      after = last.id
      const events: NewestEvent[] = []
      let bytes = 0
      for (const { id, body, dictionary_id, size_bytes } of issues) {
        if (body === null || id === overflow) continue
        // Unpacking keeps the process busy: let everything else run between two events.
        await nextTurn()
        const sent = (await readBody({ body, dictionary_id }))?.event
        if (sent === undefined) continue
        const { event } = await symbolicator.symbolicate(productId, sent)
        events.push({ id, event })
        bytes += size_bytes ?? 0
        if (bytes < MOST_BYTES) continue
        await reattributeIssues(productId, events.splice(0))
        bytes = 0
      }
      await reattributeIssues(productId, events)
    }
  }

  async function reattributeIssues(productId: number, events: readonly NewestEvent[]): Promise<void> {
    if (events.length === 0) return
    await db.batch(async (prepare) => {
      for (const { id, event } of events) await reattributeIssue(prepare, { id, productId }, event)
    })
  }

  async function reattributeIssue(
    prepare: Prepare,
    { id, productId }: { id: string; productId: number },
    event: StoredEvent,
  ): Promise<void> {
    const select = prepare('SELECT repository FROM product WHERE id = ?')
    const product = await select.get<{ repository: string }>(productId)
    if (product === undefined) return
    const located = await locate(prepare, { id: productId, repository: product.repository }, event)
    await setComponent(prepare, id, located.componentId())
  }

  function forget(productId: number): void {
    forgotten += 1
    kept.delete(productId)
  }

  return { locate, reattribute, forget }
}

/** An issue's newest event, source maps applied. */
interface NewestEvent {
  /** Of the issue. */
  id: string
  event: StoredEvent
}

/** Differs after every change of a product's components. */
async function stateIn(prepare: Prepare, productId: number): Promise<string> {
  const row = await prepare(
    'SELECT count(*) AS count, max(updated_at) AS newest, sum(version) AS versions FROM component WHERE product_id = ?',
  ).get<{ count: number; newest: number | null; versions: number | null }>(productId)
  return [row?.count, row?.newest, row?.versions].join(' ')
}

/** The next unresolved issues after a given one, by id, each with the body of its newest occurrence that has one. */
async function newestEvents(rows: Rows, productId: number, after: string) {
  return rows
    .selectFrom('issue')
    .leftJoin('occurrence', (join) => join.on((eb) => eb('seq', '=', newestSeq(eb.ref('issue.id')))))
    .select(['issue.id', 'body', 'dictionary_id', 'size_bytes'])
    .where('issue.product_id', '=', productId)
    .where('issue.id', '>', after)
    .orderBy('issue.id')
    .limit(STEP)
    .execute()
}

function newestSeq(issueId: Expression<string>) {
  return sql<number>`(SELECT seq FROM occurrence WHERE issue_id = ${issueId} AND body IS NOT NULL
    ORDER BY timestamp DESC, seq DESC LIMIT 1)`
}
