import { cutWithEllipsis } from '../../../../lib/text.ts'

/**
 * The longest message and trace that a parser keeps, in characters; ingest cuts further (contract §4.1,
 * max_trace_bytes).
 */
export const LONGEST_MESSAGE = 4096
export const LONGEST_TRACE = 65_536

// Sequences that move the cursor, set colours or make links. Each match ends at the next escape character, so the work
// is linear: the expression in node:util is quadratic for links that never end.
const TERMINAL =
  // oxlint-disable-next-line no-control-regex -- control characters are what it matches
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|\u001b[@-Z^-~]/gu
// Terminal colours whose escape character an XML or YAML writer replaced or spelled out.
const SPELLED_COLOURS = /(?:\ufffd|#x1b|\\x1b|\\u001b)\[[0-9;:]*m/giu
const CONTROLS = /[\p{Cc}--[\t\n]]/gv
/** Matches text that needs no cleaning. That is most names and messages, and a large report has very many. */
const CLEAN = /^[\t\n !-Z\\^-~]*$/u

/** The text without terminal colours and control characters, with `\n` line ends, at most `longest` characters. */
export function plainText(text: string, longest: number = LONGEST_TRACE): string {
  // Cut before cleaning to bound the work, and after it to keep the limit: what is removed took characters too.
  if (text.length <= longest && CLEAN.test(text)) return text
  const short = text.length > longest * 4 ? text.slice(0, longest * 4) : text
  const plain = short.replaceAll(/\r\n?/gu, '\n').replaceAll(TERMINAL, '').replaceAll(SPELLED_COLOURS, '')
  return cutWithEllipsis(plain.replaceAll(CONTROLS, ''), longest)
}

/** The first line that is not blank; '' when there is none. */
export function firstLine(text: string): string {
  return /\S[^\n]*/u.exec(text)?.[0].trimEnd() ?? ''
}

const MOST_MILLISECONDS = 1e12

/** Whole milliseconds that a result can store; 0 for anything that is not a duration. */
export function wholeMilliseconds(milliseconds: number): number {
  return Number.isFinite(milliseconds) && milliseconds > 0 ? Math.round(Math.min(milliseconds, MOST_MILLISECONDS)) : 0
}

/** More lines or attempts than any test has. */
const MOST = 1_000_000_000

/** A line or count from a report as a whole number of at least `least`. */
export function wholeNumber(value: number | null | undefined, least: number): number {
  return Math.min(Math.max(least, Math.trunc(value ?? least)), MOST)
}

/**
 * Milliseconds from a duration in seconds as reports write it: `1.5`, `1e-05`, `1,234.56`, or `0,25` in other locales.
 */
export function secondsToMilliseconds(text: string | undefined): number {
  const plain = (text ?? '').trim()
  const decimalComma = /^\d+,\d+$/u.test(plain) && !/^[1-9]\d{0,2},\d{3}$/u.test(plain)
  return wholeMilliseconds(Number(decimalComma ? plain.replace(',', '.') : plain.replaceAll(',', '')) * 1000)
}

const EARLIEST = Date.UTC(2000, 0, 1)
const LATEST = Date.UTC(2200, 0, 1)

/** The time in epoch milliseconds, or null if no run of tests can have it. */
export function runTime(ms: number): number | null {
  return ms >= EARLIEST && ms < LATEST ? ms : null
}

/**
 * Epoch milliseconds of a date and time, UTC if it has no zone. Null if it is invalid or the zero that means "none".
 */
export function reportTime(text: string | undefined): number | null {
  const written = (text ?? '').trim()
  if (written.length > 64) return null
  const local = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)$/u.exec(written)
  const at = Date.parse(local === null ? written : `${local[1] ?? ''}T${(local[2] ?? '').replace(',', '.')}Z`)
  return runTime(at)
}

/** Whether the values of a property with this name may name requirements (contract §4.2). */
export function namesRequirement(property: string): boolean {
  return /^(?:requirements?|reqs?|covers?|verif(?:y|ies)|test_?key|tags?)(?:[._-]?(?:ids?|keys?))?$/iu.test(property)
}
