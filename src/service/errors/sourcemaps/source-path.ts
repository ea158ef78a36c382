import { replaceControls } from '../../../lib/text.ts'
import { isVendored, resolvePath } from '../../shared/code-paths.ts'

/** Longest name that is examined; longer ones (`data:` addresses) do not name a file. */
const LONGEST_NAME = 2_048
/** The same limit as for every `filename` of a frame. */
const LONGEST_PATH = 512

/** Bundlers that put their own scheme before the path; the package takes the place of the host. */
const BUNDLER = /^(?:webpack|webpack-internal|rspack|turbopack|ng)$/i

/**
 * A source's name in the form of a repository path: bundlers' prefixes and the way up from the map's folder are removed
 * (errors §3.1). Never absolute and never with a `..` segment; '' for a name that is not a file's. An absolute path of
 * the build machine stays, without its root, for `path_strip_prefixes` to cut. The folder of the map counts only for a
 * file that was compiled in place (`src/cart.js.map` with the source `cart.ts`): usually it is the folder of an
 * address, not of the repository.
 */
export function sourcePath(name: string, mapPath: string): string {
  if (name.length > LONGEST_NAME || /^\s*(?:data|blob):/i.test(name)) return ''
  const raw = replaceControls(name).trim().replaceAll('\\', '/')
  const path = resolvePath(withoutOrigin(raw))
  const placed = isCompiledInPlace(raw, mapPath) ? resolvePath(`${mapFolder(mapPath)}/${path}`) : path
  return placed.length > LONGEST_PATH ? '' : placed
}

/** Whether a source is not the team's: a package, the bundler's runtime or a module that a plugin generated. */
export function isLibrarySource(name: string, path: string): boolean {
  // Rollup's plugins mark modules without a file with a NUL.
  if (name.startsWith('\0') || isVendored(path)) return true
  return /^(?:external |\(webpack\)|\[turbopack\]|(?:vite|rolldown|commonjsHelpers)[/:.]|<[\w:]+>)/.test(path)
}

function withoutOrigin(path: string): string {
  const address = /^([a-z][\w+.-]+):\/\/([^/]*)(?:\/(.*))?$/is.exec(path)
  if (address === null) return path.replace(/\?.*$/s, '').replace(/^~\//, '')
  const [, scheme = '', authority = '', rest = ''] = address
  if (BUNDLER.test(scheme)) return bundled(authority, rest.replace(/\?.*$/s, ''))
  // These two schemes have no host: a folder takes its place.
  const isHostless = /^(?:app|file)$/i.test(scheme) && !/^(?:localhost)?$/i.test(authority)
  return (isHostless ? `${authority}/${rest}` : rest).replace(/[?#].*$/s, '').replace(/^~\//, '')
}

/** `webpack://@scope/shop/./src/a.ts`, `webpack:///./~/vue/vue.js`, `turbopack:///[project]/src/a.ts`. */
function bundled(authority: string, rest: string): string {
  const named = `/${rest}`
  const start = named.indexOf('/./')
  const inPackage = authority.startsWith('@') ? named.replace(/^\/[^/]*/, '') : named
  return (start === -1 ? inPackage : named.slice(start + 2))
    .replace(/^\/\([\w-]+\)\//, '/')
    .replace(/^\/\[project\]\//, '/')
    .replaceAll('/~/', '/node_modules/')
}

function isCompiledInPlace(name: string, mapPath: string): boolean {
  const source = name.replace(/^\.\//, '')
  if (source === '' || source.includes('/')) return false
  const map = mapPath.slice(mapPath.lastIndexOf('/') + 1).replace(/\.map$/, '')
  return stem(source) === stem(map)
}

function stem(file: string): string {
  return file.replace(/\.\w+$/, '')
}

function mapFolder(mapPath: string): string {
  const path = withoutOrigin(mapPath.replaceAll('\\', '/'))
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}
