import type * as z from 'zod'
import type { Received } from '../../../src/client/api.ts'
import type {
  Breadcrumb as BreadcrumbSchema,
  Event as EventSchema,
  Exception as ExceptionSchema,
  Frame as FrameSchema,
} from '../../../src/contract/events.ts'
import type { Untrusted } from '../../../src/contract/base/text.ts'
import { isLibraryFrame } from '../../../src/lib/frames/library-frame.ts'
import { cutAround } from '../../../src/lib/text.ts'
import type { LocatedFiles } from '../../../src/mcp/files/locate-files.ts'
import { isGenerated } from '../../../src/mcp/text/claimed-code.ts'
import { withoutPrefix } from '../../../src/mcp/result/present.ts'
import { redact } from '../../../src/mcp/text/redact/index.ts'
import {
  combined,
  compareName,
  hasOnly,
  hasText,
  isShort,
  knownName,
  nameContains,
  untrustedMember,
  untrustedMembers,
  Quoted,
  quoted,
  type BlockContent,
} from '../../../src/mcp/text/untrusted.ts'
import { toSecond, vouchedName } from '../columns.ts'
import { cutNames, kept } from '../cuts.ts'

export type Event = Received<z.output<typeof EventSchema>>
export type Frame = Received<z.output<typeof FrameSchema>>
type Exception = Received<z.output<typeof ExceptionSchema>>
type Breadcrumb = Received<z.output<typeof BreadcrumbSchema>>

interface Limits {
  exceptions: number
  frames: number
  breadcrumbs: number
  message: number
  tags: number
}

const limits: Record<'concise' | 'full', Limits> = {
  concise: { exceptions: 3, frames: 8, breadcrumbs: 5, message: 500, tags: 10 },
  full: { exceptions: 8, frames: 40, breadcrumbs: 30, message: 4000, tags: 40 },
}

/** Characters that are shown of a line of code. */
const CODE_CHARACTERS = 120
/** A longer line of code is minified, and a part of it explains nothing. */
const LONGEST_LINE = 400

/**
 * A line of code, of a long one the part around a column (from 1; 0 when it is not known); undefined for a minified line,
 * one that the SDK has cut, and an empty one.
 */
export function codeLine(line: Frame['context_line'], column = 0): Untrusted<string> | undefined {
  if (!hasText(line) || !isShort(line, LONGEST_LINE)) return undefined
  if (isShort(line, CODE_CHARACTERS)) return line
  if (nameContains(line, '{snip}')) return undefined
  // A secret is found only with the name that stands before it.
  return combined([line], ([text = '']) => cutAround(redact(text).text, column - 1, CODE_CHARACTERS))
}

/** The line of code of a frame. That of generated code is of another file: SDKs look its line up anywhere. */
export function frameCode({ filename, context_line: line, colno }: Frame): Untrusted<string> | undefined {
  return isGenerated(filename) ? undefined : codeLine(line, colno)
}

/** What the service itself says about an occurrence; names appear only where the workspace vouches for them. */
export function eventFacts(event: Event) {
  return {
    id: event.id,
    at: toSecond(event.timestamp),
    level: event.level,
    environment: vouchedName(event.environment, event.environment_known),
    release: vouchedName(event.release, event.release_known),
    symbolication: symbolicationWord(event.symbolication_state),
    exceptions: event.exceptions?.length,
    frames: countFrames(event),
    breadcrumbs: event.breadcrumbs?.length,
  }
}

/** Undefined where the deployment sends no stack, which may still be empty. */
function countFrames(event: Event): number | undefined {
  const stacks = event.exceptions?.map(({ frames }) => frames)
  if (stacks === undefined || (stacks.length > 0 && stacks.every((frames) => frames === undefined))) return undefined
  return [...stacks, ...threadStacks(event)].reduce((sum, frames = []) => sum + frames.length, 0)
}

/**
 * The stacks of threads that tell where it happened, as no exception has one: of those that crashed or were running, or of
 * the only one. SDKs attach the stack of a message to its thread.
 */
export function threadStacks({ exceptions = [], threads = [] }: Event): (readonly Frame[])[] {
  if (exceptions.some(({ frames = [] }) => frames.length > 0)) return []
  return threads
    .filter(({ crashed, current }) => crashed === true || current === true || threads.length === 1)
    .flatMap(({ frames = [] }) => (frames.length === 0 ? [] : [frames]))
}

