/** What fits a path by its end: one file, or several that fit equally well. */
export type SuffixMatch = { file: string } | { file: undefined; several: number }

export interface SuffixOptions {
  /** Compare without case, as Windows does. Default false. */
  foldCase?: boolean
}

interface Fit {
  file: string
  /** Number of equal segments at the end. */
  common: number
  /** 2: the same path. 1: one of the two is the end of the other. 0: both continue differently. */
  closeness: 0 | 1 | 2
}

/** Two paths that continue differently must share a folder as well: many files have the same name. */
const LEAST_COMMON = 2
/** Generated scripts have the names of sources, so the name of a script proves nothing. */
const SCRIPT = /\.(?:[cm]?jsx?|bundle|jsbundle)$/i
/** Files of these languages are in the folders of their package, which may be below one of `SOURCE_ROOTS`. */
const PACKAGED = /\.(?:java|kts?|scala|groovy|cljc?)$/i
const SOURCE_ROOTS = new Set(['src', 'main', 'test', 'app', 'java', 'kotlin', 'scala', 'groovy', 'clj'])

/**
 * The file that has the longest end in common with any of the spellings of a path; undefined when none fits. All paths
 * have `/` as separator. Of two files with equally long ends, one that is whole (the end of the spelling, or the
 * reverse) wins; several that still fit equally well give no file.
 */
export function matchSuffix(
  spellings: readonly string[],
  files: readonly string[],
  { foldCase = false }: SuffixOptions = {},
): SuffixMatch | undefined {
  const segments = (path: string) => (foldCase ? path.toLowerCase() : path).split('/')
  const wanted = spellings.map(segments)
  let best: Fit[] = []
  for (const file of new Set(files)) {
    const own = segments(file)
    const [fit] = wanted.flatMap((path) => compare(path, own, file)).toSorted(byQuality)
    if (fit === undefined) continue
    const order = best[0] === undefined ? -1 : byQuality(fit, best[0])
    if (order < 0) best = [fit]
    else if (order === 0) best.push(fit)
  }
  if (best.length === 0) return undefined
  return best.length === 1 ? { file: best[0]!.file } : { file: undefined, several: best.length }
}

function byQuality(left: Fit, right: Fit): number {
  return right.common - left.common || right.closeness - left.closeness
}

function compare(path: readonly string[], own: readonly string[], file: string): Fit[] {
  let common = 0
  while (common < path.length && common < own.length && path.at(-1 - common) === own.at(-1 - common)) common += 1
  if (common === 0) return []
  const isWhole = common === path.length || common === own.length
  const fit: Fit = { file, common, closeness: path.length === own.length && isWhole ? 2 : isWhole ? 1 : 0 }
  return isEnough(fit, { path, rest: own.at(-1 - common) }) ? [fit] : []
}

function isEnough(
  { file, common, closeness }: Fit,
  { path, rest }: { path: readonly string[]; rest: string | undefined },
): boolean {
  if (common === path.length) return common >= LEAST_COMMON || closeness === 2 || !SCRIPT.test(file)
  if (PACKAGED.test(file)) return common >= LEAST_COMMON && (rest === undefined || SOURCE_ROOTS.has(rest))
  return common >= LEAST_COMMON || (closeness > 0 && !SCRIPT.test(file))
}
