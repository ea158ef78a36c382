/** Characters of one text that are searched for its first two lines: as many as normalisation keeps of a message. */
const LONGEST = 8192
/** Characters of those lines that are compared with the patterns (decision 011). */
const LONGEST_READ = 2048
/**
 * Characters of the result that count. Fewer than are read: ids before the cut vary in length from event to event, and
 * the text that they push over it must not make each event an issue.
 */
const LONGEST_COUNTED = 1024
/** Characters of all different texts of one event that are compared with the patterns (decision 011). */
const READ_PER_EVENT = 16 * 1024

const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}'
const WEEKDAY = '(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}'
// A time alone remains a list of numbers: `12:34` might be a line and a column.
const CLOCK = '\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d{1,9})?)?'
const ZONE = '(?:Z|(?: ?(?:GMT|UTC))?[ ]?[+-]\\d{2}:?\\d{2}| ?(?:GMT|UTC))'
const DIGIT_AND_LETTER = '(?=[a-f]*\\d)(?=\\d*[a-f])'
// Short on purpose: a wider list would take `user.name` or `cart.ts` for a host.
const TOP_DOMAINS = 'com|net|org|edu|gov|mil|biz|info|io|dev|app|ai|co|cloud|internal|local|eu|uk|de|fr|nl|jp'

/**
 * The patterns that are replaced, in the order tried at each position (errors §2.1). Repetitions are bounded or start
 * only where the preceding character cannot belong to them, so that the time stays linear even for hostile input.
 */
const PATTERNS: readonly (readonly [name: string, source: string])[] = [
  ['email', '(?<![\\w.%+-])[\\w.%+-]{1,64}@[a-z0-9-]{1,63}(?:\\.[a-z0-9-]{1,63}){1,8}'],
  ['url', '(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\\/\\/[^\\s"\'<>()\\[\\]{}]+'],
  ['hostname', `(?<![\\w.-])(?:[a-z0-9-]{1,63}\\.){1,8}(?:${TOP_DOMAINS})(?![\\w-])`],
  [
    'ip',
    '(?<![\\w.])(?:\\d{1,3}\\.){3}\\d{1,3}(?!\\w|\\.\\d)' +
      '|(?<![\\w:])(?=[a-f:]{0,40}\\d)(?:(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}' +
      '|(?:[0-9a-f]{1,4}:){1,6}(?::[0-9a-f]{1,4}){1,6}|(?:[0-9a-f]{1,4}:){1,7}:|:(?::[0-9a-f]{1,4}){1,7})(?![\\w:])',
  ],
  ['traceparent', '(?<!\\w)(?:[0-9a-f]{2}-)?[0-9a-f]{32}-[0-9a-f]{16}(?:-[0-9a-f]{1,2})?(?!\\w)'],
  ['uuid', '(?<![a-z0-9])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![a-z0-9])'],
  ['sha1', '(?<![a-z0-9])[0-9a-f]{40}(?![a-z0-9])'],
  ['md5', '(?<![a-z0-9])[0-9a-f]{32}(?![a-z0-9])'],
  [
    'date',
    `(?<![a-z0-9])(?:\\d{4}-\\d{2}-\\d{2}(?:[T ]${CLOCK}${ZONE}?)?` +
      `|${WEEKDAY},? (?:\\d{1,2} ${MONTH}|${MONTH} \\d{1,2}),? \\d{4}(?: ${CLOCK}${ZONE}?)?` +
      `|\\d{1,2} ${MONTH} \\d{4}(?: ${CLOCK}${ZONE}?)?)(?![a-z0-9])`,
  ],
  [
    'duration',
    '(?<![a-z0-9.])[+-]?\\d+(?:\\.\\d+)? ?' +
      '(?:ns|[uµ]s|ms|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|milliseconds?)(?![a-z0-9])',
  ],
  ['hex', `(?<![a-z0-9])(?:0x[0-9a-f]+|${DIGIT_AND_LETTER}[0-9a-f]{8,256})(?![a-z0-9])`],
  ['git_sha', `(?<![a-z0-9])${DIGIT_AND_LETTER}[0-9a-f]{7}(?![a-z0-9])`],
  ['float', '(?<![a-z0-9])[+-]?\\d+(?:\\.\\d+(?:e[+-]?\\d{1,4})?|e[+-]?\\d{1,4})(?![a-z0-9])'],
  ['int', '(?<![a-z0-9])[+-]?\\d+(?![a-z0-9])'],
  ['quoted_str', '(?<==\\s?)(?:\'[^\'\\n]*\'|"[^"\\n]*")'],
  ['bool', '(?<==\\s?)(?:true|false)(?!\\w)'],
]

const NAMES = PATTERNS.map(([name]) => `<${name}>`)
const ALTERNATION = new RegExp(PATTERNS.map(([, source]) => `(${source})`).join('|'), 'gi')
// Most messages hold none of these characters and skip the alternation.
const MAY_MATCH = /[\d@.=:]/

/** Reduces a text to the parts that count. */
export type ReadText = (text: string) => string

/** The text with every value that changes from event to event replaced by its kind: `user <int> not found`. */
export function parameterise(text: string): string {
  const input = text.slice(0, LONGEST_READ)
  return (MAY_MATCH.test(input) ? masked(input) : input).slice(0, LONGEST_COUNTED)
}

/**
 * `parameterise` for the texts of one event: each distinct text is read once, at most 16 KiB in total; further texts
 * count as ''.
 */
export function readerOfEvent(): ReadText {
  const known = new Map<string, string>()
  let left = READ_PER_EVENT
  return (text) => {
    const start = text.slice(0, LONGEST_READ)
    const before = known.get(start)
    if (before !== undefined) return before
    const input = start.slice(0, left)
    left -= input.length
    const outcome = parameterise(input)
    known.set(start, outcome)
    return outcome
  }
}

/** The part of a message that counts: its first two non-empty lines, parameterised, with `...` when more follow. */
export function messageToken(text: string, read: ReadText = parameterise): string {
  const lines: string[] = []
  for (const line of text.slice(0, LONGEST).split(/\r\n|\r|\n/)) {
    const trimmed = line.trim()
    if (trimmed === '') continue
    if (lines.length === 2) return `${read(lines.join('\n'))}...`
    lines.push(trimmed)
  }
  return read(lines.join('\n'))
}

function masked(text: string): string {
  return text.replace(ALTERNATION, (match: string, ...groups: unknown[]) => NAMES[groups.indexOf(match)] ?? match)
}
