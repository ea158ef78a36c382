import * as z from 'zod'
import { attributeEvent, compileComponents } from '../components/attribution.ts'
import type { Owners } from '../components/attribution.ts'
import type { RepositoryRoots } from '../components/repo-path.ts'
import type { NormalEvent } from '../ingest/event.ts'
import type { Database, Statement } from '../sql/database.ts'
import { unpackBody } from './body.ts'

type Prepare = (sql: string) => Statement

/** Issues per transaction when all of a product are attributed anew: unpacking their bodies keeps the process busy. */
const STEP = 50
const Globs = z.array(z.string())
const Roots = z.object({ root_path: z.string().default(''), path_strip_prefixes: z.array(z.string()).default([]) })

export interface ComponentGlobs {
  id: string
  path_globs: string
  exclude_globs: string
  position: number
}

/** The matcher of all components of a product, from rows of `component`. */
export function ownersOf(rows: readonly ComponentGlobs[]): Owners {
  return compileComponents(
    rows.map(({ id, path_globs, exclude_globs, position }) => ({
      id,
      path_globs: Globs.parse(JSON.parse(path_globs)),
      exclude_globs: Globs.parse(JSON.parse(exclude_globs)),
      position,
    })),
  )
}

/** The members of `product.repository` (JSON) that paths are cut by. */
export function rootsOf(repository: string): RepositoryRoots {
  return Roots.parse(JSON.parse(repository))
}

/**
 * Attributes events to components; the components of a product are compiled once and kept until `forget`, or until
 * another process has changed one.
 */
export function createAttribution(db: Database) {
  const kept = new Map<number, { state: string; owners: Owners }>()

  function ownersIn(prepare: Prepare, productId: number): Owners {
    const state = stateIn(prepare, productId)
    const known = kept.get(productId)
    if (known?.state === state) return known.owners
    const statement = prepare('SELECT id, path_globs, exclude_globs, position FROM component WHERE product_id = ?')
    const owners = ownersOf(statement.all<ComponentGlobs>(productId))
    kept.set(productId, { state, owners })
    return owners
  }

  function attribute(prepare: Prepare, productId: number, event: AttributedEvent, repository: string): string {
    return attributeEvent(ownersIn(prepare, productId), event, rootsOf(repository))
  }

  /** Attributes every unresolved issue by its newest occurrence, a few per transaction. */
  async function reattribute(productId: number): Promise<void> {
    let after: string | undefined = ''
    while (after !== undefined) {
      const from: string = after
      after = await db.batch((prepare) => reattributeStep(prepare, productId, from, attribute))
    }
  }

  return { attribute, reattribute, forget: (productId: number) => void kept.delete(productId) }
}

/** Differs after every change of a product's components. */
function stateIn(prepare: Prepare, productId: number): string {
  const row = prepare(
    'SELECT count(*) AS count, max(updated_at) AS newest, sum(version) AS versions FROM component WHERE product_id = ?',
  ).get<{ count: number; newest: number | null; versions: number | null }>(productId)
  return [row?.count, row?.newest, row?.versions].join(' ')
}

type AttributedEvent = Pick<NormalEvent, 'exceptions' | 'threads'>

/** Id of the last issue looked at, undefined when none was left. */
function reattributeStep(
  prepare: Prepare,
  productId: number,
  after: string,
  attribute: (prepare: Prepare, productId: number, event: AttributedEvent, repository: string) => string,
): string | undefined {
  const product = prepare('SELECT repository FROM product WHERE id = ?').get<{ repository: string }>(productId)
  if (product === undefined) return undefined
  const issues = prepare(
    `SELECT id, (SELECT body FROM occurrence WHERE issue_id = issue.id AND body IS NOT NULL
       ORDER BY timestamp DESC, id DESC LIMIT 1) AS body
     FROM issue WHERE product_id = ? AND status = 'unresolved' AND id > ? ORDER BY id LIMIT ?`,
  ).all<{ id: string; body: Uint8Array | null }>(productId, after, STEP)
  for (const { id, body } of issues) {
    if (body === null) continue
    const componentId = attribute(prepare, productId, unpackBody(body).event, product.repository)
    prepare('UPDATE issue SET component_id = ?1 WHERE id = ?2 AND component_id <> ?1').run(componentId, id)
  }
  return issues.at(-1)?.id
}
