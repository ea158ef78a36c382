import { isLibraryFrame } from '../../../src/lib/frames/library-frame.ts'
import { Period } from '../../../src/contract/base/common.ts'
import { ServiceError } from '../../../src/errors.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import { ifOffered, isNotOffered, madeFromSentence } from '../../../src/mcp/resolve/offered.ts'
import type { IssueReference } from '../../../src/mcp/resolve/types.ts'
import { hasText } from '../../../src/mcp/text/untrusted.ts'
import { keyOrId } from '../columns.ts'
import { framePath, unmappedFrames, type Event, type Frame } from './events.ts'
import { readLatest } from './occurrences.ts'
import type { FixContext } from './fix-context.ts'
import type { Issue } from './issues.ts'

interface Options {
  branch: string | undefined
  max_frames: number
}

interface ReadFixContext {
  fix: FixContext
  /** What it was made from where this deployment does not offer the endpoint: a sentence that begins with a space. */
  madeFrom?: string
}

/**
 * What the service knows for a fix; made from the issue itself where this deployment does not offer fix contexts
 * (decision 051). Refuses the issue of another product.
 */
export async function readFixContext(
  { id, product, missing }: IssueReference,
  options: Options,
  context: Context,
): Promise<ReadFixContext> {
  const read = async () => {
    try {
      const request = { product_id: product.id, issue_id: id, ...options }
      const { fix_context: fix } = await context.api.getFixContext(request, { signal: context.signal })
      return { fix }
    } catch (error) {
      if (isNotOffered(error)) return fromIssue(id, options, context)
      throw error
    }
  }
  const found = await read().catch((error: unknown) => {
    throw error instanceof ServiceError && error.code === 'not_found' ? missing() : error
  })
  const owner = found.fix.issue?.product_id
  if (owner !== undefined && owner !== product.id) throw missing()
  return found
}

/** The same members from the issue, its latest occurrence and, where the issue names no environments, its statistics. */
async function fromIssue(id: string, { branch, max_frames: most }: Options, context: Context): Promise<ReadFixContext> {
  const { api, signal } = context
  const full = await api.getIssue({ id }, { signal })
  const { issue } = full
  const event = await readLatest(full, context)
  const stats =
    issue.environments === undefined ? (await ifOffered(api.getIssueStats({ id }, { signal })))?.stats : undefined
  const environments = environmentsFrom(issue, stats)
  const period = Period.options.find((one) => one === stats?.period)
  const sources = [
    'the issue',
    event && 'its latest occurrence',
    stats && `its statistics${period === undefined ? '' : ` of ${period}`}`,
  ]
  const notStated = ['requirements', 'related issues', !event && 'frames', environments === undefined && 'environments']
  return {
    fix: {
      issue,
      ...(event && eventMembers(event, most)),
      environments,
      component: issue.component && { ...issue.component, slug: keyOrId(issue.component), name: issue.component.title },
      releases: releasesFrom(issue),
    },
    madeFrom: madeFromSentence('fix contexts', { sources, notStated, branch }),
  }
}

type Stats = Awaited<ReturnType<Context['api']['getIssueStats']>>['stats']

/** Where the issue occurs with the share of each; undefined where neither the issue nor its statistics say it. */
function environmentsFrom(issue: Issue, stats: Stats | undefined): FixContext['environments'] {
  const ofIssue = issue.environments?.map(({ id, name, known, events }) => ({
    environment_id: id,
    environment: name,
    environment_known: known,
    count: events,
  }))
  const rows = ofIssue ?? stats?.environments
  const sum = rows?.reduce((total, { count }) => total + (count ?? NaN), 0) ?? NaN
  // An issue names the most frequent ones of its environments.
  const total = ofIssue === undefined ? sum : Math.max(sum, issue.times_seen ?? sum)
  return rows?.map(({ environment_id, environment, environment_known, count }) => ({
    environment_id,
    environment,
    environment_known,
    count,
    share: total > 0 && count !== undefined ? count / total : undefined,
  }))
}

