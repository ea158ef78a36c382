import type { FrameSigns, NormalFrame } from '../../event/event.ts'
import { isObject, type JsonObject } from '../../../../lib/objects.ts'
import type { Binaries } from './binaries.ts'
import { boundedObject, mapBounds } from './bounded.ts'
import type { InApp } from './in-app.ts'
import { keepEnds, keepFirst, onlyObjects, readCount, readFlag, readObject, readText } from './read.ts'
import type { Signals } from './signals.ts'

/** Shared by all stacks of one event. */
export interface FrameFacts {
  signals: Signals
  /** Of the event: that of frames which name none. */
  platform: string
  /** Debug id of a minified file, by the path that frames name. */
  debugIds: ReadonlyMap<string, string>
  binaries: Binaries
  inApp: InApp
  /** Frames that may still be kept; a list of `{}` would otherwise grow by a factor of two hundred. */
  left: number
}

const FRAMES_PER_STACK = 250
/** Frames of all stacks: enough for a thread dump. */
export const FRAMES_PER_EVENT = 5_000
const CONTEXT_LINES = 20
const LINE_LENGTH = 1_024

/** The frames of a stack trace (`{ frames }` or a bare list), caller first as SDKs send them; `index` is the place kept. */
export function readFrames(
  stacktrace: unknown,
  member: string,
  exceptionIndex: number,
  facts: FrameFacts,
): NormalFrame[] {
  const { signals } = facts
  if (stacktrace === undefined || stacktrace === null) return []
  const list = isObject(stacktrace) ? (stacktrace.frames ?? []) : stacktrace
  if (!Array.isArray(list)) {
    signals.note(member, 'type', 0, 1)
    return []
  }
  const kept = keepEnds(onlyObjects(list, member, signals), Math.min(FRAMES_PER_STACK, facts.left), member, signals)
  facts.left -= kept.length
  const members = readMembers(member)
  return kept.map((frame, index) => readFrame(frame, members, { index, exception_index: exceptionIndex }, facts))
}

const names = [
  'function',
  'raw_function',
  'module',
  'filename',
  'path',
  'abs_path',
  'lineno',
  'colno',
  'context_line',
  'pre_context',
  'post_context',
  'vars',
  'in_app',
  'platform',
  'package',
] as const

/** The members of a frame as `truncation_signals` names them: `exceptions.frames.vars`. */
type Members = Readonly<Record<(typeof names)[number], string>>

const known = new Map<string, Members>()

/** Each name is made once, not for each frame. */
function readMembers(member: string): Members {
  const before = known.get(member)
  if (before !== undefined) return before
  const members = Object.fromEntries(names.map((name) => [name, `${member}.${name}`])) as Members
  known.set(member, members)
  return members
}

function readFrame(
  sent: JsonObject,
  members: Members,
  place: Pick<NormalFrame, 'index' | 'exception_index'>,
  facts: FrameFacts,
): NormalFrame {
  const { signals } = facts
  const text: ReadMember = (name, max) => readText(sent[name], members[name], max, signals)
  const filename = withoutPlaceholder(text('filename', 512) || text('path', 512))
  const absPath = text('abs_path', 2_048)
  const frame: NormalFrame = {
    ...place,
    function: text('function', 512),
    raw_function: text('raw_function', 1_024),
    module: text('module', 256),
    filename,
    abs_path: absPath,
    repo_path: '',
    repo_path_source: 'REPO_PATH_SOURCE_NONE',
    // The specification calls them line and path.
    lineno: readCount(sent.lineno ?? sent.line, members.lineno, signals) ?? 0,
    colno: readCount(sent.colno ?? sent.column, members.colno, signals) ?? 0,
    in_app: false,
    context_line: withoutBreak(text('context_line', LINE_LENGTH)),
    pre_context: readLines(sent.pre_context, members.pre_context, signals),
    post_context: readLines(sent.post_context, members.post_context, signals),
    vars: boundedObject(readObject(sent.vars, members.vars, signals), members.vars, mapBounds, signals),
    symbolicated: false,
    original: null,
    source_map_id: '',
    debug_id: facts.debugIds.get(absPath || filename) ?? '',
    component: null,
    grouping_role: 'ignored',
    ignored_reason: '',
  }
  const signs = readSigns(sent, text, facts)
  if (signs !== undefined) frame.signs = signs
  facts.inApp.add(frame, readFlag(sent.in_app, members.in_app, signals))
  return frame
}

type ReadMember = (name: keyof Members, max: number) => string

/** What only grouping reads; undefined if the SDK sent nothing of it. */
function readSigns(
  sent: JsonObject,
  text: ReadMember,
  { platform: ofEvent, binaries }: FrameFacts,
): FrameSigns | undefined {
  if (sent.platform === undefined && sent.package === undefined && sent.instruction_addr === undefined) return undefined
  const platform = text('platform', 64)
  const found = binaries.find(sent.instruction_addr, sent.addr_mode)
  const signs: FrameSigns = {}
  if (platform !== '' && platform !== ofEvent) signs.platform = platform
  const binary = text('package', 512) || found?.file
  if (binary) signs.package = binary
  if (found !== undefined) signs.address = found.address
  return Object.keys(signs).length === 0 ? undefined : signs
}

function readLines(value: unknown, member: string, signals: Signals): string[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) {
    signals.note(member, 'type', 0, 1)
    return []
  }
  return keepFirst(value, CONTEXT_LINES, member, signals).map((line) =>
    withoutBreak(readText(line, member, LINE_LENGTH, signals)),
  )
}

/** The SDK for Ruby sends each line with its end. */
function withoutBreak(line: string): string {
  return line.replace(/\r?\n$/, '')
}

/** What R8, ProGuard and the SDK for Go write in place of a file's name. */
const PLACEHOLDER = /^(?:SourceFile|Unknown Source|Native Method|[DR]8\$\$SyntheticClass|r8-map-id-\w+|unknown)$/

function withoutPlaceholder(filename: string): string {
  return PLACEHOLDER.test(filename) ? '' : filename
}
