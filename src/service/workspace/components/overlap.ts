import { compileGlob, literalPrefix } from './glob.ts'

/** Any number of elements, none included. */
const STAR = { star: true } as const
/** Elements and wildcards; a wildcard matches any number of elements. */
type Pattern<T> = readonly ({ star?: never; value: T } | typeof STAR)[]
/** Whether a character is allowed at one position of a segment, and some characters that are. */
interface Place {
  accepts: (character: string) => boolean
  examples: readonly string[]
}

/** Beyond this number of alternatives in braces, globs with compatible beginnings count as overlapping. */
const MOST_ALTERNATIVES = 64
const ASCII = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).filter((one) => one !== '/')

/**
 * Whether some path matches both globs. A globstar is compared with segments, a star with characters; alternatives in
 * braces one by one. Two bracket expressions meet if they have a character of ASCII, or one that they name, in common.
 */
export function globsMeet(left: string, right: string): boolean {
  const [some, others] = [alternatives(left), alternatives(right)]
  if (some.length > MOST_ALTERNATIVES || others.length > MOST_ALTERNATIVES) return prefixesMeet(left, right)
  return some.some((one) => others.some((other) => meet(segments(one), segments(other), segmentsMeet)))
}

function prefixesMeet(left: string, right: string): boolean {
  const [one, other] = [literalPrefix(left), literalPrefix(right)]
  return one.startsWith(other) || other.startsWith(one)
}

/**
 * Whether some sequence fits both patterns. Works backwards: `reach[i][j]` says whether the rest of one from i on meets
 * the rest of the other from j on.
 */
function meet<T>(left: Pattern<T>, right: Pattern<T>, fit: (one: T, other: T) => boolean): boolean {
  const reach = Array.from({ length: left.length + 2 }, () => Array<boolean>(right.length + 2).fill(false))
  const at = (i: number, j: number) => reach[i]?.[j] === true
  for (let i = left.length; i >= 0; i -= 1) {
    for (let j = right.length; j >= 0; j -= 1) {
      const [one, other] = [left[i], right[j]]
      if (one === undefined && other === undefined) reach[i]![j] = true
      else if (one?.star === true || other?.star === true) reach[i]![j] = at(i + 1, j) || at(i, j + 1)
      else if (one !== undefined && other !== undefined) reach[i]![j] = at(i + 1, j + 1) && fit(one.value, other.value)
    }
  }
  return at(0, 0)
}

function segments(glob: string): Pattern<string> {
  return glob.split('/').map((segment) => (/^\*\*+$/.test(segment) ? STAR : { value: segment }))
}

function segmentsMeet(left: string, right: string): boolean {
  return meet(places(left), places(right), placesMeet)
}

function placesMeet(left: Place, right: Place): boolean {
  return [...left.examples, ...right.examples].some((one) => left.accepts(one) && right.accepts(one))
}

/** The characters of a segment; a range in braces counts as a star, which it is part of. */
function places(segment: string): Pattern<Place> {
  const pieces = segment.match(/\\.|\*+|\?|\[[^\]]*\]|\{\d+\.\.\d+\}|\{\w\.\.\w\}|./gsu) ?? []
  return pieces.flatMap((piece): Pattern<Place> => {
    if (piece.startsWith('*') || (piece.length > 1 && piece.startsWith('{'))) return [STAR]
    if (piece === '?') return [{ value: { accepts: () => true, examples: ASCII } }]
    if (piece.length > 1 && piece.startsWith('['))
      return [{ value: { accepts: compileGlob(piece), examples: [...ASCII, ...piece.split('')] } }]
    const literal = piece.length > 1 && piece.startsWith('\\') ? piece.slice(1) : piece
    return literal.split('').map((one) => ({ value: { accepts: (character) => character === one, examples: [one] } }))
  })
}

/** Expands the braces of a glob into globs without braces; stops once there are more than `MOST_ALTERNATIVES`. */
function alternatives(glob: string): string[] {
  const found = [...glob.matchAll(/\\.|\[[^\]]*\]|\{((?:[^{}\\]|\\.)*)\}/gs)].find(
    ([, inside]) => inside !== undefined && /,/.test(inside),
  )
  if (found === undefined) return [glob]
  const [whole, inside = ''] = found
  const [before, after] = [glob.slice(0, found.index), glob.slice(found.index + whole.length)]
  const choices = inside.match(/(?:[^,\\]|\\.)+|(?<=,)(?=,|$)|^(?=,)/gs) ?? []
  const all: string[] = []
  for (const choice of choices) {
    all.push(...alternatives(before + choice + after))
    if (all.length > MOST_ALTERNATIVES) break
  }
  return all
}
