import { readTexts } from '../../sql/json.ts'
import { compileGlob, literalLength, literalPrefix } from './glob.ts'
import { globsMeet } from './overlap.ts'

/** The members of a component that decide which files it owns. */
export interface ComponentGlobs {
  id: string
  path_globs: readonly string[]
  exclude_globs: readonly string[]
  position: number
}

/** The compiled components of one product. */
export interface Owners {
  /** Id of the component that owns a path of the repository; undefined when none does. */
  findOwner(path: string): string | undefined
  /** The folders that globs begin with, without `/` at the end. */
  folders: readonly string[]
}

/** The columns of `component` that decide which files it owns; the globs are JSON arrays of text. */
export interface ComponentGlobColumns {
  id: string
  path_globs: string
  exclude_globs: string
  position: number
}

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
  const ordered = components.flatMap(compileRules).toSorted(bySpecificity)
  return {
    findOwner(path) {
      if (path === '') return undefined
      return ordered.find(({ matches, isExcluded }) => matches(path) && !isExcluded(path))?.id
    },
    folders: [...new Set(components.flatMap(({ path_globs: globs }) => globs.map(literalFolder)))].filter(Boolean),
  }
}

/** `compileComponents` for rows of `component`. */
export function compileComponentRows(rows: readonly ComponentGlobColumns[]): Owners {
  return compileComponents(
    rows.map(({ id, path_globs, exclude_globs, position }) => ({
      id,
      path_globs: readTexts(path_globs),
      exclude_globs: readTexts(exclude_globs),
      position,
    })),
  )
}

function compileRules({ id, path_globs, exclude_globs, position }: ComponentGlobs): Rule[] {
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

function literalFolder(glob: string): string {
  const prefix = literalPrefix(glob)
  return prefix.slice(0, Math.max(0, prefix.lastIndexOf('/')))
}

function bySpecificity(left: Rule, right: Rule): number {
  return (
    right.prefix - left.prefix ||
    right.literals - left.literals ||
    right.position - left.position ||
    // Ids sort by creation: the older component keeps files that both claim equally.
    (left.id < right.id ? -1 : 1)
  )
}

/** Globs of other components that match a path which one of the new ones matches too. */
export function overlaps(
  globs: readonly string[],
  existing: readonly Pick<ComponentGlobs, 'id' | 'path_globs'>[],
): { component_id: string; glob: string }[] {
  return existing.flatMap(({ id, path_globs }) =>
    path_globs
      .filter((other) => globs.some((glob) => globsMeet(glob, other)))
      .map((glob) => ({ component_id: id, glob })),
  )
}
