import type { NormalFrame } from '../ingest/event.ts'
import { functionToken, javaModule } from './functions.ts'
import type { Token } from './hash.ts'
import { basename, isNative, isUrl, isVendored, withoutHashes } from './paths.ts'
import type { Family } from './platform.ts'

const LONGEST_CONTEXT = 120
const WITH_CONTEXT: ReadonlySet<Family> = new Set(['javascript', 'python', 'php', 'ruby'])

/** What of a frame counts for the hash; `ignored` is '' or why nothing does. */
export interface FrameReading {
  ignored: string
  tokens: readonly Token[]
  /** The same for two frames that are the same place in the code, whatever their line. */
  key: string
  isApp: boolean
}

/** Module or file, function and source line of a frame, by the rules of ERRORS §2.1. */
export function readFrame(frame: NormalFrame, family: Family): FrameReading {
  const name = functionToken(frame.function, family)
  const engine = family === 'javascript' ? engineReason(frame, name) : ''
  if (engine !== '') return { ignored: engine, tokens: [], key: '', isApp: false }
  const file = fileOf(frame)
  const place = placeToken(frame, family, file)
  const context = contextToken(frame, family, name)
  const tokens: Token[] = []
  if (place !== undefined) tokens.push(place)
  // After symbolication the name is a guess of the map's; the source line beside it is certain.
  const guessed = family === 'javascript' && frame.symbolicated && context !== ''
  if (name !== '' && !guessed) tokens.push(['function', name])
  if (context !== '') tokens.push(['context', context])
  const key = `${file}\n${tokens.map(([kind, value]) => `${kind} ${value}`).join('\n')}`
  const ignored = tokens.length === 0 ? 'no function, module or file name' : ''
  return { ignored, tokens, key, isApp: isApp(frame, family) }
}

function engineReason(frame: NormalFrame, name: string): string {
  if (isNative(frame.filename) || isNative(frame.abs_path)) return 'native code'
  return name === 'eval' || name === 'eval code' ? 'eval' : ''
}

/** Whether a frame is the team's code: as the SDK says, save for JavaScript that is known to be someone else's. */
export function isApp(frame: NormalFrame, family: Family): boolean {
  if (!frame.in_app) return false
  return family !== 'javascript' || !(isVendored(frame.filename) || isVendored(frame.abs_path))
}

/** The name of the file a frame is in, the same for every build. */
function fileOf(frame: NormalFrame): string {
  const name = basename(frame.filename === '' ? frame.abs_path : frame.filename)
  return frame.symbolicated ? name.toLowerCase() : withoutHashes(name).toLowerCase()
}

function placeToken(frame: NormalFrame, family: Family, file: string): Token | undefined {
  const module = moduleOf(frame, family)
  if (module !== '') return ['module', module]
  const path = frame.abs_path === '' ? frame.filename : frame.abs_path
  if (!frame.symbolicated && (isUrl(path) || isUrl(frame.filename))) return undefined
  if (isNative(frame.filename) || isNative(frame.abs_path)) return undefined
  return file === '' ? undefined : ['file', file]
}

function moduleOf(frame: NormalFrame, family: Family): string {
  if (family === 'java') return javaModule(frame.module)
  if (family !== 'javascript') return frame.module
  // A module that only repeats the path of the bundle says no more than the file name.
  if (frame.module.includes('/') && withoutExtension(frame.abs_path).endsWith(withoutExtension(frame.module))) return ''
  return frame.symbolicated ? frame.module : withoutHashes(frame.module)
}

function withoutExtension(path: string): string {
  return path.replace(/[?#].*$/s, '').replace(/\.\w{1,8}$/, '')
}

function contextToken(frame: NormalFrame, family: Family, name: string): string {
  if (!WITH_CONTEXT.has(family)) return ''
  const line = frame.context_line.slice(0, 4096).trim().replace(/\s+/g, ' ')
  if (line.length > LONGEST_CONTEXT) return ''
  if (name === '' && !frame.symbolicated && (isUrl(frame.abs_path) || isUrl(frame.filename))) return ''
  return line
}
