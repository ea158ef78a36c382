import * as z from 'zod'
import { isForeign, isWindows, spellings, type FramePath } from './frame-paths.ts'
import { isGeneratedCode } from '../../../lib/frames/generated-code.ts'
import { LONGEST_PATH } from './glob.ts'
import { readJson } from '../../sql/json.ts'
import { isNative, isVendored, resolvePath } from '../../shared/code-paths.ts'

const Roots = z.object({ root_path: z.string().default(''), path_strip_prefixes: z.array(z.string()).default([]) })

/** The members of a product's `repository` that say where its code is on build machines and servers. */
export interface RepositoryRoots {
  root_path: string
  path_strip_prefixes: readonly string[]
}

/** Parses them from the column `product.repository`, which is JSON. */
export function parseRepositoryRoots(repository: string): RepositoryRoots {
  return readJson(Roots, repository)
}

/** A frame's file, before it is compared with files that exist. */
export interface FrameFile {
  /** Relative to the repository's root as far as the frame itself can tell; '' when it names no file of a repository. */
  path: string
  /** Whether a prefix that the team gave was removed: then `path` is final. */
  isPrefixed: boolean
  /** All spellings, relative, for a comparison of their ends; none when the ends prove nothing. */
  spellings: string[]
  /** Whether it is a path of a build machine or of a package rather than of the repository. */
  isForeign: boolean
  /** Whether its case is that of Windows, which has none. */
  foldsCase: boolean
}

/**
 * The file of a frame relative to the repository's root, with `/`; '' for packages, the engine's own code and anything
 * that is not a file. Never absolute and never with `..`. The sender of the event wrote it: it names a file, but proves
 * nothing.
 */
export function repoPath(frame: FramePath, repository: RepositoryRoots): string {
  return readFrameFile(frame, repository).path
}

/** The same with what is known about the path. */
export function readFrameFile(frame: FramePath, repository: RepositoryRoots): FrameFile {
  const raw = spellings(frame)
  const prefixes = stripPrefixes(repository)
  const read = raw.map((spelling) => relativePath(spelling, prefixes)).filter(({ path }) => path !== '')
  const isFile = raw.length > 0 && relativePath(raw[0]!, prefixes).path !== ''
  const chosen = isFile ? (read.find(({ isPrefixed }) => isPrefixed) ?? read[0]) : undefined
  const isServed = /^https?:/i.test(raw[0] ?? '')
  return {
    path: chosen?.path ?? '',
    isPrefixed: chosen?.isPrefixed ?? false,
    spellings: chosen === undefined || isServed ? [] : [...new Set(read.map(({ path }) => path))],
    isForeign: isForeign(raw[0] ?? ''),
    foldsCase: isWindows(frame),
  }
}

function relativePath(raw: string, prefixes: readonly string[]): { path: string; isPrefixed: boolean } {
  const none = { path: '', isPrefixed: false }
  if (raw.length > 4 * LONGEST_PATH || /[\p{Cc}]/u.test(raw)) return none
  if (
    isNative(raw) ||
    isGeneratedCode(raw) ||
    isVendored(raw) ||
    /^(?:data|blob|node|internal|dart|[\w-]+-extension):/i.test(raw)
  )
    return none
  const stripped = withoutPrefix(raw, prefixes)
  // A prefix may include scheme and host, or may match only without them; it is removed once.
  const relative = resolvePath(withoutOrigin(stripped ?? raw))
  const bare = stripped === undefined ? withoutPrefix(relative, prefixes.map(resolvePath)) : undefined
  const path = bare === undefined ? relative : resolvePath(bare)
  if (path.length > LONGEST_PATH || isVendored(path)) return none
  return { path, isPrefixed: stripped !== undefined || bare !== undefined }
}

/** Longest first, so that `/srv/shop/server` wins over `/srv/shop`. A relative `root_path` is part of the path. */
function stripPrefixes({ root_path: root, path_strip_prefixes: prefixes }: RepositoryRoots): string[] {
  const isAbsolute = /^(?:[\\/]|[a-z][\w+.-]*:)/i.test(root)
  return [...prefixes, ...(isAbsolute ? [root] : [])]
    .map((prefix) => prefix.trim().replaceAll('\\', '/').replace(/^\.\//, ''))
    .filter((prefix) => prefix !== '' && prefix !== '/')
    .toSorted((left, right) => right.length - left.length)
}

/** Undefined when no prefix ends where a folder of the path does. */
function withoutPrefix(path: string, prefixes: readonly string[]): string | undefined {
  const prefix = prefixes.find((candidate) => {
    const isBoundary = candidate.endsWith('/') || path[candidate.length] === '/'
    return candidate !== '' && isBoundary && path.startsWith(candidate)
  })
  return prefix === undefined ? undefined : path.slice(prefix.length)
}

/** Removes scheme and host, or the text that bundlers put in their place (errors §3.1). */
function withoutOrigin(path: string): string {
  const address = /^([a-z][\w+.-]+):\/\/([^/]*)(?:\/|$)(.*)$/is.exec(path)
  if (address === null) return path.replace(/\?.*$/s, '').replace(/^~\//, '')
  const [, scheme, authority, rest] = address
  // Only these schemes have no host: the part in its place is a folder.
  const isHostless = /^(?:app|file)$/i.test(scheme!) && !/^(?:localhost)?$/i.test(authority!)
  // Next.js puts the layer first: `webpack-internal:///(rsc)/./src/a.ts`.
  const layerless = /^webpack-internal$/i.test(scheme!) ? rest!.replace(/^\([\w-]+\)\//, '') : rest!
  return (isHostless ? `${authority!}/${rest!}` : layerless)
    .replace(/[?#].*$/s, '')
    .replace(/^\[project\]\//, '')
    .replace(/^~\//, '')
}
