import type * as z from 'zod'
import type { RepoPathSource } from '../../../contract/events.ts'
import { matchSuffix } from '../../../lib/frames/path-suffix.ts'
import type { FramePath } from './frame-paths.ts'
import { readFrameFile, type FrameFile, type RepositoryRoots } from './repo-path.ts'
import type { NamedPaths } from './snapshot.ts'

/** Where a frame's file is in the repository, and how that was found (contract §10.5). */
export interface FrameLocation {
  /** '' when the frame names no file of a repository. */
  path: string
  source: z.infer<typeof RepoPathSource>
}

export type LocateFrame = (frame: FramePath) => FrameLocation

export interface LocatorFacts {
  roots: RepositoryRoots
  /** The paths that members gave. */
  named: NamedPaths
  /** The folders that the globs of components begin with. */
  folders: readonly string[]
}

/**
 * Finds files of frames in the repository: without the prefix that the team gave, else the one known path with the
 * longest end in common, else below the folder of a component. The answers are remembered, so a locator is for the
 * frames of one event, or of others with the same files.
 */
export function createLocator(facts: LocatorFacts): LocateFrame {
  const known = new Map<string, FrameLocation>()
  return (frame) => {
    const key = frameKey(frame)
    const before = known.get(key)
    if (before !== undefined) return before
    const file = readFrameFile(frame, facts.roots)
    const location = locate(file, facts)
    known.set(key, location)
    return location
  }
}

/** The base names that a locator will ask for, those of the first frames first; for reading them at once. */
export function wantedNames(frames: readonly FramePath[], roots: RepositoryRoots): string[] {
  const files = new Map(frames.map((frame) => [frameKey(frame), frame]))
  return [...files.values()]
    .map((frame) => readFrameFile(frame, roots))
    .filter(({ path, isPrefixed }) => path !== '' && !isPrefixed)
    .map(({ path }) => baseName(path))
}

/** What of a frame decides where it is located. */
export function frameKey({ filename, abs_path: absolute, module }: FramePath): string {
  return JSON.stringify([filename, absolute, module])
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function locate(file: FrameFile, { named, folders }: LocatorFacts): FrameLocation {
  const { path, foldsCase: foldCase } = file
  if (path === '' || file.isPrefixed) return fromFrame(file)
  const given = named(baseName(path))
  if (given.includes(path)) return fromFrame(file)
  const match = matchSuffix(
    file.spellings,
    given.filter((other) => foldCase || hasName(other, path)),
    { foldCase },
  )
  if (match?.file !== undefined) return { path: match.file, source: 'REPO_PATH_SOURCE_KNOWN_PATH' }
  if (match !== undefined) return { path, source: 'REPO_PATH_SOURCE_AMBIGUOUS' }
  const below = file.isForeign ? belowFolder(path, folders) : undefined
  return below === undefined ? fromFrame(file) : { path: below, source: 'REPO_PATH_SOURCE_COMPONENT' }
}

function fromFrame({ path, isPrefixed }: FrameFile): FrameLocation {
  if (path === '') return { path, source: 'REPO_PATH_SOURCE_NONE' }
  return { path, source: isPrefixed ? 'REPO_PATH_SOURCE_PREFIX' : 'REPO_PATH_SOURCE_FRAME' }
}

function hasName(path: string, other: string): boolean {
  return baseName(path) === baseName(other)
}

/**
 * A path of a build machine from the folder of a component on (`/build/x/src/pay/a.go` with `src/pay`), or a package
 * inside one (`com/acme/pay/A.java` with `src/main/java/com/acme/pay`). Undefined when folders disagree.
 */
function belowFolder(path: string, folders: readonly string[]): string | undefined {
  const found = new Set(folders.flatMap((folder) => [...fromFolder(path, folder), ...inPackage(path, folder)]))
  return found.size === 1 ? [...found][0] : undefined
}

function fromFolder(path: string, folder: string): string[] {
  const whole = `/${path}`
  const first = whole.indexOf(`/${folder}/`)
  if (first === -1) return []
  const last = whole.lastIndexOf(`/${folder}/`)
  return [whole.slice(first + 1), whole.slice(last + 1)]
}

/** One folder in common may be a coincidence. */
function inPackage(path: string, folder: string): string[] {
  const own = path.split('/').slice(0, -1)
  for (let count = own.length; count >= 2; count -= 1) {
    const start = own.slice(0, count).join('/')
    if (folder === start || folder.endsWith(`/${start}`)) return [folder.slice(0, folder.length - start.length) + path]
  }
  return []
}
