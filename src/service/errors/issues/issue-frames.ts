import { basename } from 'node:path/posix'
import type { LocateFrame } from '../../workspace/components/locate-frame.ts'
import { withoutHashes } from '../grouping/paths.ts'
import type { NormalEvent, NormalFrame } from '../event/event.ts'
import type { Prepare } from '../../sql/database.ts'
import { insertRows } from '../../sql/writing/send-rows.ts'
import { noteIssueChange } from '../../workspace/issue-facts/revision.ts'

/** A location in the team's code that an error went through. */
export interface IssueFrame {
  /** Relative to the repository's root. */
  path: string
  function: string
  /** Number of frames between it and the end of its stack. */
  distance: number
}

/** Locations kept per event: enough to recognise issues that go through the same code. */
const MOST_FRAMES = 20
/**
 * Frames of one event that are examined: a recursion may repeat the same location thousands of times (decision 011).
 */
const MOST_LOOKED_AT = 500
/** Locations kept per issue, whose events may have many stacks. */
const MOST_OF_ISSUE = 100
/** Of a path and a function: an index of PostgreSQL takes entries of 2,704 bytes, with the ids of product and issue. */
const MOST_BYTES = 2_500

interface Stacks<F> {
  exceptions: readonly { frames: readonly F[] }[]
  threads: readonly { crashed: boolean; current: boolean; frames: readonly F[] }[]
}

/**
 * The stacks of an error in reading order: that of the reported exception, then those of its causes, the root cause
 * last. If no exception has a stack: those of the threads that crashed or were running, or of the only thread.
 */
export function relevantStacks<F>({ exceptions, threads }: Stacks<F>): (readonly F[])[] {
  const thrown = exceptions.map(({ frames }) => frames).filter((frames) => frames.length > 0)
  if (thrown.length > 0) return thrown.toReversed()
  return threads
    .filter(({ crashed, current }) => crashed || current || threads.length === 1)
    .map(({ frames }) => frames)
    .filter((frames) => frames.length > 0)
}

/**
 * The locations in the repository that an event went through, at most 20, the nearest to the crash first: in-app frames
 * whose file is in the repository, each pair of path and function once. The ends of several stacks are equally near,
 * the reported exception before its causes.
 */
export function issueFrames(event: Pick<NormalEvent, 'exceptions' | 'threads'>, locate: LocateFrame): IssueFrame[] {
  const nearest = relevantStacks(event)
    .flatMap((frames) => frames.map((frame, index) => ({ frame, distance: frames.length - 1 - index })))
    .filter(({ frame }) => frame.in_app && !isBuilt(frame))
    .toSorted((left, right) => left.distance - right.distance)
  const found = new Map<string, IssueFrame>()
  for (const { frame, distance } of nearest.slice(0, MOST_LOOKED_AT)) {
    const { path } = locate(frame)
    const place = JSON.stringify([path, frame.function])
    if (path === '' || found.has(place) || Buffer.byteLength(place) > MOST_BYTES) continue
    found.set(place, { path, function: frame.function, distance })
    if (found.size === MOST_FRAMES) break
  }
  return [...found.values()]
}

/**
 * A chunk that is named after its content, or a bundle of React Native, that no map applies to: no file of the
 * repository has such a name.
 */
function isBuilt({ symbolicated, filename, abs_path }: NormalFrame): boolean {
  if (symbolicated) return false
  const name = basename((filename === '' ? abs_path : filename).replace(/[?#].*$/s, ''))
  return /\.(?:js)?bundle$/i.test(name) || (/\.[cm]?js$/i.test(name) && withoutHashes(name) !== name)
}

/**
 * Adds locations to an issue inside the caller's transaction; those it already has keep their distance. An issue keeps
 * the first 100.
 */
export async function recordIssueFrames(
  prepare: Prepare,
  productId: number,
  issueId: string,
  frames: readonly IssueFrame[],
): Promise<void> {
  const known = await prepare('SELECT count(*) AS count FROM issue_frame WHERE issue_id = ?').get<{ count: number }>(
    issueId,
  )
  const insertion = {
    insert: 'INSERT INTO issue_frame (product_id, path, function, issue_id, distance)',
    after: 'ON CONFLICT DO NOTHING',
  }
  const rows = frames.map(({ path, function: name, distance }) => [productId, path, name, issueId, distance])
  let room = MOST_OF_ISSUE - (known?.count ?? 0)
  let added = 0
  // Those that the issue has take no room: in the end, one at a time is added.
  while (room > 0 && rows.length > 0) {
    const some = rows.splice(0, room)
    const inserted = await insertRows(prepare, insertion, some)
    added += inserted
    room -= inserted
  }
  if (added > 0) await noteIssueChange(prepare, issueId)
}

/** Replaces the locations of an issue, inside the caller's transaction. */
export async function replaceIssueFrames(
  prepare: Prepare,
  productId: number,
  issueId: string,
  frames: readonly IssueFrame[],
): Promise<void> {
  await prepare('DELETE FROM issue_frame WHERE issue_id = ?').run(issueId)
  await noteIssueChange(prepare, issueId)
  await recordIssueFrames(prepare, productId, issueId, frames)
}