/** Nothing where there is nothing to map. */
function symbolicationWord(state: Event['symbolication_state']): string | undefined {
  const word = withoutPrefix(state, 'SYMBOLICATION_STATE_')
  return word === 'not_needed' ? undefined : word
}

/**
 * An occurrence for the untrusted block, crash first: exceptions from the one thrown to its causes, each with its frames
 * from the crash outwards, in-app frames before others. `cut` names what was left out.
 */
export function describeEvent(
  event: Event,
  detail: 'concise' | 'full',
  here?: LocatedFiles,
): { content: { [name: string]: BlockContent }; cut: string[] } {
  const limit = limits[detail]
  const thrownFirst = (event.exceptions ?? []).toReversed()
  const crumbs = event.breadcrumbs ?? []
  const tags = event.tags ?? []
  const ofThreads = threadStacks(event)
  const frames = thrownFirst.slice(0, limit.exceptions).map((exception) => pickFrames(exception, limit.frames))
  const threads = ofThreads.slice(0, limit.exceptions).map((stack) => pickFrames({ frames: stack }, limit.frames))
  const total = countFrames(event) ?? 0
  const shown = [...frames, ...threads].reduce((sum, picked) => sum + picked.length, 0)
  return {
    content: {
      message: quoted`${event.message}`.cut(limit.message).keepLines(),
      exceptions: thrownFirst.slice(0, limit.exceptions).map((exception, index) => ({
        error: errorLine(exception).cut(limit.message),
        ...(exception.mechanism?.handled === false && { handled: false }),
        ...(isSuppressed(exception) && { suppressed: true }),
        frames: frames[index]?.map((frame) => frameLine(frame, here)),
      })),
      threads:
        threads.length === 0
          ? undefined
          : threads.map((stack) => ({ frames: stack.map((frame) => frameLine(frame, here)) })),
      request: hasText(event.request?.url) ? quoted`${event.request.method} ${event.request.url}` : undefined,
      transaction: quoted`${event.transaction}`,
      breadcrumbs: crumbs.slice(-limit.breadcrumbs).map((crumb) => crumbBefore(event.timestamp, crumb)),
      tags: tags.slice(0, limit.tags).map((tag) => quoted`${tag.key}=${tag.value}`.cut(120)),
      runs_on: runsOn(event),
      sdk: quoted`${event.sdk?.name} ${event.sdk?.version}`.cut(80),
    },
    cut: cutNames([], {
      exceptions: kept(thrownFirst, limit.exceptions),
      frames: { shown, total },
      breadcrumbs: kept(crumbs, limit.breadcrumbs),
      tags: kept(tags, limit.tags),
    }),
  }
}

/** `Safari 17.4, iOS 17.4, iPhone`: browser, runtime, operating system and device, as far as the event says. */
function runsOn({ contexts }: Event): Quoted | undefined {
  const parts = ['browser', 'runtime', 'os', 'device'].flatMap((name) => {
    const context = untrustedMember(contexts, name)
    const word = untrustedMember(context, 'name') ?? untrustedMember(context, 'model')
    const version = untrustedMember(context, 'version')
    return word === undefined ? [] : [', ', word, ...(version === undefined ? [] : [' ', version])]
  })
  return parts.length === 0 ? undefined : new Quoted(parts.slice(1), 120, false)
}

/** The frame that crashed and then the others of the team; those of libraries only if they fit. The order stays crash first. */
function pickFrames({ frames = [] }: { frames?: readonly Frame[] | undefined }, count: number): Frame[] {
  const crashFirst = frames.toReversed()
  const wanted = [
    ...crashFirst.slice(0, 1),
    ...crashFirst.slice(1).filter((frame) => !isLibraryFrame(frame)),
    ...crashFirst.slice(1).filter(isLibraryFrame),
  ]
  const kept = new Set(wanted.slice(0, count))
  return crashFirst.filter((frame) => kept.has(frame))
}

/** `TypeError: x is undefined`, or only the type or the value of an exception that has no more. */
export function errorLine({ type, value }: Exception): Quoted {
  if (!hasText(type)) return quoted`${value}`.cut(500)
  return hasText(value) ? quoted`${type}: ${value}`.cut(500) : quoted`${type}`.cut(500)
}

/** Whether an exception was suppressed by the one thrown, and did not cause it. Java's SDK lists both kinds together. */
export function isSuppressed({ mechanism }: Exception): boolean {
  return compareName(mechanism?.type, 'suppressed') === 'exact'
}

const NONE: ReadonlySet<number> = new Set()

