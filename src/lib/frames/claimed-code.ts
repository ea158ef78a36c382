/** Code that a stack frame claims to be in a file. */
export interface ClaimedCode {
  /** 1-based. */
  line: number
  text: string
  /** The lines before and after it. */
  around: readonly string[]
}

/**
 * `here`: the text is at the claimed line. `moved`: it is elsewhere in the file; `line` is the nearest match. `changed`:
 * the lines around it are in the file, but the text is not. `absent`: neither is in the file.
 */
export type ClaimFinding = { is: 'here' | 'changed' | 'absent' } | { is: 'moved'; line: number }

/** Fewer characters, such as those of a lone brace, prove nothing. */
const LEAST_CHARACTERS = 4
/** SDKs write it for the part of a long line that they leave out. */
const SNIP = '{snip}'

/**
 * Compares claimed code with the lines of a file; spaces do not matter. Undefined when the claim is too short to tell, or
 * the sender replaced a part of it.
 */
export function compareClaim(lines: readonly string[], { line, text, around }: ClaimedCode): ClaimFinding | undefined {
  const claim = squash(text)
  if (claim.length < LEAST_CHARACTERS || /\[(?:filtered|redacted)/i.test(claim)) return undefined
  const file = lines.map(squash)
  const isSame = text.includes(SNIP) ? (other: string) => other.includes(claim) : (other: string) => other === claim
  const at = file[line - 1]
  if (at !== undefined && isSame(at)) return { is: 'here' }
  const nearest = nearestPlace(file, isSame, line)
  if (nearest !== undefined) return { is: 'moved', line: nearest }
  const known = new Set(file)
  const near = around.map(squash).filter((other) => other.length >= LEAST_CHARACTERS)
  const found = near.filter((other) => known.has(other)).length
  return { is: found >= 2 && found * 2 >= near.length ? 'changed' : 'absent' }
}

function squash(text: string): string {
  return text.replaceAll(SNIP, '').replaceAll(/\s+/g, '')
}

/** 1-based. */
function nearestPlace(file: readonly string[], isSame: (line: string) => boolean, line: number): number | undefined {
  const places = file.flatMap((text, index) => (isSame(text) ? [index + 1] : []))
  return places.toSorted((left, right) => Math.abs(left - line) - Math.abs(right - line))[0]
}
