import type { AgentContext } from '../../define.ts'
import { findCause } from './diagnose.ts'
import { findFix, type Repair } from './fix.ts'
import { createNearest } from './nearest.ts'
import { readNumbers, type FrameGroup } from './read-frames.ts'
import type { FixBody, GroupBody } from './schema.ts'
import type { Suspect } from './scan.ts'
import { isOpen } from './words.ts'

/** Issues named of one group. */
const MOST_ISSUES = 5

/** A group with its fix and all of its issues. */
export interface ViewedGroup {
  /** What the output has of it, apart from the number of its fix. */
  body: Omit<GroupBody, 'fix'>
  fix: Repair
  issueIds: readonly string[]
}

interface GroupFacts {
  suspects: readonly Suspect[]
  /** Whether a token made the release known. */
  isKnown: (version: string) => boolean
}

/** The groups with their causes and fixes, those that can be repaired and are still minified first. */
export async function viewGroups(
  { rows, product, progress }: Pick<AgentContext, 'rows' | 'product' | 'progress'>,
  groups: readonly FrameGroup[],
  { suspects, isKnown }: GroupFacts,
): Promise<ViewedGroup[]> {
  const numbers = await readNumbers(rows, suspects)
  const nearest = createNearest(rows, product.id)
  const viewed: ViewedGroup[] = []
  for (const [done, group] of groups.entries()) {
    await progress({ phase: 'files', done, total: groups.length })
    const used = group.uploadId === '' ? null : await nearest.byId(group.uploadId)
    const like = used === null ? await nearest.find(group) : undefined
    const cause = findCause(group, { used, like, hasFolder: await nearest.hasFolder(group) })
    const body = {
      cause,
      release: { version: group.release, known: isKnown(group.release) },
      dist: group.dist,
      file: group.file,
      debug_id: group.debugId,
      ...countGroup(group, numbers, product.key_prefix),
      nearest: used ?? like?.nearest ?? null,
    }
    const issueIds = [...group.suspects].map(({ issueId }) => issueId)
    viewed.push({ body, fix: findFix(cause, group, product.id), issueIds })
  }
  return viewed.toSorted((left, right) => byUrgency(left.body, right.body))
}

function countGroup({ places, suspects }: FrameGroup, numbers: ReadonlyMap<string, number>, prefix: string) {
  const all = [...suspects]
  const ids = [...new Set(all.map(({ issueId }) => issueId))].toSorted(
    (left, right) => (numbers.get(left) ?? 0) - (numbers.get(right) ?? 0),
  )
  const first = ids.slice(0, MOST_ISSUES).map((id) => ({ id, key: `${prefix}-${String(numbers.get(id) ?? 0)}` }))
  return {
    frames: places.size,
    events: all.reduce((sum, { events }) => sum + events, 0),
    issues: { count: ids.length, first },
  }
}

/** Groups that something repairs and that are still minified come first, then those with more events. */
function byUrgency(left: ViewedGroup['body'], right: ViewedGroup['body']): number {
  const rank = ({ cause }: ViewedGroup['body']) => (isOpen(cause) ? 0 : 1)
  const place = ({ release, file, debug_id }: ViewedGroup['body']) => [release.version, file, debug_id].join('\n')
  return (
    rank(left) - rank(right) ||
    right.events - left.events ||
    right.issues.count - left.issues.count ||
    (place(left) < place(right) ? -1 : 1)
  )
}

/** Each fix of a release once, with the groups that it repairs; those that repair what is still minified first. */
export function listFixes(viewed: readonly ViewedGroup[]): { fixes: FixBody[]; groups: GroupBody[] } {
  const byFix = Map.groupBy(viewed, ({ body, fix }) => JSON.stringify([fix.text, fix.command, body.release.version]))
  const sorted = [...byFix.values()]
    .map((some) => ({ some, open: some.some(({ body }) => isOpen(body.cause)), ...countRepaired(some) }))
    // Equal ones stay in the order of their first groups.
    .toSorted(
      (left, right) => Number(right.open) - Number(left.open) || right.issues - left.issues || right.files - left.files,
    )
  const numbers = new Map(sorted.flatMap(({ some }, index) => some.map(({ body }) => [body, index + 1] as const)))
  return {
    fixes: sorted.map(({ some, files, issues }, index) => {
      const { body, fix } = some[0]!
      return { number: index + 1, release: body.release, ...fix, files, issues }
    }),
    groups: viewed.map(({ body }) => ({ ...body, fix: numbers.get(body)! })),
  }
}

function countRepaired(some: readonly ViewedGroup[]) {
  return {
    files: new Set(some.map(({ body }) => body.file)).size,
    issues: new Set(some.flatMap(({ issueIds }) => issueIds)).size,
  }
}
