import { counted } from '../../../../lib/counted.ts'
import { cutWithEllipsis } from '../../../../lib/text.ts'
import { dayMs, timestamp } from '../../../shared/times.ts'
import { createTruncationNotes, keepFirst } from '../../../shared/truncation-notes.ts'
import type { Rows } from '../../../sql/database.ts'
import { isKnownRelease } from '../../../workspace/releases/rules.ts'
import { defineAgent } from '../../define.ts'
import { findCause } from './diagnose.ts'
import { findFix } from './fix.ts'
import { createNearest } from './nearest.ts'
import { readFrames, readNumbers, type FrameGroup } from './read-frames.ts'
import { scanEvents } from './scan.ts'
import { causes, input, output, type Cause, type GroupBody, type Window } from './schema.ts'

const windowMs: Readonly<Record<Window, number>> = { '1d': dayMs, '7d': 7 * dayMs, '30d': 30 * dayMs }
const MOST_GROUPS = 100
const MOST_FINDINGS = 50
/** Issues named of one group. */
const MOST_ISSUES = 5
const LONGEST_SUMMARY = 500

export const sourcemapDoctor = defineAgent({
  id: 'sourcemap_doctor',
  title: 'Source map doctor',
  description:
    'Says why frames of JavaScript stay minified: for each release and file the cause, the upload that comes nearest, and the command or setting that repairs it.',
  version: '1.0.0',
  reads: ['events', 'sourcemaps', 'releases'],
  writes: [],
  input,
  output,
  async run(context, asked) {
    const { rows, product, now, progress, finding } = context
    const notes = createTruncationNotes()
    const from = now - windowMs[asked.window]
    const known = await readReleases(rows, product.id)
    const releaseIds = asked.release === undefined ? undefined : (known.get(asked.release)?.ids ?? [])
    const scan = await scanEvents(context, { from, to: now, releaseIds, notes })
    const { groups, lookedAt } = await readFrames(context, scan.suspects)
    const numbers = await readNumbers(rows, scan.suspects)
    const nearest = createNearest(rows, product.id)
    const viewed: Viewed[] = []
    for (const [done, group] of groups.entries()) {
      await progress({ phase: 'files', done, total: groups.length })
      const used = group.uploadId === '' ? null : await nearest.byId(group.uploadId)
      const like = used === null ? await nearest.find(group) : undefined
      const cause = findCause(group, { used, like })
      const body: GroupBody = {
        cause,
        release: { version: group.release, known: known.get(group.release)?.isKnown ?? false },
        dist: group.dist,
        file: group.file,
        debug_id: group.debugId,
        ...countGroup(group, numbers, product.key_prefix),
        fix: findFix(cause, group, product.id),
        nearest: used ?? like?.nearest ?? null,
      }
      viewed.push({ body, issueIds: [...group.suspects].map(({ issueId }) => issueId) })
    }
    const fixes = listFixes(viewed)
    const issues = new Set(viewed.flatMap(({ issueIds }) => issueIds))
    const sorted = viewed.map(({ body }) => body).toSorted(byUrgency)
    const shown = keepFirst(notes, 'groups', sorted, MOST_GROUPS)
    for (const group of shown.slice(0, MOST_FINDINGS)) await finding(describe(group), findingData(group))
    return {
      summary: cutWithEllipsis(
        summarise(sorted, fixes, { issues: issues.size, window: asked.window }),
        LONGEST_SUMMARY,
      ),
      output: {
        window: { from: timestamp(from), to: timestamp(now) },
        counts: {
          events: scan.events,
          unmapped_events: scan.unmapped,
          looked_at_events: lookedAt,
          groups: groups.length,
          frames: sorted.reduce((sum, { frames }) => sum + frames, 0),
          issues: issues.size,
          causes: countCauses(sorted),
        },
        fixes,
        groups: shown,
      },
      truncationSignals: notes.list(),
    }
  },
})

interface Viewed {
  body: GroupBody
  issueIds: readonly string[]
}

/** By version: the ids of its releases, and whether a token made one of them known. */
async function readReleases(rows: Rows, productId: number) {
  const found = await rows
    .selectFrom('release')
    .select(['id', 'version', 'origin'])
    .where('product_id', '=', productId)
    .execute()
  const versions = Map.groupBy(found, ({ version }) => version)
  return new Map(
    [...versions].map(([version, some]) => [
      version,
      { ids: some.map(({ id }) => id), isKnown: some.some(isKnownRelease) },
    ]),
  )
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

function isOpen(cause: Cause): boolean {
  return cause !== 'UPLOADED_AFTER_EVENT' && cause !== 'GENERATED_CODE'
}

function listFixes(viewed: readonly Viewed[]) {
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

function countCauses(groups: readonly GroupBody[]): Partial<Record<Cause, number>> {
  const counts = causes.map((cause) => [cause, groups.filter((group) => group.cause === cause).length] as const)
  return Object.fromEntries(counts.filter(([, count]) => count > 0))
}

/** Names of files are text of events, and only in the data. */
function describe({ cause, release, frames, events, issues }: GroupBody): string {
  const where = release.known ? ` of ${cutWithEllipsis(release.version, 60)}` : ''
  return `${cause}: ${counted(frames, 'frame')} of one file${where}, in ${counted(events, 'event')} of ${counted(issues.count, 'issue')}.`
}

function findingData({ cause, release, file, debug_id, issues, fix, nearest }: GroupBody) {
  return { cause, release, file, debug_id, issues, fix, nearest }
}

function summarise(
  groups: readonly GroupBody[],
  fixes: ReturnType<typeof listFixes>,
  { issues, window }: { issues: number; window: Window },
): string {
  const open = groups.filter(({ cause }) => isOpen(cause))
  const late = groups.filter(({ cause }) => cause === 'UPLOADED_AFTER_EVENT').length
  const lateText = late === 0 ? '' : ` ${counted(late, 'file')} got the map after the events: upload before deploying.`
  if (open.length === 0) return `No frame of the last ${window} is still minified.${lateText}`
  const causesText = Object.entries(countCauses(open))
    .map(([cause, count]) => `${String(count)} ${cause}`)
    .join(', ')
  const releases = new Set(open.map(({ release }) => release.version)).size
  // The version of an unknown release is text of events.
  const command = fixes.find(({ release }) => release.known)?.command
  const next = command ?? open[0]?.fix.text ?? ''
  return `${counted(open.length, 'file')} of ${counted(releases, 'release')} stay minified, in ${counted(issues, 'issue')} of the last ${window}: ${causesText}.${lateText} Next: ${next}`
}
