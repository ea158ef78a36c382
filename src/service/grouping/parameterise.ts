/** Longest input that is read; the rest of a longer message does not count. */
const LONGEST = 8192

const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}'
const WEEKDAY = '(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}'
// A time alone stays a list of numbers: `12:34` may as well be a line and a column.
const CLOCK = '\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d{1,9})?)?'
const ZONE = '(?:Z|(?: ?(?:GMT|UTC))?[ ]?[+-]\\d{2}:?\\d{2}| ?(?:GMT|UTC))'
const DIGIT_AND_LETTER = '(?=[a-f]*\\d)(?=\\d*[a-f])'
// Short on purpose: a wider list would take `user.name` or `cart.ts` for a host.
const TOP_DOMAINS = 'com|net|org|edu|gov|mil|biz|info|io|dev|app|ai|co|cloud|internal|local|eu|uk|de|fr|nl|jp'

/**
 * What is replaced, in the order tried at each position (ERRORS §2.1). Repeats are bounded or start only where the
 * character before cannot belong to them, so that time stays linear in the input, whoever wrote it.
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

/** The text with every value that changes from event to event replaced by its kind: `user <int> not found`. */
export function parameterise(text: string): string {
  const input = text.slice(0, LONGEST)
  if (!MAY_MATCH.test(input)) return input
  return input.replace(ALTERNATION, (match: string, ...groups: unknown[]) => NAMES[groups.indexOf(match)] ?? match)
}

/** What of a message counts: its first two lines that are not empty, parameterised, with `...` when more follow. */
export function messageToken(text: string): string {
  const lines: string[] = []
  for (const line of text.slice(0, LONGEST).split(/\r\n|\r|\n/)) {
    const trimmed = line.trim()
    if (trimmed === '') continue
    if (lines.length === 2) return `${parameterise(lines.join('\n'))}...`
    lines.push(trimmed)
  }
  return parameterise(lines.join('\n'))
}
