import { numbersInDigits, writtenNumber } from './number-words.ts'
import { takeQuantities } from './quantities.ts'

/** A number with its unit, and where it is in a text. */
export interface FoundQuantity {
  start: number
  end: number
  /** Where its number ends, before the unit. */
  numberEnd: number
  /** In the base unit of its dimension: milliseconds, bytes. */
  value: number
  /** What is measured; empty for a number without a unit. */
  dimension: string
  /** The text itself. */
  text: string
}

const digits = /(?<![\p{L}\p{N}:.,])[€$£]?\d+(?:[.,]\d+)*(?![.,:]?\d)/gu
const unit = /^(?:[ -]?(?:\p{L}+|[%€$£]|°\p{L}?))/u

/** Finds the quantities of a text with their places, so that they can be replaced. Numbers inside of words do not count. */
export function readQuantities(text: string): FoundQuantity[] {
  const lower = text.toLowerCase()
  const numbers = [...lower.matchAll(digits), ...lower.matchAll(writtenNumber)]
  return numbers.sort((one, other) => one.index - other.index).flatMap((match) => read(text, match.index, match[0]))
}

function read(text: string, start: number, number: string): FoundQuantity[] {
  const numberEnd = start + number.length
  const after = unit.exec(text.slice(numberEnd))?.[0] ?? ''
  const withUnit = measure(number, after)
  if (
    withUnit !== undefined &&
    (withUnit.dimension !== '' || /^[ -]?times?$/u.test(after.toLowerCase()) || (after === '' && number !== 'one'))
  ) {
    return [
      {
        ...withUnit,
        start,
        end: numberEnd + after.length,
        numberEnd,
        text: text.slice(start, numberEnd + after.length),
      },
    ]
  }
  // "one" alone is an article or a pronoun.
  const alone = number === 'one' ? undefined : measure(number, '')
  return alone === undefined ? [] : [{ ...alone, start, end: numberEnd, numberEnd, text: text.slice(start, numberEnd) }]
}

function measure(number: string, after: string): { value: number; dimension: string } | undefined {
  const tokens = `${numbersInDigits(number)}${after.toLowerCase()}`.match(/[€$£]|-?\d+(?:[.,]\d+)*|[\p{L}%°]+/gu) ?? []
  const [quantity] = takeQuantities(tokens).quantities
  if (quantity?.value === undefined) return undefined
  // "3 times" and "3" may each be changed by "from 3 to 5".
  const dimension = quantity.dimension === 'times' ? '' : quantity.dimension
  return { value: quantity.value, dimension }
}
