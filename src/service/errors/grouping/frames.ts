import { LRUCache } from 'lru-cache'
import type { NormalFrame } from '../event/event.ts'
import { functionToken, javaModule, withoutCodegen } from './functions.ts'
import type { Token } from './hash.ts'
import { buildName, isBundled, isMinifiedName, framePath, shownCode } from './minified.ts'
import { isUrl, type ReadName, withoutHashes, withoutNumbers } from './paths.ts'
import { isNative, isVendored } from '../../shared/code-paths.ts'
import { frameFamily, type Family } from './platform.ts'

const LONGEST_CONTEXT = 120
const WITH_CONTEXT: ReadonlySet<Family> = new Set(['javascript', 'python', 'php', 'ruby'])

/** Why a frame without any information does not count; its place in the stack still counts for the shape. */
export const NAMELESS = 'no function, module or file name'

/** The parts of a frame that count for the hash; `ignored` is '' or the reason why none do. */
export interface FrameReading {
  ignored: string
  tokens: readonly Token[]
  /** The parts that count across engines and maps: its function, or its source line if it has none. */
  lenient: readonly Token[]
  /** The parts that count across builds: nothing that a minifier or a content hash named. */
  shape: readonly Token[]
  /** Equal for two frames at the same place in the code, whatever their line. */
  key: string
  isApp: boolean
  /** Whether a minifier named its function, and in which build ('' when that is not known). */
  minified: { build: string } | undefined
  /** Whether its function has a name that is the same in every build. */
  isNamed: boolean
  /** Whether its source line counts. */
  hasLine: boolean
}

/** The rules for reading the frames of one event. */
export interface FrameRules {
  family: Family
  /** Names the build if neither file name nor debug id does. */
  release: string
  readName: ReadName
}

/** Bytes of the readings that are remembered: about 4,000 frames. */
const REMEMBERED_BYTES = 8 * 1024 ** 2
/** What a reading takes for each character of its frame, whose parts it repeats, and in addition. */
const CHARACTER_BYTES = 6
const ENTRY_BYTES = 900
/** Longer texts may be cut from much longer ones, which would stay in memory with them. */
const LONGEST_PART = 250
const LONGEST_ID = 50
/** Readings of frames with the same line, function and file. */
const MOST_ALIKE = 4

/** All that `readFrame` reads, with what it made of it. */
interface Known {
  family: Family
  /** Undefined where it does not count. */
  release: string | undefined
  shown: ReturnType<typeof shownCode>
  frame: Pick<NormalFrame, (typeof parts)[number] | 'in_app'>
  reading: FrameReading
}

const parts = [
  'function',
  'raw_function',
  'module',
  'filename',
  'abs_path',
  'context_line',
  'debug_id',
] as const satisfies readonly (keyof NormalFrame)[]

const known = new LRUCache<string, readonly Known[]>({
  maxSize: REMEMBERED_BYTES,
  sizeCalculation: (alike, key) => alike.reduce((sum, each) => sum + knownBytes(each), key.length),
})

/**
 * `readFrame`, which remembers its results: most frames of an event are at places that many events share. Parts are compared
 * one by one, which takes a third of the time of a key that holds all of them (decision 075).
 */
export function recallFrame(frame: NormalFrame, rules: FrameRules): FrameReading {
  if (!isRemembered(frame, rules)) return readFrame(frame, rules)
  const key = `${String(frame.lineno)} ${frame.function}\n${frame.filename}`
  const alike = known.get(key) ?? []
  const shown = rules.family === 'javascript' ? shownCode(frame) : ''
  for (const each of alike) if (isReadingFor(each, frame, rules, shown)) return each.reading
  const reading = readFrame(frame, rules)
  known.set(key, [...alike.slice(1 - MOST_ALIKE), describe(frame, rules, shown, reading)])
  return reading
}

function isRemembered(frame: NormalFrame, { release }: FrameRules): boolean {
  if (frame.symbolicated || frame.original !== null || frame.signs !== undefined) return false
  if (release.length > LONGEST_PART || frame.debug_id.length > LONGEST_ID) return false
  return parts.every((part) => frame[part].length <= LONGEST_PART)
}

function isReadingFor(
  { family, release, shown, frame: before }: Known,
  frame: NormalFrame,
  rules: FrameRules,
  shownNow: Known['shown'],
): boolean {
  return (
    before.function === frame.function &&
    before.filename === frame.filename &&
    before.context_line === frame.context_line &&
    before.module === frame.module &&
    before.abs_path === frame.abs_path &&
    before.raw_function === frame.raw_function &&
    before.debug_id === frame.debug_id &&
    before.in_app === frame.in_app &&
    family === rules.family &&
    shown === shownNow &&
    (release === undefined || release === rules.release)
  )
}

function describe(frame: NormalFrame, { family, release }: FrameRules, shown: Known['shown'], reading: FrameReading) {
  const { function: name, raw_function, module, filename, abs_path, context_line, debug_id, in_app } = frame
  const read = { function: name, raw_function, module, filename, abs_path, context_line, debug_id, in_app }
  // The release names the build of a minified name and nothing else.
  return { family, release: reading.minified === undefined ? undefined : release, shown, frame: read, reading }
}

function knownBytes({ frame }: Known): number {
  return ENTRY_BYTES + CHARACTER_BYTES * parts.reduce((sum, part) => sum + frame[part].length, 0)
}

