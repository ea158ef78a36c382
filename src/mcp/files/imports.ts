import { posix } from 'node:path'

/** An import of another file, as the paths that it may lead to. */
export interface FileImport {
  /** Of the importing file, 1-based. */
  line: number
  /** Relative to the root of the importing file's path, the most likely first. */
  candidates: readonly string[]
}

/** A longer line is generated. */
const LONGEST_LINE = 500

/**
 * The imports of a file that may lead to other files of its repository, by patterns for JavaScript, TypeScript, Python,
 * Java, Kotlin, Scala, Ruby, C and C++; none for other languages. Packages, aliases and generated paths are not
 * resolved. `path` has `/` and is relative to a root.
 */
export function findImports(path: string, text: string): FileImport[] {
  const resolve = languages.find(({ files }) => files.test(path))?.resolve
  if (resolve === undefined) return []
  const lines = text.split('\n').map((line) => (line.length > LONGEST_LINE ? '' : line))
  const root = packageRoot(path, lines)
  return lines.flatMap((line, index) => {
    const candidates = resolve(line, { path, folder: posix.dirname(path), root }).map((file) => posix.normalize(file))
    const inside = candidates.filter((file) => file !== path && !file.startsWith('../') && !file.startsWith('/'))
    return inside.length === 0 ? [] : [{ line: index + 1, candidates: inside }]
  })
}

interface Importing {
  path: string
  folder: string
  /** The folder that packages of a JVM language begin in. */
  root: string
}

type Resolve = (line: string, from: Importing) => string[]

const SCRIPTS = ['.ts', '.tsx', '.js', '.jsx', '.mts', '.cts', '.mjs', '.cjs', '.vue', '.svelte']

const script: Resolve = (line, { folder }) => {
  const [, name] = /\b(?:from|import|require)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/.exec(line) ?? []
  if (name === undefined) return []
  const target = posix.join(folder, name)
  const bare = target.replace(/\.[cm]?jsx?$/, '')
  return [target, ...SCRIPTS.flatMap((end) => [`${bare}${end}`, `${target}${end}`, `${target}/index${end}`])]
}

const python: Resolve = (line, { folder }) => {
  const [, dots, from, names] = /^\s*from\s+(\.*)([\w.]*)\s+import\s+\(?([\w\s,*]*)/.exec(line) ?? []
  const [, modules] = /^\s*import\s+([\w.\s,]+)/.exec(line) ?? []
  if (dots === undefined) {
    const listed = modules?.split(',').map((one) => one.trim().split(/\s/, 1)[0] ?? '') ?? []
    return listed.filter(Boolean).flatMap((module) => pythonFiles(folder, module))
  }
  const imported = (names ?? '').split(',').map((one) => one.trim().split(/\s/, 1)[0] ?? '')
  const inner = imported.filter((name) => /^\w+$/.test(name)).map((name) => (from === '' ? name : `${from}.${name}`))
  const wanted = [...inner, ...(from === '' ? [] : [from ?? ''])]
  if (dots === '') return wanted.flatMap((module) => pythonFiles(folder, module))
  const base = posix.join(folder, ...Array.from({ length: dots.length - 1 }, () => '..'))
  return wanted.flatMap((module) => moduleFiles(base, module))
}

/** Below the file's folder and each one above it: where the interpreter was started is not known. */
function pythonFiles(folder: string, module: string): string[] {
  const parts = folder === '.' ? [] : folder.split('/')
  const folders = parts.map((_, index) => parts.slice(0, parts.length - index).join('/'))
  return [...folders, '.'].flatMap((base) => moduleFiles(base, module))
}

function moduleFiles(base: string, module: string): string[] {
  const path = posix.join(base, module.replaceAll('.', '/'))
  return [`${path}.py`, `${path}/__init__.py`]
}

const jvm: Resolve = (line, { root }) => {
  const [, name] = /^\s*import\s+(?:static\s+)?([\w.]+)/.exec(line) ?? []
  if (name === undefined) return []
  const path = posix.join(root, name.replaceAll('.', '/'))
  // Of a static import the last part is a member.
  return [path, posix.dirname(path)].flatMap((file) => ['.java', '.kt', '.scala'].map((end) => file + end))
}

/** `src/main/java` of `src/main/java/com/acme/A.java` in the package `com.acme`. */
function packageRoot(path: string, lines: readonly string[]): string {
  const name = lines.map((line) => /^\s*package\s+([\w.]+)/.exec(line)?.[1]).find((found) => found !== undefined)
  const folder = posix.dirname(path)
  const inside = name === undefined ? '' : name.replaceAll('.', '/')
  return inside !== '' && folder.endsWith(inside) ? folder.slice(0, -inside.length) || '.' : folder
}

const ruby: Resolve = (line, { folder }) => {
  const [, how, name] = /^\s*(require_relative|require)\s*\(?\s*['"]([\w./-]+)['"]/.exec(line) ?? []
  if (name === undefined) return []
  const file = name.endsWith('.rb') ? name : `${name}.rb`
  return how === 'require_relative' ? [posix.join(folder, file)] : [posix.join('lib', file), file]
}

const native: Resolve = (line, { folder }) => {
  const [, name] = /^\s*#\s*include\s+"([\w./+-]+)"/.exec(line) ?? []
  return name === undefined ? [] : [posix.join(folder, name), posix.join('include', name), name]
}

const languages: readonly { files: RegExp; resolve: Resolve }[] = [
  { files: /\.(?:[cm]?[jt]sx?|vue|svelte)$/i, resolve: script },
  { files: /\.py$/i, resolve: python },
  { files: /\.(?:java|kts?|scala)$/i, resolve: jvm },
  { files: /\.rb$/i, resolve: ruby },
  { files: /\.(?:c|cc|cpp|cxx|h|hh|hpp)$/i, resolve: native },
]
