import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql, type Expression } from 'kysely'
import {
  compileComponentRows,
  type ComponentGlobColumns,
  type Owners,
} from '../../../workspace/components/components.ts'
import { createLocator, type LocateFrame } from '../../../workspace/components/locate-frame.ts'
import { parseRepositoryRoots } from '../../../workspace/components/repo-path.ts'
import { namedPathsIn } from '../../../workspace/components/snapshot.ts'
import type { NormalEvent } from '../../event/event.ts'
import type { EventSymbolicator } from '../../../shared/event-symbolicator.ts'
import type { Database, Prepare, Rows } from '../../../sql/database.ts'
import { findOverflowIssue } from './overflow.ts'
import { setComponent } from '../../../workspace/activity.ts'
import { attributeEvent } from '../attribute-event.ts'
import type { StoredEvent } from '../bodies/body.ts'
import { createBodyReader } from '../bodies/read.ts'

/** Issues per transaction when all issues of a product are attributed again. */
const STEP = 50

/** Id of the component that owns an event, '' for none; runs inside the caller's transaction. */
export type Attribute = (
  prepare: Prepare,
  productId: number,
  event: Pick<NormalEvent, 'exceptions' | 'threads'>,
  locate: LocateFrame,
) => string

/** Finds files of one event's frames; `repository` is the product's column. Runs inside the caller's transaction. */
export type OpenLocator = (prepare: Prepare, productId: number, repository: string) => LocateFrame

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

  function ownersIn(prepare: Prepare, productId: number): Owners {
    const state = stateIn(prepare, productId)
    const known = kept.get(productId)
    if (known?.state === state) return known.owners
    const statement = prepare('SELECT id, path_globs, exclude_globs, position FROM component WHERE product_id = ?')
    const owners = compileComponentRows(statement.all<ComponentGlobColumns>(productId))
    kept.set(productId, { state, owners })
    return owners
  }

  const attribute: Attribute = (prepare, productId, event, locate) =>
    attributeEvent(ownersIn(prepare, productId), event, locate)

  const locator: OpenLocator = (prepare, productId, repository) => {
    let opened: LocateFrame | undefined
    const open = () =>
      createLocator({
        roots: parseRepositoryRoots(repository),
        named: namedPathsIn(prepare, productId),
        folders: ownersIn(prepare, productId).folders,
      })
    // Most events are of a known place in the code, and ask for nothing.
    return (frame) => (opened ??= open())(frame)
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
      const events: { id: string; event: StoredEvent }[] = []
      for (const { id, body, dictionary_id } of issues) {
        if (body === null || id === overflow) continue
        // Unpacking keeps the process busy: let everything else run between two events.
        await nextTurn()
        const { event: sent } = await readBody({ body, dictionary_id })
        const { event } = await symbolicator.symbolicate(productId, sent)
        events.push({ id, event })
      }
      await db.batch((prepare) => {
        for (const { id, event } of events) reattributeIssue(prepare, { id, productId }, event)
      })
    }
  }

  function reattributeIssue(prepare: Prepare, issue: { id: string; productId: number }, event: StoredEvent): void {
    const product = prepare('SELECT repository FROM product WHERE id = ?').get<{ repository: string }>(issue.productId)
    if (product === undefined) return
    const locate = locator(prepare, issue.productId, product.repository)
    const componentId = attribute(prepare, issue.productId, event, locate)
    setComponent(prepare, issue.id, componentId)
  }

  return { attribute, locator, reattribute, forget: (productId: number) => void kept.delete(productId) }
}

/** Differs after every change of a product's components. */
function stateIn(prepare: Prepare, productId: number): string {
  const row = prepare(
    'SELECT count(*) AS count, max(updated_at) AS newest, sum(version) AS versions FROM component WHERE product_id = ?',
  ).get<{ count: number; newest: number | null; versions: number | null }>(productId)
  return [row?.count, row?.newest, row?.versions].join(' ')
}

/** The next unresolved issues after a given one, by id, each with the body of its newest occurrence that has one. */
async function newestEvents(rows: Rows, productId: number, after: string) {
  return rows
    .selectFrom('issue')
    .leftJoin('occurrence', (join) => join.on((eb) => eb('seq', '=', newestSeq(eb.ref('issue.id')))))
    .select(['issue.id', 'body', 'dictionary_id'])
    .where('issue.product_id', '=', productId)
    .where('status', '=', 'unresolved')
    .where('issue.id', '>', after)
    .orderBy('issue.id')
    .limit(STEP)
    .execute()
}

function newestSeq(issueId: Expression<string>) {
  return sql<number>`(SELECT seq FROM occurrence WHERE issue_id = ${issueId} AND body IS NOT NULL
    ORDER BY timestamp DESC, seq DESC LIMIT 1)`
}
