import type { NormalFrame } from '../../event/event.ts'
import { isNative, isVendored } from '../../../shared/code-paths.ts'

/** The generated file of a frame, in the forms by which artifacts are looked up. */
export interface FrameFile {
  /** The same for all frames of an event that are in this file. */
  key: string
  /** Lower case, with dashes where it is a whole uuid; '' when the event names none. */
  debugId: string
  /** Paths that an artifact may have, the most exact first (errors §3.1). */
  paths: readonly string[]
  /** Segments of the path, without origin and query. */
  segments: readonly string[]
  /** Base names that its artifacts may have. */
  baseNames: readonly string[]
  isPackage: boolean
}

/** Files that are not build output: sources, the engine's own code, code without a file, browser extensions. */
const NO_OUTPUT =
  /\.(?:tsx?|mts|cts|jsx|vue|svelte|wasm)$|^(?:data|blob|node|internal|about|wasm|eval|webpack-internal|[\w-]*-extension):|^[<[]/i
const SCRIPT = /\.(?:[cm]?js|bundle|jsbundle)$/i

/**
 * Whether a source map could lead from a frame to its source: JavaScript with a line, by the event's platform or by the
 * name of its file.
 */
export function mayHaveMap(frame: Pick<NormalFrame, 'abs_path' | 'filename' | 'lineno'>, platform: string): boolean {
  if (frame.lineno < 1) return false
  const path = withoutQuery(framePath(frame))
  if (path === '' || isNative(path) || NO_OUTPUT.test(path)) return false
  return platform === 'javascript' || platform === 'node' || SCRIPT.test(path)
}

/** The base name of a frame's file, without query, when it is that of a script that builds produce. */
export function scriptName(frame: Pick<NormalFrame, 'abs_path' | 'filename'>): string | undefined {
  const path = withoutQuery(framePath(frame))
  return SCRIPT.test(path) ? baseName(path) : undefined
}

/** What a frame says of its file. */
export type InFile = Pick<NormalFrame, 'abs_path' | 'filename' | 'debug_id'>

/** Identifies the file of a frame within an event. */
export function fileKey(frame: InFile): string {
  return `${frame.debug_id}\n${frame.abs_path}\n${frame.filename}`
}

/** The file of a frame, with everything by which its artifacts may be found. */
export function frameFile(frame: InFile): FrameFile {
  // Browsers encode addresses, builds write plain names: `%5Bid%5D.js` and `[id].js`.
  const written = [frame.abs_path, frame.filename].filter((path) => path !== '').map(cleaned)
  const forms = distinct(written.flatMap((path) => [path, decoded(path)]))
  const names = distinct(forms.map((path) => baseName(withoutQuery(path)))).filter((name) => name !== '')
  return {
    key: fileKey(frame),
    debugId: formatDebugId(frame.debug_id),
    paths: distinct(forms.flatMap(possiblePaths)),
    segments: pathSegments(forms[1] ?? forms[0] ?? ''),
    baseNames: distinct(names.flatMap((name) => [name, `${name}.map`, name.replace(/\.\w+$/, '.map')])),
    isPackage: written.some(isVendored),
  }
}

/** A path's folders and file, without origin, `~`, query and empty segments. */
export function pathSegments(path: string): string[] {
  const { path: bare } = split(path)
  return withoutQuery(bare)
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.' && segment !== '~')
}

/** The last segment of a path, including query and fragment. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function framePath({ abs_path, filename }: Pick<NormalFrame, 'abs_path' | 'filename'>): string {
  return cleaned(abs_path === '' ? filename : abs_path)
}

/** V8 prints `async ` before the file of a nameless function's frame that an `await` resumed. */
function cleaned(path: string): string {
  const trimmed = path.trim()
  const bare = trimmed.startsWith('async ') ? trimmed.slice('async '.length) : trimmed
  const fragment = bare.indexOf('#')
  return (fragment === -1 ? bare : bare.slice(0, fragment)).replaceAll('\\', '/')
}

/** The paths an artifact of that address may have: `https://h/p?q`, the same without query, `~/p?q`, `~/p`. */
export function possiblePaths(whole: string): string[] {
  const { path } = split(whole)
  const fromRoot = `~/${path.replace(/^(?:~?\/+|\.\/)/, '')}`
  return [whole, withoutQuery(whole), fromRoot, withoutQuery(fromRoot)]
}

function split(path: string): { origin: string; path: string } {
  const origin = /^[a-z][\w+.-]+:\/\/[^/]*/i.exec(path)?.[0] ?? ''
  return { origin, path: path.slice(origin.length) }
}

function withoutQuery(path: string): string {
  const query = path.indexOf('?')
  return query === -1 ? path : path.slice(0, query)
}

function decoded(path: string): string {
  if (!path.includes('%')) return path
  try {
    return decodeURI(path).replaceAll(/%5b/gi, '[').replaceAll(/%5d/gi, ']')
  } catch {
    return path
  }
}

function formatDebugId(id: string): string {
  const hex = id.toLowerCase().replaceAll('-', '')
  if (!/^[0-9a-f]{32}$/.test(hex)) return id.toLowerCase()
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)]
}