/** The releases that the issue names. It does not name the one that brought a regressed issue back. */
function releasesFrom({
  first_release: first,
  last_release: last,
  is_regression: isBack,
}: Issue): FixContext['releases'] {
  const named = (release: Issue['first_release']) =>
    release && { id: release.id, title: release.version, known: release.known }
  return { first: isBack === true ? undefined : named(first), last: named(last) }
}

/** What an occurrence says: its frames, the files that they name, and the request it came from. */
function eventMembers(event: Event, mostFrames: number): Partial<FixContext> {
  const stacks = readingOrder(event)
  const frames = nearestFrames(stacks, mostFrames)
  const total = stacks.reduce((sum, { length }) => sum + length, 0)
  const cut = frames.length < total ? [`frames:max_frames:${frames.length}/${total}`] : []
  return {
    event,
    frames,
    files: namedFiles(stacks, unmappedFrames(event)),
    reproduction: { transaction: event.transaction, request: event.request },
    truncation_signals: [...(event.truncation_signals ?? []).map((signal) => `event.${signal}`), ...cut],
  }
}

type Stack = readonly Frame[]

/** The stack of the exception thrown, then those of its causes; without any, those of the threads that crashed. */
function readingOrder({ exceptions = [], threads = [] }: Event): Stack[] {
  const thrown = exceptions
    .map(({ frames = [] }, index) => frames.map((frame) => ({ ...frame, exception_index: index })))
    .filter(({ length }) => length > 0)
  if (thrown.length > 0) return thrown.toReversed()
  return threads
    .filter(({ crashed, current }) => crashed === true || current === true || threads.length === 1)
    .flatMap(({ frames = [] }) => (frames.length === 0 ? [] : [frames]))
}

/** At most so many frames, in their order: those of libraries go first, then those farthest from the crash. */
function nearestFrames(stacks: readonly Stack[], most: number): Frame[] {
  const all = stacks.flatMap((frames) => frames.map((frame, index) => ({ frame, distance: frames.length - index })))
  const isLibrary = ({ frame }: { frame: Frame }) => (isLibraryFrame(frame) ? 1 : 0)
  const nearest = all.toSorted((one, other) => isLibrary(one) - isLibrary(other) || one.distance - other.distance)
  const kept = new Set(nearest.slice(0, most))
  return all.filter((place) => kept.has(place)).map(({ frame }) => frame)
}

const FILES = 15
const LINES = 20

/** The files that the team's frames name, the one that crashed first; whether the repository has them is not known. */
function namedFiles(stacks: readonly Stack[], unmapped: ReadonlySet<number>): NonNullable<FixContext['files']> {
  const places = stacks.flatMap((frames, stack) =>
    frames
      .toReversed()
      .map((frame) => ({ frame, isCause: stack > 0, path: framePath(frame, unmapped) }))
      .filter(({ path }) => path !== ''),
  )
  const [crash] = places
  return [...Map.groupBy(places, ({ path }) => path).values()].slice(0, FILES).map((ofFile, index) => {
    const [first] = ofFile
    const lines = new Set(ofFile.slice(0, LINES).flatMap(({ frame }) => frame.lineno || []))
    return {
      path: [first?.frame.repo_path, first?.frame.filename, first?.frame.abs_path].find(hasText),
      path_source: first?.frame.repo_path_source,
      lines: [...lines].toSorted((one, other) => one - other).map((line) => ({ start: line, end: line })),
      reason: frameReason(first, crash),
      rank: index + 1,
    }
  })
}

interface FramePlace {
  frame: Frame
  /** Of the exception that caused the one thrown. */
  isCause: boolean
}

/** Why a file is named; undefined where all that is known is that a frame names it. */
function frameReason(place: FramePlace | undefined, crash: FramePlace | undefined) {
  if (place === crash) return 'crash_frame'
  if (place?.isCause === true) return 'cause_frame'
  return place?.frame.in_app === true ? 'in_app_frame' : undefined
}
