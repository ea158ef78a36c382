import { unitAfterNumber, unitAlone, unitInAdverb, type Unit } from './units.ts'

/** A number with its unit, or either of them. */
export interface Quantity {
  /** In the base unit of its dimension: milliseconds, bytes; undefined for a unit without a number. */
  value: number | undefined
  dimension: string
  /** As in the statement, with numbers in digits: `30 seconds`. */
  text: string
  /** The word after it, which says what is counted; empty at the end. */
  counted: string
}

const number = /^-?\d+(?:[.,:]\d+)*/u
const joiners = new Set(['to', 'and', 'or', '-', '–'])
const frequencies = new Set(['per', 'each', 'every', 'a', 'an'])

/** Takes the quantities out of the tokens of a statement; the other tokens stay, in their order. */
export function takeQuantities(tokens: readonly string[]): { quantities: Quantity[]; words: string[] } {
  const quantities: Quantity[] = []
  const words: string[] = []
  let at = 0
  while (at < tokens.length) {
    const taken = quantityAt(tokens, at)
    if (taken === undefined) words.push(tokens[at]!)
    else quantities.push(...merged(quantities, taken.quantity, tokens[at - 1]))
    at += taken?.length ?? 1
  }
  return { quantities, words }
}

function quantityAt(tokens: readonly string[], at: number): { quantity: Quantity; length: number } | undefined {
  const token = tokens[at]!
  const counted = (length: number) => tokens[at + length] ?? ''
  const next = tokens[at + 1]
  const adverb = unitInAdverb(token)
  if (adverb !== undefined) return { quantity: sized(1, unitAfterNumber(adverb), `every ${adverb}`, ''), length: 1 }
  if (/^[€$£¥]$/u.test(token) && next !== undefined && number.test(next)) {
    return { quantity: sized(amount(next), unitAfterNumber(token), `${token}${next}`, counted(2)), length: 2 }
  }
  if (number.test(token)) return numberAt(token, next, counted)
  const unit = next === undefined ? undefined : unitAfterNumber(next)
  if (frequencies.has(token) && unit !== undefined && !isOrdinary(token, next!)) {
    return { quantity: sized(1, unit, `1 ${next!}`, counted(2)), length: 2 }
  }
  const alone = unitAlone(token)
  return (
    alone && {
      quantity: {
        ...sized(1, alone, token, ''),
        value: undefined,
        dimension: `${alone.dimension} ${String(alone.factor)}`,
      },
      length: 1,
    }
  )
}

/** `each time` and `a second email` are no quantities. */
function isOrdinary(token: string, next: string): boolean {
  return /^times?$/u.test(next) || (next === 'second' && token.startsWith('a'))
}

function numberAt(token: string, next: string | undefined, counted: (length: number) => string) {
  const digits = number.exec(token)![0]
  const suffix = token.slice(digits.length)
  if (suffix !== '') {
    const unit = unitAfterNumber(suffix)
    return unit && { quantity: sized(amount(digits), unit, `${digits} ${suffix}`, counted(1)), length: 1 }
  }
  const unit = unitAfterNumber(next)
  return unit === undefined
    ? { quantity: sized(amount(digits), undefined, digits, counted(1)), length: 1 }
    : { quantity: sized(amount(digits), unit, `${digits}${next === '%' ? '' : ' '}${next!}`, counted(2)), length: 2 }
}

function sized(value: number, unit: Unit | undefined, text: string, counted: string): Quantity {
  // A version, a date or a time of day: `1.2.3`, `10:00`.
  if (Number.isNaN(value)) return { value: undefined, dimension: text, text, counted }
  const rounded = Number((value * (unit?.factor ?? 1)).toPrecision(12))
  return { value: rounded, dimension: unit?.dimension ?? '', text, counted }
}

/** `10,000` is 10000 and `1,5` is 1.5. */
function amount(digits: string): number {
  const plain = /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/u.test(digits) ? digits.replaceAll(',', '') : digits.replace(',', '.')
  return Number(plain)
}

/**
 * The quantity to add to those before it: in `30 to 60 seconds` the first number gets the unit of the second, and
 * `1 hour 30 minutes` is one quantity.
 */
function merged(before: Quantity[], quantity: Quantity, previous: string | undefined): Quantity[] {
  const last = before.at(-1)
  if (last?.value === undefined || quantity.value === undefined || quantity.dimension === '') return [quantity]
  if (last.dimension === '' && joiners.has(previous ?? '') && joiners.has(last.counted)) {
    const factor = quantity.value / Number.parseFloat(quantity.text.replaceAll(',', ''))
    const unit = quantity.text.replace(/^[^\p{L}%€$£¥°µ]*/u, '')
    before[before.length - 1] = {
      ...last,
      value: last.value * factor,
      dimension: quantity.dimension,
      text: `${last.text} ${unit}`,
    }
    return [quantity]
  }
  const follows = last.counted === quantity.text.split(' ')[0] || (previous === 'and' && last.counted === 'and')
  if (!follows || quantity.dimension !== 'time' || last.dimension !== 'time' || last.value <= quantity.value) {
    return [quantity]
  }
  before.pop()
  return [{ ...quantity, value: last.value + quantity.value, text: `${last.text} ${quantity.text}` }]
}
