import type { NormalFrame } from '../event/event.ts'
import { isUrl, readName, type ReadName } from './paths.ts'

/** A source line longer than people write comes from a bundle. */
const LONGEST_WRITTEN = 150

/**
 * Whether a name looks like a minifier's: one or two characters, an obfuscator's `_0x3f`, or three characters that are
 * neither a word (`add`, `Map`) nor an abbreviation (`URL`). Such a name means something only within its build.
 */
export function isMinifiedName(name: string): boolean {
  const bare = name.replace(/^#/, '')
  if (/^[\w$]{1,2}$/.test(bare) || /^_0x[0-9a-f]+$/i.test(bare)) return true
  if (!/^[\w$]{3}$/.test(bare)) return false
  const isWord = /^[A-Z]?[a-z]+$/.test(bare) && /[aeiouy]/i.test(bare)
  return !(isWord || /^[A-Z]{3}$/.test(bare))
}

/**
 * Whether a minifier may have named a frame's function: a line around it is too long to be handwritten, or, if the SDK
 * sent no lines, it was loaded from an address or its file has a bundler's hash or debug id. A short name in any other
 * file was chosen by its author. With a map, only a name that the map left unchanged can be a minifier's.
 */
export function isBundled(frame: NormalFrame, read: ReadName = readName): boolean {
  if (frame.symbolicated) return frame.original?.function === frame.function
  const shown = shownCode(frame)
  if (shown !== '') return shown === 'bundle'
  if (isUrl(frame.filename) || isUrl(frame.abs_path) || frame.debug_id !== '') return true
  const { name, stable } = read(framePath(frame))
  return stable !== name
}

/** What the lines of a frame are from; '' when the SDK sent none. */
export function shownCode(frame: NormalFrame): 'bundle' | 'source' | '' {
  const { pre_context: before, context_line: line, post_context: after } = frame
  if (isOfBundle(line) || before.some(isOfBundle) || after.some(isOfBundle)) return 'bundle'
  return isWritten(line) || before.some(isWritten) || after.some(isWritten) ? 'source' : ''
}

function isOfBundle(line: string): boolean {
  return (line.length > LONGEST_WRITTEN && isWritten(line)) || line.includes('{snip}')
}

function isWritten(line: string): boolean {
  return line !== '' && /\S/.test(line)
}

/**
 * The name of the build of a bundle: the hash in its file's name, else its debug id, else the release; '' without any.
 */
export function buildName(frame: NormalFrame, release: string, read: ReadName = readName): string {
  const { name, stable } = read(framePath(frame.original ?? frame))
  return stable === name ? frame.debug_id || release : name
}

/** The path that a frame names. */
export function framePath({ filename, abs_path }: Pick<NormalFrame, 'filename' | 'abs_path'>): string {
  return filename === '' ? abs_path : filename
}
