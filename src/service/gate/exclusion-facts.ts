import type * as z from 'zod'
import { Exclusion, ExclusionKind } from '../../contract/quality-gate/verdict.ts'
import { knownIssues } from '../errors/issues/read/gate-known.ts'
import { requirementKey, testKey } from '../quality/keys.ts'
import { dayMs, timestamp, timestampOrNull } from '../shared/times.ts'
import { readJson } from '../sql/json.ts'
import type { Rows } from '../sql/database.ts'
import { StoredActor } from '../workspace/actor.ts'
import { isKnownEnvironment } from '../workspace/releases/rules.ts'
import type { ExclusionFact } from './facts.ts'

/** How long exclusions that a person has seen are listed. */
export const SEEN_MS = 30 * dayMs

/** The exclusions of a product with what `describe` needs. */
export function exclusions(rows: Rows, productId: number) {
  return rows
    .selectFrom('exclusion')
    .select(['id', 'kind', 'item_type', 'item_id', 'actor', 'by_agent', 'at', 'reason', 'reviewed_by', 'reviewed_at'])
    .select('ended_at')
    .where('product_id', '=', productId)
}

export type StoredExclusion = Awaited<ReturnType<ReturnType<typeof exclusions>['execute']>>[number]

/** An exclusion, and the time at which it is no longer listed; infinite: as long as nothing changes it. */
export interface LastingExclusion {
  fact: ExclusionFact
  /** Epoch milliseconds. */
  until: number
}

/** `until` of an exclusion. */
export function listedUntil({ ended_at: endedAt, reviewed_at: seenAt }: StoredExclusion): number {
  return Math.min(endedAt ?? Infinity, seenAt === null ? Infinity : seenAt + SEEN_MS)
}

/** An exclusion, and what it was described as last: the same object again while it and its item stay as they are. */
export interface KeptExclusion {
  row: StoredExclusion
  described: LastingExclusion | undefined
}

/** Exclusions with the names of their items, without those whose item is gone. */
export async function describe(
  rows: Rows,
  productId: number,
  kept: readonly KeptExclusion[],
): Promise<LastingExclusion[]> {
  const item = await findItems(rows, productId, kept)
  const actors = parsedOnce()
  const all: LastingExclusion[] = []
  for (const one of kept) {
    const excluded = item(one.row)
    if (excluded === undefined) continue
    const before = one.described?.fact.item
    if (before?.key !== excluded.key || before.title !== excluded.title)
      one.described = { fact: viewExclusion(one.row, excluded, actors), until: listedUntil(one.row) }
    if (one.described !== undefined) all.push(one.described)
  }
  return all
}

function viewExclusion(
  row: StoredExclusion,
  item: Pick<Item, 'key' | 'title'>,
  actors: ReturnType<typeof parsedOnce>,
): ExclusionFact {
  const { at, reviewed_by: by, reviewed_at: seenAt } = row
  const when = timestamp(at)
  return {
    id: row.id,
    kind: ExclusionKind.parse(row.kind),
    item: {
      type: Exclusion.shape.item.shape.type.parse(row.item_type),
      id: row.item_id,
      key: item.key,
      title: item.title,
    },
    actor: actors(row.actor),
    by_agent: row.by_agent === 1,
    at: when,
    reason: row.reason,
    reviewed_by: by === null ? null : actors(by),
    // A person who excludes something has seen it at once.
    reviewed_at: seenAt === at ? when : timestampOrNull(seenAt),
  }
}

/** Parses each distinct actor once: thousands of exclusions share a few. */
function parsedOnce() {
  const known = new Map<string, z.output<typeof StoredActor>>()
  return (json: string) => {
    const actor = known.get(json) ?? readJson(StoredActor, json)
    known.set(json, actor)
    return actor
  }
}

/** The key and the title of the item of each exclusion; undefined where it is gone. */
async function findItems(rows: Rows, productId: number, kept: readonly KeptExclusion[]) {
  const known = await knownIssues(rows, productId)
  const [issueIds, others]: [string[], StoredExclusion[]] = [[], []]
  for (const { row } of kept) {
    if (row.item_type === 'issue') issueIds.push(row.item_id)
    else others.push(row)
  }
  const issues = await known(issueIds)
  const items = await readItems(rows, others)
  return ({ item_type: type, item_id: id, kind }: StoredExclusion): Pick<Item, 'key' | 'title'> | undefined => {
    if (type === 'issue') return issues.get(id)?.name
    const ends = id.split('/').map((end) => items.get(end))
    const isGone = ends.some((end) => end === undefined || (end.isDeleted && !kind.endsWith('_deleted')))
    return isGone ? undefined : { key: ends.map((end) => end?.key).join(' > '), title: ends[0]?.title ?? '' }
  }
}

interface Item {
  key: string
  title: string
  isDeleted: boolean
}

/** Requirements, tests and environments by id, deleted ones too; of a link both ends. */
async function readItems(rows: Rows, found: readonly StoredExclusion[]): Promise<Map<string, Item>> {
  const items = new Map<string, Item>()
  if (found.length === 0) return items
  const isAmong = (column: string, ids: readonly string[]) => rows.dialect.isOneOf(column, ids)
  const named = (...types: string[]) => [
    ...new Set(found.flatMap((row) => (types.includes(row.item_type) ? row.item_id.split('/') : []))),
  ]
  const columns = ['id', 'number', 'title', 'deleted_at'] as const
  const requirements = rows
    .selectFrom('requirement')
    .select(columns)
    .where(isAmong('id', named('requirement', 'link')))
  const tests = rows
    .selectFrom('test')
    .select(columns)
    .where(isAmong('id', named('test', 'link')))
  const environments = rows
    .selectFrom('environment')
    .select(['id', 'name', 'origin', 'deleted_at'])
    .where(isAmong('id', named('environment')))
  for (const { id, deleted_at, ...row } of await environments.execute()) {
    const key = isKnownEnvironment(row) ? row.name : id
    items.set(id, { key, title: row.name, isDeleted: deleted_at !== null })
  }
  for (const { id, deleted_at, ...row } of await requirements.execute())
    items.set(id, { key: requirementKey(row), title: row.title, isDeleted: deleted_at !== null })
  for (const { id, deleted_at, ...row } of await tests.execute())
    items.set(id, { key: testKey(row), title: row.title, isDeleted: deleted_at !== null })
  return items
}