/** Where a frame is: on this machine, else in the repository, in the original source once a map has resolved it. */
export function frameLocation(frame: Frame, here?: LocatedFiles) {
  const file = [frame.repo_path, frame.filename, frame.abs_path, frame.module].find(hasText)
  return { file: here?.found.get(framePath(frame, NONE))?.file ?? file, line: frame.lineno, column: frame.colno }
}

/** Frames that a source map should have resolved and has not: their files are built, and no source of a repository. */
export function unmappedFrames(event: Pick<Event, 'symbolication'> | null | undefined): ReadonlySet<number> {
  return new Set(event?.symbolication?.problems?.flatMap(({ frame_index: index }) => index ?? []))
}

/** The path by which a frame's file is looked for on this machine; '' for code that is built or not the team's. */
export function framePath(frame: Frame, unmapped: ReadonlySet<number>): string {
  if (isLibraryFrame(frame) || (frame.index !== undefined && unmapped.has(frame.index))) return ''
  if (isGenerated(frame.filename)) return ''
  return knownName([frame.repo_path, frame.filename, frame.abs_path].find(hasText), true) ?? ''
}

function frameLine(frame: Frame, here: LocatedFiles | undefined) {
  const { file, line, column } = frameLocation(frame, here)
  // In a minified file the column says more than the line; in a source the line is enough.
  const place = { file, line, column: frame.symbolicated === true ? 0 : column }
  if (isLibraryFrame(frame)) return frameWords(frame, place)
  return frameWords(frame, place, frame.in_app === true ? ' [in app]' : '', frameCode(frame))
}

/**
 * `src/pay.ts:12:5 pay`, a note and the line of code. What the SDK does not say is left out: native code has no file, and
 * methods of the runtime have no line.
 */
export function frameWords(
  { function: name }: Frame,
  { file, line = 0, column = 0 }: Pick<ReturnType<typeof frameLocation>, 'file' | 'line' | 'column'>,
  note = '',
  code?: Untrusted<string>,
): Quoted {
  const position = line > 0 ? `:${line}${column > 0 ? `:${column}` : ''}` : ''
  const place = file === undefined ? [] : [file, position]
  const known = hasText(name) ? [...place, place.length > 0 ? ' ' : '', name] : place
  const words = known.length === 0 ? ['(no name)'] : known
  return new Quoted([...words, note, ...(code === undefined ? [] : [' > ', code])], 300, false)
}

/** Seconds. */
const DAY = 86_400

/** `-8s http: GET https://shop.example/api/cart 200`: a breadcrumb, by the seconds from it to the crash. */
export function crumbBefore(crash: string | undefined, crumb: Breadcrumb): Quoted {
  const seconds = (Date.parse(crumb.timestamp ?? '') - Date.parse(crash ?? '')) / 1000
  const passed = Math.abs(seconds) < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds)
  // A clock that is more than a day off says nothing.
  const at = Number.isNaN(passed) || Math.abs(passed) > DAY ? '' : `${passed > 0 ? '+' : ''}${passed}s `
  const isUsual = !hasText(crumb.level) || compareName(crumb.level, 'info') !== undefined
  // A category is optional; most people give a message alone.
  const words = [crumb.category, isUsual ? undefined : crumb.level].filter(hasText)
  const head = words.flatMap((word, index) => [index === 0 ? '' : ' ', word])
  const message = hasText(crumb.message) ? [crumb.message, ' '] : []
  return new Quoted([at, ...head, head.length === 0 ? '' : ': ', ...message, ...crumbData(crumb)], 160, false)
}

/** Members of a request's breadcrumb that the line says or that explain nothing. */
const REQUEST = new Set([
  'method',
  'http.method',
  'http.request.method',
  'url',
  'status_code',
  'type',
  'request_body_size',
  'response_body_size',
])

/** The data of a breadcrumb, `pieces=2 total=2580`; of a request `GET url 200`. */
function crumbData({ data }: Breadcrumb): Quoted['parts'] {
  if (data === undefined) return []
  const [url, status] = [untrustedMember(data, 'url'), untrustedMember(data, 'status_code')]
  if (url === undefined || !hasOnly(data, REQUEST)) {
    return untrustedMembers(data).flatMap(([name, value], index) => [index === 0 ? '' : ' ', name, '=', value])
  }
  const method = [...REQUEST].filter((name) => name.endsWith('method')).map((name) => untrustedMember(data, name))
  return quoted`${method.find((name) => name !== undefined)} ${url} ${status}`.parts
}
