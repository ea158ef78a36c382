import type { NormalException } from '../event/event.ts'
import { isSuppressed } from '../event/suppressed.ts'

/**
 * Which exceptions of an event count (positions, oldest first), and the one that names the issue (-1: no exception):
 * for a group the group itself, even if only its members count, because its message says what was attempted.
 */
export interface PickedExceptions {
  positions: readonly number[]
  main: number
}

interface Tree {
  root: number
  children: ReadonlyMap<number, readonly number[]>
}

/**
 * Filters exception groups after Sentry's RFC 0079: of an `AggregateError` with many equal errors only one counts, and
 * when all are equal the group itself does not. A list that is not a proper tree is left unchanged. `identity` of a
 * position is the same for equal exceptions, so that neither their number nor their order matters.
 */
export function pickExceptions(
  exceptions: readonly NormalException[],
  identity: (position: number) => string,
): PickedExceptions {
  const unchanged = { positions: exceptions.map((_, position) => position), main: exceptions.length - 1 }
  const tree = readTree(exceptions)
  if (tree === undefined) return unchanged
  const distinct = distinctBy(topLevel(exceptions, tree), exceptions, identity)
  const [only, ...others] = distinct
  if (only === undefined) return unchanged
  if (others.length === 0) {
    const isCause = (position: number) => !isSuppressed(exceptions[position]!)
    return { positions: firstPath(only, tree, isCause).toReversed(), main: tree.root }
  }
  return { positions: [...distinct, tree.root], main: tree.root }
}

/**
 * Undefined for a missing or repeated id, an unknown parent, itself as parent, a cycle, and for anything but one root
 * with the id 0.
 */
function readTree(exceptions: readonly NormalException[]): Tree | undefined {
  const positionById = new Map<number, number>()
  for (const [position, { mechanism }] of exceptions.entries()) {
    if (mechanism.exception_id === null || positionById.has(mechanism.exception_id)) return undefined
    positionById.set(mechanism.exception_id, position)
  }
  const children = new Map<number, number[]>()
  const roots: number[] = []
  // By id, because the SDK numbers them in the order in which it encountered them; the list itself is in reverse order.
  for (const [, position] of [...positionById].toSorted(([left], [right]) => left - right)) {
    const parentId = exceptions[position]!.mechanism.parent_id
    if (parentId === null) {
      roots.push(position)
      continue
    }
    const parent = positionById.get(parentId)
    if (parent === undefined || parent === position) return undefined
    const siblings = children.get(parent)
    if (siblings === undefined) children.set(parent, [position])
    else siblings.push(position)
  }
  const [root] = roots
  if (root === undefined || roots.length > 1 || exceptions[root]!.mechanism.exception_id !== 0) return undefined
  // With one root and known parents, positions that the root does not reach form a cycle.
  return descendants(root, children).length === exceptions.length ? { root, children } : undefined
}

function descendants(root: number, children: Tree['children']): number[] {
  const found = [root]
  for (const position of found) for (const child of children.get(position) ?? []) found.push(child)
  return found
}

/** The first exceptions below the root that are not groups themselves. */
function topLevel(exceptions: readonly NormalException[], { root, children }: Tree): number[] {
  const open = [root]
  const found: number[] = []
  for (const position of open) {
    if (!exceptions[position]!.mechanism.is_exception_group) found.push(position)
    else for (const child of children.get(position) ?? []) open.push(child)
  }
  return found
}

/** One exception per identity, by type and then identity, descending: the order in which they failed is arbitrary. */
function distinctBy(
  positions: readonly number[],
  exceptions: readonly NormalException[],
  identity: (position: number) => string,
): number[] {
  const byIdentity = new Map<string, number>()
  for (const position of positions) {
    const key = identity(position)
    if (!byIdentity.has(key)) byIdentity.set(key, position)
  }
  const sortKey = ([key, position]: [string, number]) => `${exceptions[position]!.type}\n${key}`
  return [...byIdentity]
    .toSorted((left, right) => (sortKey(left) < sortKey(right) ? 1 : -1))
    .map(([, position]) => position)
}

/** An exception, its first cause, the first cause of that one, and so on. */
function firstPath(start: number, { children }: Tree, isCause: (position: number) => boolean): number[] {
  const path = [start]
  for (const position of path) {
    const next = children.get(position)?.find(isCause)
    if (next !== undefined) path.push(next)
  }
  return path
}
