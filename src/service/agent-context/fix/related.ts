import type { Rows } from '../../sql/database.ts'
import type { EventSymbolicator } from '../../shared/event-symbolicator.ts'
import type { NoteTruncation } from '../../shared/truncation-notes.ts'
import { keptUntilEvent } from '../../workspace/issue-facts/kept-until-event.ts'
import { readIssueMarks } from '../../workspace/issue-facts/marks.ts'
import type { RelatedBody } from './bodies.ts'
import { newestRootError, sameCause, type RootError } from './same-cause.ts'

const SHOWN = 5
/** The most places of the issue that are looked up, nearest to the crash. */
const PLACES = 20
/** The most issues read per place, newest first: an entry point such as a router is in the stack of every issue. */
const ISSUES_PER_PLACE = 500
/** How many of the issues that share the most are compared by when they were last seen. */
const COMPARED = 200
/** A place with fewer issues is never common. */
const LEAST_COMMON = 4
/** A place that this part of all issues go through says nothing about one of them. */
const COMMON_PART = 1 / 3

export interface RelatedQuery {
  keyPrefix: string
  symbolicator: EventSymbolicator
  /** Resolves to the root error of the issue's newest occurrence. */
  root: Promise<RootError | undefined>
  note: NoteTruncation
}

/**
 * Up to five other issues of the product whose in-app frames share places (path and function) with those of this one:
 * those with the same cause first, then the rarest shared places, then last seen first. Places that a third of all
 * issues go through do not count unless both crash there, and doubted issues (contract §10.1) are left out.
 */
export async function relatedIssues(
  rows: Rows,
  issue: { id: string; product_id: number },
  { keyPrefix, symbolicator, root, note }: RelatedQuery,
): Promise<RelatedBody[]> {
  const candidates = await readCandidates(rows, issue)
  if (candidates.size === 0) return []
  const found = await rows
    .selectFrom('issue')
    .select(['id', 'number', 'title', 'last_seen', 'suspicious', 'contradicted'])
    .where(rows.dialect.isOneOf('id', [...candidates.keys()]))
    .execute()
  const sound = found.filter(({ suspicious, contradicted }) => suspicious !== 1 && contradicted !== 1)
  note('related_issues', 'doubted', sound.length, found.length)
  const nearest = sound
    .map((row) => ({ ...row, ...candidates.get(row.id)! }))
    .toSorted((left, right) => right.weight - left.weight || right.last_seen - left.last_seen)
  note('related_issues', 'count', Math.min(SHOWN, nearest.length), nearest.length)
  const own = await root
  const related = await Promise.all(
    nearest.slice(0, SHOWN).map(async ({ id, number, title, count }): Promise<RelatedBody> => {
      const other = own && (await newestRootError(rows, symbolicator, { id, product_id: issue.product_id }))
      const same_cause = sameCause(own, other)
      return { id, short_id: `${keyPrefix}-${number}`, title, shared_frames: count, same_cause }
    }),
  )
  return related.toSorted((left, right) => Number(right.same_cause !== null) - Number(left.same_cause !== null))
}

/** Of a candidate. */
const CANDIDATE_BYTES = 200

/**
 * The issues that share the rarest places, by id, found again only after a change of an issue that no event of a known place
 * makes (decision 089), or when another number of issues makes a place common.
 */
async function readCandidates(
  rows: Rows,
  { id, product_id: productId }: { id: string; product_id: number },
): Promise<ReadonlyMap<string, Shared>> {
  // Before the places.
  const [{ factsRevision }, issues] = await Promise.all([readIssueMarks(rows, productId), countIssues(rows, productId)])
  const common = Math.max(LEAST_COMMON, COMMON_PART * issues)
  // No event changes places without that revision.
  return keptUntilEvent(
    rows,
    { id, last_seq: 0 },
    {
      name: 'issues that share places',
      basis: `${String(factsRevision)} ${String(common)}`,
      async read() {
        const shared = await sharedPlaces(rows, { id, product_id: productId }, common)
        return new Map([...shared].toSorted(rarestFirst).slice(0, COMPARED))
      },
      size: (candidates) => CANDIDATE_BYTES * candidates.size,
    },
  )
}

interface Shared {
  count: number
  /** The sum of the rarity of the shared places, each at most 1. */
  weight: number
}

/** Ids sort by creation: among equals, the issue created last comes first. */
function rarestFirst([leftId, left]: [string, Shared], [rightId, right]: [string, Shared]): number {
  return right.weight - left.weight || (leftId < rightId ? 1 : -1)
}

/** The shared places that are not common, by issue. */
async function sharedPlaces(
  rows: Rows,
  { id, product_id: productId }: { id: string; product_id: number },
  common: number,
): Promise<Map<string, Shared>> {
  const places = await rows
    .selectFrom('issue_frame')
    .select(['path', 'function', 'distance'])
    .where('issue_id', '=', id)
    .orderBy('distance')
    .limit(PLACES)
    .execute()
  const readOthers = places.map(({ path, function: name }) =>
    rows
      .selectFrom('issue_frame')
      .select(['issue_id', 'distance'])
      .where('product_id', '=', productId)
      .where('path', '=', path)
      .where('function', '=', name)
      .where('issue_id', '<>', id)
      .orderBy('issue_id', 'desc')
      .limit(ISSUES_PER_PLACE)
      .execute(),
  )
  const shared = new Map<string, Shared>()
  for (const [place, others] of (await Promise.all(readOthers)).entries()) {
    // One was read for each place.
    const { distance } = places[place]!
    const isCommon = others.length + 1 >= common
    for (const other of others) {
      if (isCommon && (distance > 0 || other.distance > 0)) continue
      const { count, weight } = shared.get(other.issue_id) ?? { count: 0, weight: 0 }
      shared.set(other.issue_id, { count: count + 1, weight: weight + 1 / others.length })
    }
  }
  return shared
}

async function countIssues(rows: Rows, productId: number): Promise<number> {
  const { count } = await rows
    .selectFrom('issue')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('product_id', '=', productId)
    .executeTakeFirstOrThrow()
  return count
}
