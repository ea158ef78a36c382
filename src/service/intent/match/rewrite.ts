import { readQuantities, type FoundQuantity } from '../../quality/requirements/similarity/index.ts'

export interface Rewritten {
  text: string
  /** The value that was replaced, as it was in the text. */
  before: string
  after: string
}

/** `same`: the text has the new value already. `unclear`: several values could be meant. `none`: it has no such value. */
export type Rewriting = Rewritten | 'same' | 'unclear' | 'none'

/**
 * A text with one value replaced. Without the old value, or where the text has another one, the only value of the same kind
 * is replaced.
 */
export function rewriteValue(text: string, old: string | undefined, now: string): Rewriting {
  const [fresh] = readQuantities(now)
  if (fresh === undefined) return old === undefined ? 'none' : rewriteWords(text, bare(old), bare(now))
  const found = readQuantities(text).filter((one) => one.dimension === fresh.dimension)
  const [given] = old === undefined ? [] : readQuantities(old).map((one) => sameUnit(one, fresh))
  const exact = found.filter((one) => given !== undefined && one.value === given.value)
  const targets = exact.length > 0 ? exact : found
  const [target] = targets
  if (target === undefined) return 'none'
  if (found.some(({ value }) => value === fresh.value) && exact.length === 0) return 'same'
  if (targets.length > 1) return 'unclear'
  return replaceQuantity(text, target, fresh)
}

/** Whether the text has the value, which a change gives as the old one. */
export function hasValue(text: string, old: string, now: string): boolean {
  const [fresh] = readQuantities(now)
  const [given] = readQuantities(old)
  if (given === undefined || fresh === undefined) return text.toLowerCase().includes(bare(old).toLowerCase())
  const wanted = sameUnit(given, fresh)
  return readQuantities(text).some(({ value, dimension }) => value === wanted.value && dimension === wanted.dimension)
}

/** In "from 30 to 60 seconds" the 30 are seconds too. */
function sameUnit(one: FoundQuantity, other: FoundQuantity): FoundQuantity {
  if (one.dimension !== '' || other.dimension === '') return one
  const [number] = readQuantities(other.text.slice(0, other.numberEnd - other.start))
  const factor = number === undefined || number.value === 0 ? 1 : other.value / number.value
  return { ...one, value: one.value * factor, dimension: other.dimension }
}

function replaceQuantity(text: string, target: FoundQuantity, fresh: FoundQuantity): Rewritten {
  const unit = ({ text: whole, numberEnd, start }: FoundQuantity) => whole.slice(numberEnd - start).toLowerCase()
  const isSameUnit = unit(fresh) === '' || unit(target).replace(/^[ -]/u, '') === unit(fresh).replace(/^[ -]/u, '')
  const [end, by] = isSameUnit
    ? [target.numberEnd, fresh.text.slice(0, fresh.numberEnd - fresh.start)]
    : [target.end, fresh.text]
  return { text: text.slice(0, target.start) + by + text.slice(end), before: target.text, after: fresh.text }
}

function rewriteWords(text: string, old: string, now: string): Rewriting {
  const at = text.toLowerCase().indexOf(old.toLowerCase())
  if (old === '' || at === -1) return text.toLowerCase().includes(now.toLowerCase()) && now !== '' ? 'same' : 'none'
  const before = text.slice(at, at + old.length)
  return { text: text.slice(0, at) + now + text.slice(at + old.length), before, after: now }
}

/** The value itself: what is quoted, else the words without article. */
function bare(words: string): string {
  const quoted = /["“`'‘]([^"”`'’]+)["”`'’]/u.exec(words)?.[1]
  return quoted ?? words.replace(/^(?:the|an?|its|their|our) /iu, '').trim()
}
