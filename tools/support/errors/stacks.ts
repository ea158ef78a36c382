import { counted } from '../../../src/lib/counted.ts'
import { isPlaced, recursiveFrames } from '../../../src/lib/frames/recursion.ts'
import { isLibraryFrame } from '../../../src/lib/frames/library-frame.ts'
import { combined, hasText, isSameText, Quoted, quoted, type BlockContent } from '../../../src/mcp/text/untrusted.ts'
import type { LocatedFiles } from '../../../src/mcp/files/locate-files.ts'
import {
  codeLine,
  errorLine,
  frameCode,
  frameLocation,
  frameWords,
  isSuppressed,
  type Event,
  type Frame,
} from './events.ts'

/** Exceptions from the one thrown to its causes. */
const EXCEPTIONS = 4
/** Exceptions whose code is shown: the one thrown and its nearest cause. */
const WITH_CODE = 2
/** In-app frames of a stack whose own line of code is shown: those nearest to the crash. */
const LINES = 4
/** Lines of code on each side of the one that crashed. */
const AROUND = 3

/**
 * The stacks of an occurrence for the untrusted block, crash first, from the exception thrown to its causes. In-app frames
 * are one line each, the one nearest to the crash with the code around it; library frames between them and the frames that a
 * recursion repeats are folded. `frames` are caller first, as the service sends them.
 */
export function describeStacks(event: Event, frames: readonly Frame[], here?: LocatedFiles) {
  const thrownFirst = [...(event.exceptions ?? []).entries()].toReversed()
  const stacks = thrownFirst.slice(0, EXCEPTIONS).map(([index, exception], place) => ({
    error: errorLine(exception),
    ...(isSuppressed(exception) && { suppressed: true }),
    ...describeStack(
      frames.filter((frame) => (frame.exception_index ?? 0) === index),
      { withCode: place < WITH_CODE, here },
    ),
  }))
  const ownerless = frames.filter((frame) => (event.exceptions ?? [])[frame.exception_index ?? 0] === undefined)
  return {
    exceptions: [...stacks, ...(ownerless.length === 0 ? [] : [describeStack(ownerless, { withCode: true, here })])],
    shown: stacks.length,
    total: thrownFirst.length,
  }
}

interface Describing {
  withCode: boolean
  here: LocatedFiles | undefined
}

function describeStack(frames: readonly Frame[], { withCode, here }: Describing) {
  const crashFirst = frames.toReversed()
  const found = withCode ? crashFirst.findIndex((frame) => isOurs(frame) && frameCode(frame) !== undefined) : -1
  const at = crashFirst[found]
  return { ...(at && { code: codeAround(at) }), frames_crash_first: lines(crashFirst, found, here) }
}

/** `withCode` is the place of the frame whose code is shown already. */
function lines(crashFirst: readonly Frame[], withCode: number, here: LocatedFiles | undefined): BlockContent[] {
  const shown: BlockContent[] = []
  const repeated = repeatedFrames(crashFirst)
  const near = new Set(crashFirst.filter((frame) => isOurs(frame) && !repeated.has(frame)).slice(0, LINES))
  /** Frames that become one line: all of a recursion, or all of libraries. */
  let folded: Frame[] = []
  const unfold = () => {
    const isRecursion = folded.some((frame) => repeated.has(frame))
    if (folded.length > 0)
      shown.push(isRecursion ? `… ${counted(folded.length, 'frame')} of recursion` : foldLine(folded))
    folded = []
  }
  for (const [place, frame] of crashFirst.entries()) {
    const isRepeated = repeated.has(frame)
    const isFolded = isRepeated || (place > 0 && !isOurs(frame))
    if (!isFolded || folded.some((one) => repeated.has(one) !== isRepeated)) unfold()
    if (isFolded) folded.push(frame)
    else shown.push(frameLine(frame, { withCode: near.has(frame) && place !== withCode, here }))
  }
  unfold()
  return shown
}

/** The frames that only repeat those nearer to the crash: the same lines of the same functions. */
function repeatedFrames(crashFirst: readonly Frame[]): Set<Frame> {
  const distinct: Frame[] = []
  const keys = crashFirst.map((frame) => {
    const known = namesPlace(frame) ? distinct.findIndex((other) => isSamePlace(frame, other)) : -1
    return known === -1 ? distinct.push(frame) - 1 : known
  })
  const repeated = recursiveFrames(keys)
  return new Set(crashFirst.filter((_, index) => repeated.has(index)))
}

function namesPlace({ lineno = 0, filename, module, function: name }: Frame): boolean {
  return isPlaced({ hasLine: lineno > 0, hasFile: hasText(filename) || hasText(module), hasName: hasText(name) })
}

function isSamePlace(one: Frame, other: Frame): boolean {
  return (
    [one.function, one.filename, one.module].some(hasText) &&
    one.lineno === other.lineno &&
    one.colno === other.colno &&
    isSameText(one.function, other.function) &&
    isSameText(one.filename, other.filename) &&
    isSameText(one.module, other.module)
  )
}

function frameLine(frame: Frame, { withCode, here }: Describing): BlockContent {
  const code = withCode ? frameCode(frame) : undefined
  return frameWords(frame, frameLocation(frame, here), isOurs(frame) ? '' : ' (library)', code)
}

/** `… 7 library frames (express, node)` */
function foldLine(frames: readonly Frame[]): BlockContent {
  const files = frames.flatMap(
    (frame) => [frame.repo_path, frame.filename, frame.abs_path, frame.module].find(hasText) ?? [],
  )
  const libraries = combined(files, (paths) => [...new Set(paths.map(libraryName))].slice(0, 4).join(', '))
  const count = counted(frames.length, 'library frame')
  return hasText(libraries) ? quoted`… ${count} (${libraries})`.cut(120) : quoted`… ${count}`
}

/** The package of a library's file: below `node_modules` or `site-packages`, `node:`, else its first folder. */
function libraryName(path: string): string {
  for (const folder of ['node_modules/', 'site-packages/', 'dist-packages/']) {
    const at = path.lastIndexOf(folder)
    if (at === -1) continue
    const [first = '', second = ''] = path.slice(at + folder.length).split('/', 2)
    return first.startsWith('@') ? `${first}/${second}` : first
  }
  if (/^(?:node:|internal\/)/.test(path)) return 'node'
  return path.replace(/^(?:[a-z]+:)?\/+/i, '').split('/', 1)[0] ?? path
}

function isOurs(frame: Frame): boolean {
  return !isLibraryFrame(frame)
}

/** The line that crashed and the lines around it, each with its number, the one that crashed marked. */
function codeAround(frame: Frame): Quoted {
  const { line, column } = frameLocation(frame)
  const before = (frame.pre_context ?? []).slice(-AROUND)
  const after = (frame.post_context ?? []).slice(0, AROUND)
  const parts: Quoted['parts'][] = []
  for (const [index, text] of [...before, frame.context_line, ...after].entries()) {
    const isCrash = index === before.length
    const number = line === undefined ? '' : line - before.length + index
    // The SDK for Ruby fills up what would be before the first line of the file.
    if (number !== '' && number < 1 && !isCrash) continue
    parts.push([
      `${parts.length === 0 ? '' : '\n'}${number}${isCrash ? '>' : ' '} `,
      hasText(text) ? (codeLine(text, isCrash ? column : 0) ?? '…') : '',
    ])
  }
  return new Quoted(parts.flat(), 1_200, true)
}
