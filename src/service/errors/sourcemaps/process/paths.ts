import { sourcePath } from '../source-path.ts'

/** The kind of artifact that a file's name suggests (contract §11); undefined when it suggests none. */
export function guessArtifact(
  fileName: string,
): 'ARTIFACT_BUNDLE' | 'ARTIFACT_SOURCE_MAP' | 'ARTIFACT_MINIFIED_SOURCE' | undefined {
  if (/\.zip$/i.test(fileName)) return 'ARTIFACT_BUNDLE'
  if (/\.map$/i.test(fileName)) return 'ARTIFACT_SOURCE_MAP'
  // The last two are of React Native: `index.android.bundle`, `main.jsbundle`.
  if (/\.(?:[cm]?js|bundle|jsbundle)$/i.test(fileName)) return 'ARTIFACT_MINIFIED_SOURCE'
  return undefined
}

/** A prefix in the form used in paths: `~/` by default, with `/` at its end. */
export function normalPrefix(urlPrefix: string): string {
  const prefix = urlPrefix.trim()
  if (prefix === '') return '~/'
  return prefix.endsWith('/') ? prefix : `${prefix}/`
}

/** The last segment of an artifact's path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/**
 * Resolves a reference in a file at `path`: relative to its folder, to the root of its prefix (`/maps/a.map`), or
 * absolute. Query and fragment are removed and escapes decoded, because files are stored under their plain names. ''
 * for a reference that leads nowhere.
 */
export function resolveReference(path: string, reference: string): string {
  const plain = unescaped(reference.replace(/[?#].*$/s, '').trim())
  if (plain === '') return ''
  if (/^(?:[a-z][\w+.-]*:\/\/|~\/)/i.test(plain)) return plain
  const { root, rest } = splitRoot(path)
  if (plain.startsWith('//')) return /^[a-z][\w+.-]*:/i.exec(root)?.[0]?.concat(plain) ?? plain
  const from = plain.startsWith('/') ? [] : rest.split('/').slice(0, -1)
  return root + withoutDots([...from, ...plain.split('/')])
}

/**
 * The paths that a source may have been uploaded under, the most exact first: as the map refers to it from its own
 * place, and as a file of the repository (errors §3.1).
 */
export function sourceFilePaths(name: string, mapPath: string): string[] {
  const referred = resolveReference(mapPath, name)
  const plain = sourcePath(name, mapPath)
  const paths = [referred, ...(plain === '' ? [] : [`~/${plain}`])]
  return [...new Set(paths.filter((path) => path !== ''))]
}

/** The path of the minified file that a map belongs to; `file` is the map's own member of that name. */
export function minifiedPath(mapPath: string, file: string): string {
  const neighbour = mapPath.endsWith('.map') ? mapPath.slice(0, -'.map'.length) : ''
  const name = file.replace(/^(?:\.?\/)+/, '')
  // webpack names the file from the root of its output, not from the map.
  if (name === '' || neighbour.endsWith(`/${name}`)) return neighbour
  return resolveReference(mapPath, file)
}

/** `~/` or `https://host/`, and the rest; the root of a path without either is ''. */
function splitRoot(path: string): { root: string; rest: string } {
  const root = /^(?:~\/|[a-z][\w+.-]*:\/\/[^/]*\/|\/)/i.exec(path)?.[0] ?? ''
  return { root, rest: path.slice(root.length) }
}

function withoutDots(segments: readonly string[]): string {
  const kept: string[] = []
  for (const segment of segments) {
    if (segment === '' || segment === '.') continue
    if (segment === '..') kept.pop()
    else kept.push(segment)
  }
  return kept.join('/')
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
