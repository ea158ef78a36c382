import type { AgentContext } from '../../define.ts'
import { findCause } from './diagnose.ts'
import { findFix } from './fix.ts'
import { createNearest } from './nearest.ts'
import { readNumbers, type FrameGroup } from './read-frames.ts'
import type { FixBody, GroupBody } from './schema.ts'
import type { Suspect } from './scan.ts'
import { isOpen } from './words.ts'

/** Issues named of one group. */
const MOST_ISSUES = 5

/** A group as the output has it, with all of its issues. */
export interface ViewedGroup {
  body: GroupBody
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
    const cause = findCause(group, { used, like })
    const body: GroupBody = {
      cause,
      release: { version: group.release, known: isKnown(group.release) },
      dist: group.dist,
      file: group.file,
      debug_id: group.debugId,
      ...countGroup(group, numbers, product.key_prefix),
      fix: findFix(cause, group, product.id),
      nearest: used ?? like?.nearest ?? null,
    }
    viewed.push({ body, issueIds: [...group.suspects].map(({ issueId }) => issueId) })
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
function byUrgency(left: GroupBody, right: GroupBody): number {
  const rank = ({ cause }: GroupBody) => (isOpen(cause) ? 0 : 1)
  const place = ({ release, file, debug_id }: GroupBody) => [release.version, file, debug_id].join('\n')
  return (
    rank(left) - rank(right) ||
    right.events - left.events ||
    right.issues.count - left.issues.count ||
    (place(left) < place(right) ? -1 : 1)
  )
}

/** Each command once, the one that repairs the most issues first. */
export function listFixes(viewed: readonly ViewedGroup[]): FixBody[] {
  const byCommand = Map.groupBy(
    viewed.filter(({ body }) => body.fix.command !== ''),
    ({ body }) => body.fix.command,
  )
  return [...byCommand]
    .map(([command, some]) => ({
      command,
      release: some[0]!.body.release,
      files: new Set(some.map(({ body }) => body.file)).size,
      issues: new Set(some.flatMap(({ issueIds }) => issueIds)).size,
    }))
    .toSorted(
      (left, right) =>
        right.issues - left.issues || right.files - left.files || (left.command < right.command ? -1 : 1),
    )
}
