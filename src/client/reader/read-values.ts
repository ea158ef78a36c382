import type * as z from 'zod'
import { enumPrefix } from '../../contract/base/common.ts'
import { isAlarmingText } from '../../lib/outside-text/alarming-text.ts'
import { isObject } from '../../lib/objects.ts'

/** Reads one value of a response; undefined means that the service did not say. */
export type ReadValue = (value: unknown) => unknown

/**
 * A text as it came; a number or a boolean as text. A whole number beyond 2^53 is not stated: JSON has rounded it, and as
 * an id it would name something else.
 */
export function readText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number')
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value)
  return typeof value === 'boolean' ? String(value) : undefined
}

/** A finite number, or one that is written as text; nothing else is a number, such as `1,000` or `+5`. */
export function readNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && DECIMAL.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

const DECIMAL = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** A whole number from 0 to 2^53: counts, positions and sizes are nothing else, and -1 means that nothing was counted. */
export function readCount(value: unknown): number | undefined {
  const number = readNumber(value)
  return Number.isSafeInteger(number) && Number(number) >= 0 ? number : undefined
}

/** Milliseconds, also from a duration of protobuf: `"3.5s"` or `{seconds, nanos}`. */
export function readMilliseconds(value: unknown): number | undefined {
  if (isObject(value)) return readCount(protobufMs(value))
  const seconds = typeof value === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(value)?.[1] : undefined
  return readCount(seconds === undefined ? value : Math.round(Number(seconds) * 1000))
}

/** true, false, yes and no in any case, and 1 and 0, as numbers or as text. */
export function readBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  const word = typeof value === 'number' || typeof value === 'string' ? String(value).toLowerCase() : ''
  if (['true', 'yes', '1'].includes(word)) return true
  return ['false', 'no', '0'].includes(word) ? false : undefined
}

/**
 * Reads the values of an enum in other spellings: any case and separators, without the contract's prefix, or with another
 * one whose last word says what kind of value it is (`STATUS_`, or the name of the member). `…_UNSPECIFIED`, "" and 0 are
 * not stated. Another number or word stays as it came, since the numbering of a deployment is not known; what cannot be
 * the value of an enum, such as a sentence, is not stated.
 */
export function enumReader(schema: z.core.$ZodType, values: readonly string[], member: string): ReadValue {
  const known = new Map<string, string>()
  const prefix = enumPrefix(schema)
  for (const value of values) known.set(folded(value), value).set(folded(value.slice(prefix.length)), value)
  const kinds = new Set([...KINDS, folded(member), wordsIn(prefix).at(-1) ?? ''])
  const isKind = (words: readonly string[]) => words.some((_, n) => kinds.has(words.slice(n).join('')))

  return (raw) => {
    if (typeof raw === 'string' && values.includes(raw)) return raw
    const text = readText(raw)?.trim() ?? ''
    const words = wordsIn(text)
    // The longest end that is a value: `STATE_NOT_RUN` ends in `not_run`, and would also end in `run`.
    for (const at of words.keys()) {
      const value = known.get(words.slice(at).join(''))
      if (value !== undefined && (at === 0 || isKind(words.slice(0, at)))) return value
    }
    const isStated = text !== '0' && words.at(-1) !== 'unspecified' && isHarmless(text)
    return isStated ? text : undefined
  }
}

/** Last words of the prefixes that deployments give the values of their enums. */
const KINDS = ['status', 'state', 'level', 'type', 'kind', 'role', 'reason', 'severity', 'priority', 'source', 'enum']

/** The words of a name in lower case: of `STATUS_NOT_RUN`, `not-run` and `notRun`. */
function wordsIn(text: string): string[] {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
}

function folded(text: string): string {
  return wordsIn(text).join('')
}

/** Whether the text may be shown as a fact of the deployment: at most four short words, which give no orders. */
function isHarmless(text: string): boolean {
  return text.length <= 40 && /^\w+(?:[ .:/+-]\w+){0,3}$/.test(text) && !isAlarmingText(text)
}

/**
 * A time in RFC 3339, in UTC with milliseconds: from RFC 3339 with any offset, an HTTP date, epoch seconds, milli-, micro-
 * or nanoseconds by their size, and `{seconds, nanos}`. A time without an offset is taken for UTC, its digits unchanged.
 * The zero times of protobuf, of epochs and of databases are not stated. Another short text stays as it came.
 */
export function readTime(value: unknown): string | undefined {
  if (typeof value === 'string' && OURS.test(value) && value >= YEAR_2 && value !== EPOCH) return value
  const ms = isObject(value) ? protobufMs(value) : (epochMs(value) ?? textMs(value))
  if (ms !== undefined) return isZeroTime(ms) ? undefined : new Date(ms).toISOString()
  const text = readText(value)?.trim() ?? ''
  return text !== '0' && !text.startsWith('0000-') && isRawTime(text) ? text : undefined
}

// Zero times are recognized as text, because parsing each of the hundreds of times in a list is slower.
const EPOCH = '1970-01-01T00:00:00.000Z'
const YEAR_2 = '0002'
const OURS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const STATED = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?\s?(?:([Zz]|UTC|GMT)|([+-]\d\d):?(\d\d)?)?$/
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d (?:GMT|UTC|[+-]\d{4})$/

function isZeroTime(ms: number): boolean {
  return ms === 0 || new Date(ms).getUTCFullYear() <= 1
}

/** What is left as it came: `2026-11-21`, `3 days ago`. */
function isRawTime(text: string): boolean {
  return text.length <= 40 && /^[\w :.,+/-]+$/.test(text) && !isAlarmingText(text)
}

function textMs(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  if (HTTP_DATE.test(text)) return valid(Date.parse(text))
  const [, day = '', clock = '', fraction = '', utc, hours, minutes = '00'] = STATED.exec(text) ?? []
  // JavaScript reads February 30 as a day of March.
  if (day === '' || new Date(`${day}T00:00:00Z`).getUTCDate() !== Number(day.slice(-2))) return undefined
  const zone = utc === undefined && hours !== undefined ? `${hours}:${minutes}` : 'Z'
  return valid(Date.parse(`${day}T${clock}.${fraction.slice(0, 3).padEnd(3, '0')}${zone}`))
}

function valid(ms: number): number | undefined {
  return Number.isNaN(ms) ? undefined : ms
}

/** Epochs between 1973 and 5138; smaller numbers could be anything. */
function epochMs(value: unknown): number | undefined {
  const number = readNumber(value)
  if (number === undefined || number < 1e8) return number === 0 ? 0 : undefined
  if (number < 1e11) return Math.round(number * 1000)
  if (number < 1e14) return Math.floor(number)
  if (number < 1e17) return Math.floor(number / 1e3)
  // A double holds nanoseconds to a quarter of a microsecond.
  return number < 1e20 ? Math.floor(Math.round(number / 1e3) / 1e3) : undefined
}

/** `{seconds, nanos}` of protobuf in milliseconds. */
function protobufMs({ seconds, nanos = 0 }: Record<string, unknown>): number | undefined {
  const [whole, rest] = [readNumber(seconds), readCount(nanos)]
  if (whole === undefined || rest === undefined || Math.abs(whole) > 1e11) return undefined
  return whole * 1000 + Math.floor(rest / 1e6)
}