/** Module or file, function and source line of a frame, by the rules of errors §2.1 and decision 014. */
export function readFrame(frame: NormalFrame, { family: ofEvent, release, readName }: FrameRules): FrameReading {
  const family = frameFamily(frame, ofEvent)
  const name = functionToken(countedName(frame, family), family)
  const engine = family === 'javascript' ? engineReason(frame, name) : ''
  const file = stableFileName(frame, readName)
  const place = placeToken(frame, family, file)
  const line = contextToken(frame, family, name)
  const isShort = family === 'javascript' && isMinifiedName(name)
  const inBundle = (isShort || line !== '') && family === 'javascript' && isBundled(frame, readName)
  // A line of a bundle is full of names that change with each build.
  const context = inBundle && !frame.symbolicated ? '' : line
  const minified = isShort && inBundle ? { build: buildName(frame, release, readName) } : undefined
  const places = place === undefined ? [] : [place]
  const functions = functionTokens(name, minified?.build ?? '')
  const contexts: Token[] = context === '' ? [] : [['context', context]]
  // After symbolication the name is only suggested by the map; the source line is certain.
  const isGuess = family === 'javascript' && frame.symbolicated && context !== ''
  const known = [...places, ...(isGuess ? [] : functions), ...contexts]
  const tokens = known.length === 0 ? addressTokens(frame) : known
  const ownName = minified === undefined ? name : ''
  return {
    ignored: engine || (tokens.length === 0 ? NAMELESS : ''),
    tokens,
    lenient: [...places, ...(ownName === '' && context !== '' ? contexts : functions)],
    shape: shapeTokens(file, ownName),
    key: frameKey(file, tokens),
    isApp: engine === '' && isApp(frame, family),
    minified,
    isNamed: ownName !== '',
    hasLine: context !== '',
  }
}

function frameKey(file: string, tokens: readonly Token[]): string {
  let key = file
  for (const [kind, value] of tokens) key += `\n${kind} ${value}`
  return key
}

/** Sentry counts the signature of a C# method, although it shows the name alone. */
function countedName({ function: name, raw_function: raw }: NormalFrame, family: Family): string {
  return family === 'csharp' && raw !== '' ? raw : name
}

/** Without symbols, the place in the binary tells native frames apart; it is the same in every run of one build. */
function addressTokens({ signs }: NormalFrame): Token[] {
  if (signs?.address === undefined) return []
  const binary = (signs.package ?? '').split(/[/\\]/).at(-1)!
  return [
    ['package', binary],
    ['address', signs.address],
  ]
}

function functionTokens(name: string, build: string): Token[] {
  if (name === '') return []
  return build === ''
    ? [['function', name]]
    : [
        ['function', name],
        ['build', build],
      ]
}

/** Pages are named after what they show, so only a script's own file counts. */
function shapeTokens(file: string, name: string): Token[] {
  return [
    ['file', /\.[cm]?[jt]sx?$/.test(file) ? withoutNumbers(file) : ''],
    ['function', name],
  ]
}

function engineReason(frame: NormalFrame, name: string): string {
  if ([frame.filename, frame.abs_path].some((path) => isNative(path) || path === 'native code')) return 'native code'
  if (frame.abs_path === 'eval code') return 'eval'
  return name === 'eval' || name === 'eval code' ? 'eval' : ''
}

/** Whether a frame is the team's code: as the SDK says, except for JavaScript that is known to be third-party code. */
export function isApp(frame: NormalFrame, family: Family): boolean {
  if (!frame.in_app) return false
  if (family !== 'javascript') return true
  // The mapped source decides: a bundle contains both packages and the team's code.
  return ![frame.filename, frame.abs_path].some((path) => isVendored(path) || isNative(path))
}

/** The name of the file a frame is in, the same for every build. */
function stableFileName(frame: NormalFrame, readName: ReadName): string {
  const { name, stable } = readName(framePath(frame))
  return (frame.symbolicated ? name : stable).toLowerCase()
}

/** Whether a page names the file; `file:` is the page's own address in an app. */
export function isFromUrl({ abs_path, filename }: NormalFrame): boolean {
  return [abs_path, filename].some((path) => isUrl(path) || path.startsWith('file:'))
}

function placeToken(frame: NormalFrame, family: Family, file: string): Token | undefined {
  const module = frameModule(frame, family)
  if (module !== '') return ['module', module]
  const path = frame.abs_path === '' ? frame.filename : frame.abs_path
  if (!frame.symbolicated && (isUrl(path) || isUrl(frame.filename))) return undefined
  if (isNative(frame.filename) || isNative(frame.abs_path)) return undefined
  return file === '' ? undefined : ['file', family === 'java' ? withoutCodegen(file) : file]
}

function frameModule(frame: NormalFrame, family: Family): string {
  if (family === 'java') return javaModule(frame.module)
  if (family !== 'javascript') return frame.module
  // The SDK named it after the bundle, which no longer matters after mapping.
  if (frame.symbolicated) return ''
  // A module that only repeats the path of the bundle says no more than the file name.
  if (frame.module.includes('/') && withoutExtension(frame.abs_path).endsWith(withoutExtension(frame.module))) return ''
  return withoutHashes(frame.module)
}

function withoutExtension(path: string): string {
  return path.replace(/[?#].*$/s, '').replace(/\.\w{1,8}$/, '')
}

function contextToken(frame: NormalFrame, family: Family, name: string): string {
  if (!WITH_CONTEXT.has(family)) return ''
  // The indentation counts: Sentry measures the line as it was sent.
  if (frame.context_line.length > LONGEST_CONTEXT) return ''
  const line = frame.context_line.trim().replace(/\s+/g, ' ')
  // A line of brackets is in every file.
  if (!/[\p{L}\p{N}_$]/u.test(line)) return ''
  if (family === 'javascript' && name === '' && !frame.symbolicated && isFromUrl(frame)) return ''
  return line
}
