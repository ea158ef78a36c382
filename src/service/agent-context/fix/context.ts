import type { Selectable } from 'kysely'
import { viewComponents } from '../../workspace/components/component-view.ts'
import { pauseIfLarge, viewEvent, type EventBody, type EventOptions } from '../../errors/issues/read/event-view.ts'
import { relevantStacks } from '../../errors/issues/issue-frames.ts'
import { viewIssues } from '../../errors/issues/read/issue-view.ts'
import type { StoredIssue } from '../../errors/issues/columns.ts'
import { latestOccurrence } from '../../errors/issues/read/occurrences.ts'
import { readPresence } from '../../errors/issues/read/presence.ts'
import { readSnapshot } from '../../workspace/components/snapshot.ts'
import type { Rows } from '../../sql/database.ts'
import type { ProductRow } from '../../sql/schema.ts'
import type { FileBody, FixContextBody, FrameBody } from './bodies.ts'
import { splitByEnvironment } from './environments.ts'
import { implicatedFiles } from './files.ts'
import type { ViewTime } from '../../shared/view-time.ts'
import { createTruncationNotes, type NoteTruncation } from '../../shared/truncation-notes.ts'
import { fit } from './reduce.ts'
import { relatedIssues } from './related.ts'
import { rootError } from './same-cause.ts'
import { suspectReleases } from './releases.ts'
import { describeReproduction } from './reproduction.ts'
import { requirementsFor } from './requirements.ts'
import { shortText } from './shorten.ts'

/** As many frames as one stack can have. */
const FRAMES_PER_STACK = 250
const GIT_REF_BYTES = 250

export interface FixContextQuery extends Pick<EventOptions, 'symbolicator'>, ViewTime {
  product: Selectable<ProductRow>
  issue: StoredIssue
  /** Only the newest occurrence in this environment counts; undefined means any. */
  environmentId: string | undefined
  /** Answered as it is. */
  gitRef: string
  maxFrames: number
  maxFiles: number
  maxRequirements: number
}

/**
 * Reads the data needed to fix the issue, in one answer of at most 60 KB (contract §10.4): its newest occurrence with
 * all frames in reading order, the files they implicate, where and since when it occurs, its owner and issues that
 * share its code. `truncation_signals` names what is cut.
 */
export async function readFixContext(rows: Rows, query: FixContextQuery): Promise<FixContextBody> {
  const { product, issue, symbolicator, now, changesAt } = query
  const keyPrefix = product.key_prefix
  // Parts that end in any order note what they leave out apart, so that the notes have one.
  const ofFiles = createTruncationNotes()
  const ofEvent = createTruncationNotes()
  const ofEnvironments = createTruncationNotes()
  const ofRelated = createTruncationNotes()
  const ofReproduction = createTruncationNotes()
  const reading = newestEvent(rows, query)
  const root = reading.then((event) => (event === null ? undefined : rootError(event)))
  // A server answers them at the same time.
  const [event, [body], found, where, component, related] = await Promise.all([
    reading,
    viewIssues(rows, [issue], { keyPrefix, now, changesAt }),
    reading.then((event) => findFiles(rows, query, { stacks: stacksIn(event), note: ofFiles.noteCut })),
    findWhere(rows, issue, ofEnvironments.noteCut),
    findComponent(rows, issue.component_id, { now, changesAt }),
    relatedIssues(rows, issue, { keyPrefix, symbolicator, root, note: ofRelated.noteCut }),
  ])
  const stacks = stacksIn(event)
  if (event !== null) await pauseIfLarge(event)
  const whole = {
    issue: body!,
    event: event === null ? null : withoutStacks(event, stacks, ofEvent.noteCut),
    frames: stacks.flat(),
    ...found,
    ...where,
    component,
    related_issues: related,
    reproduction: describeReproduction(event, ofReproduction.noteCut),
    git_ref: shortText(query.gitRef, GIT_REF_BYTES),
  }
  if (event !== null) await pauseIfLarge(event)
  const earlier = event?.truncation_signals.map((signal) => signal.replace(/^(?:event\.)?/, 'event.')) ?? []
  const notes = [ofFiles, ofEvent, ofEnvironments, ofRelated, ofReproduction].flatMap(({ list }) => list())
  return fit({ ...whole, truncation_signals: ['event.raw_payload:cleared', ...earlier, ...notes] }, query.maxFrames)
}

function stacksIn(event: EventBody | null): Stacks {
  return event === null ? [] : relevantStacks(event)
}

/** Where the issue occurs. */
async function findWhere(
  rows: Rows,
  issue: StoredIssue,
  note: NoteTruncation,
): Promise<Pick<FixContextBody, 'environments' | 'releases'>> {
  const presence = await readPresence(rows, issue.id)
  const [environments, releases] = await Promise.all([
    splitByEnvironment(rows, presence, note),
    suspectReleases(rows, issue, presence),
  ])
  return { environments, releases }
}

async function newestEvent(
  rows: Rows,
  { symbolicator, product, issue, environmentId }: FixContextQuery,
): Promise<EventBody | null> {
  const latest = await latestOccurrence(rows, issue.id, environmentId)
  if (latest === undefined) return null
  return viewEvent(rows, latest, { symbolicator, product, maxFrames: FRAMES_PER_STACK, includeRaw: false })
}

type Stacks = readonly (readonly FrameBody[])[]

/** The event with empty stacks: `frames` of the context holds the frames. */
function withoutStacks(event: EventBody, stacks: Stacks, note: NoteTruncation): EventBody {
  const { exceptions, threads } = event
  const count = (list: readonly { frames: readonly unknown[] }[]) =>
    list.reduce((total, { frames }) => total + frames.length, 0)
  const read = stacks.reduce((total, frames) => total + frames.length, 0)
  note('event.exceptions.frames', 'moved', 0, count(exceptions))
  const ofThreads = count(exceptions) > 0 ? 0 : read
  note('event.threads.frames', 'moved', 0, ofThreads)
  note('event.threads.frames', 'cleared', 0, count(threads) - ofThreads)
  return {
    ...event,
    exceptions: exceptions.map((exception) => ({ ...exception, frames: [] })),
    threads: threads.map((thread) => ({ ...thread, frames: [] })),
  }
}

/** Finds the implicated files and the requirements that they implement. */
async function findFiles(
  rows: Rows,
  { product, maxFiles, maxRequirements, now }: FixContextQuery,
  { stacks, note }: { stacks: Stacks; note: NoteTruncation },
): Promise<Pick<FixContextBody, 'files' | 'requirements'>> {
  const files = implicatedFiles(stacks, { maxFiles, note })
  const query = { product, files, max: maxRequirements, now }
  const [snapshot, { requirements, total, idsByPath }] = await Promise.all([
    readSnapshot(rows, product.id),
    requirementsFor(rows, query),
  ])
  const given = await snapshot.has(files.map(({ path }) => path))
  note('requirements', 'max_requirements', requirements.length, total)
  const told = files.map((file): FileBody => ({
    ...file,
    exists_in_snapshot: snapshot.known ? given.has(file.path) : null,
    requirement_ids: idsByPath.get(file.path) ?? [],
  }))
  return { files: told, requirements }
}

async function findComponent(rows: Rows, id: string, time: ViewTime): Promise<FixContextBody['component']> {
  const row = await rows.selectFrom('component').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) return null
  const [component] = await viewComponents(rows, time, [row])
  return component ?? null
}
