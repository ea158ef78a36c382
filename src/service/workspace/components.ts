import type { NormalEvent } from '../errors/event/event.ts'
import { compileGlob, isLiteral, literalLength, literalPrefix } from './glob.ts'
import { repoPath, type RepositoryRoots } from './repo-path.ts'

/** What of a component decides which files it owns. */
export interface ComponentGlobs {
  id: string
  path_globs: readonly string[]
  exclude_globs: readonly string[]
  position: number
}

/** The components of one product, ready to be asked. */
export interface Owners {
  /** Id of the component that owns a path of the repository; undefined when none does. */
  ownerOf(path: string): string | undefined
}

/**
 * Different files of one event that are asked for their owner: each costs a match with every glob of the product, inside
 * the transaction that makes the issue, and the owner is near the crash (decision 011).
 */
const MOST_FILES = 100

interface Rule {
  id: string
  matches: (path: string) => boolean
  isExcluded: (path: string) => boolean
  prefix: number
  literals: number
  position: number
}

/**
 * Prepares components for attribution (contract §5.1): the most specific glob that matches wins, which is the one with
 * the longest literal prefix, then with more literal characters, then of the component with the higher position.
 */
export function compileComponents(components: readonly ComponentGlobs[]): Owners {
  const ordered = components.flatMap(rulesOf).toSorted(bySpecificity)
  return {
    ownerOf(path) {
      if (path === '') return undefined
      return ordered.find(({ matches, isExcluded }) => matches(path) && !isExcluded(path))?.id
    },
  }
}

function rulesOf({ id, path_globs, exclude_globs, position }: ComponentGlobs): Rule[] {
  const excludes = exclude_globs.map(compileGlob)
  const isExcluded = (path: string) => excludes.some((matches) => matches(path))
  return path_globs.map((glob) => ({
    id,
    matches: compileGlob(glob),
    isExcluded,
    prefix: literalPrefix(glob).length,
    literals: literalLength(glob),
    position,
  }))
}

function bySpecificity(left: Rule, right: Rule): number {
  return (
    right.prefix - left.prefix ||
    right.literals - left.literals ||
    right.position - left.position ||
    // Ids sort by creation: the older component keeps what two claim alike.
    (left.id < right.id ? -1 : 1)
  )
}

/**
 * The component an event belongs to, '' for none: the owner of the first in-app frame with one, from the crash outward
 * (last frame first, the last exception before its causes, threads at the end). Of an event with in-app frames in more
 * than 100 files the first 100 of them are asked.
 */
export function attributeEvent(
  owners: Owners,
  event: Pick<NormalEvent, 'exceptions' | 'threads'>,
  repository: RepositoryRoots,
): string {
  const threads = event.threads.filter(({ crashed, current }) => crashed || current || event.threads.length === 1)
  const asked = new Set<string>()
  for (const { frames } of [...event.exceptions.toReversed(), ...threads]) {
    for (const frame of frames.toReversed()) {
      const file = frame.filename === '' ? frame.abs_path : frame.filename
      if (!frame.in_app || asked.has(file)) continue
      if (asked.size === MOST_FILES) return ''
      asked.add(file)
      const owner = owners.ownerOf(repoPath(frame, repository))
      if (owner !== undefined) return owner
    }
  }
  return ''
}

/** Globs of other components that reach into the same folders as the new ones: both claim what starts alike. */
export function overlaps(
  globs: readonly string[],
  existing: readonly Pick<ComponentGlobs, 'id' | 'path_globs'>[],
): { component_id: string; glob: string }[] {
  return existing.flatMap(({ id, path_globs }) =>
    path_globs.filter((other) => globs.some((glob) => meet(glob, other))).map((glob) => ({ component_id: id, glob })),
  )
}

function meet(left: string, right: string): boolean {
  if (isLiteral(left)) return compileGlob(right)(literalPrefix(left))
  if (isLiteral(right)) return compileGlob(left)(literalPrefix(right))
  const [one, other] = [literalPrefix(left), literalPrefix(right)]
  return one.startsWith(other) || other.startsWith(one)
}
