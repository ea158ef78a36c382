import * as z from 'zod'
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

/** The members of a stack frame that name its file. */
export interface FramePath {
  filename: string
  abs_path: string
}

/**
 * The file of a frame relative to the repository's root, with `/`; '' for packages, the engine's own code and anything
 * that is not a file. Never absolute and never with `..`. The sender of the event wrote it: it names a file, but proves
 * nothing.
 */
export function repoPath(frame: FramePath, repository: RepositoryRoots): string {
  const raw = (frame.filename === '' ? frame.abs_path : frame.filename).trim().replace(/^async /, '')
  if (raw.length > 4 * LONGEST_PATH || /[\p{Cc}]/u.test(raw)) return ''
  const path = raw.replaceAll('\\', '/')
  if (isNative(path) || isVendored(path) || /^(?:data|blob|node|internal|[\w-]+-extension):/i.test(path)) return ''
  const prefixes = stripPrefixes(repository)
  const stripped = withoutPrefix(path, prefixes)
  // A prefix may include scheme and host, or may match only without them; it is removed once.
  const relative = resolvePath(withoutOrigin(stripped ?? path))
  const bare = stripped === undefined ? withoutPrefix(relative, prefixes.map(resolvePath)) : undefined
  const file = bare === undefined ? relative : resolvePath(bare)
  return file.length > LONGEST_PATH || isVendored(file) ? '' : file
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
