/** The members of a stack frame that name its file. */
export interface FramePath {
  filename: string
  abs_path: string
  /** The package and class of a Java frame, the package of a Go frame. */
  module?: string
}

/** Files that are named after a class, and lie in the folders of its package. */
const PACKAGED = /^[^/\\]+\.(?:java|kts?|scala|groovy|cljc?)$/i
const SCRIPT = /\.(?:[cm]?[jt]sx?|vue|svelte|bundle|map)(?:[?#]|$)/i
const IDENTIFIER = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u

/**
 * The spellings of a frame's file, with `/`, the most telling first: its own path, the folders of its package (Java,
 * Go, Dart), its path on the build machine. None when it names no file. The rules are those of the SDKs: sentry-java
 * sends the class as `module` and a bare file name, sentry-go the package, Dart addresses of packages.
 */
export function spellings({ filename, abs_path: absolute, module = '' }: FramePath): string[] {
  const [file, whole] = [filename, absolute].map(cleaned) as [string, string]
  const packaged = packagePath(file || baseName(whole), module)
  if (packaged !== undefined) return [packaged]
  const dart = dartPath(file) ?? dartPath(whole)
  if (dart !== undefined) return dart
  const isShortened = !file.includes('/') && whole.endsWith(`/${file}`) && !SCRIPT.test(file)
  const written = isShortened ? [whole, file] : [file, whole]
  return distinct([...written, goPath(baseName(file || whole), module)].filter((path) => path !== ''))
}

/** Whether the path was written by Windows, whose names have no case. */
export function isWindows({ filename, abs_path: absolute }: FramePath): boolean {
  return [filename, absolute].some((path) => /^[a-z]:[\\/]|^\\\\/i.test(path.trim()))
}

/** Whether a spelling begins on a build machine or in a package, so that the repository's folders are further along. */
export function isForeign(spelling: string): boolean {
  return /^(?:\/|file:\/\/|[a-z]:\/|[\w-]+(?:\.[\w-]+)+\/)|\.(?:java|kts?|scala|groovy|cljc?)$/i.test(spelling)
}

function cleaned(raw: string): string {
  return (
    raw
      .trim()
      // V8 writes it before the file of a frame that an `await` resumed.
      .replace(/^async /, '')
      .replaceAll('\\', '/')
      // Deterministic builds of .NET write it for the root of the repository.
      .replace(/^\/_\d*\//, '')
      // The version of a Go module.
      .replace(/^((?:[\w.~-]+\/)+[\w.~-]+)@v\d[\w.+-]*\//, '$1/')
  )
}

/** `com/acme/Gateway.java` of `Gateway.java` and `com.acme.Gateway$Inner`. */
function packagePath(file: string, module: string): string | undefined {
  if (!PACKAGED.test(file) || module === '') return undefined
  const path = module.replace(/^.*\//, '').replace(/(?<=.)\$.*$/s, '')
  const folders = path.split('.').slice(0, -1)
  return folders.every((folder) => IDENTIFIER.test(folder)) ? [...folders, file].join('/') : file
}

/** `lib/src/a.dart` of `package:shop/src/a.dart`, and the same below the folder of the package. */
function dartPath(path: string): string[] | undefined {
  const [, name, rest] = /^package:([\w-]+)\/(.+)$/.exec(path) ?? []
  return name === undefined || rest === undefined ? undefined : [`lib/${rest}`, `${name}/lib/${rest}`]
}

/** `github.com/acme/shop/pkg/a.go`: a module of Go is a path; `main` is not. */
function goPath(name: string, module: string): string {
  return name.endsWith('.go') && /^[\w-]+(?:\.[\w-]+)+\/[\w./~-]+$/.test(module) ? `${module}/${name}` : ''
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)]
}
