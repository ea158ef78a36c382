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

const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}'
const WEEKDAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}'
// Without seconds it might be a line and a column: `12:34` stays a list of numbers.
const TIME = '\\d{1,2}:\\d{2}:\\d{2}(?:[.,]\\d{1,9})?'
const CLOCK = '\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d{1,9})?)?'
const ZONE =
  '(?:(?:Z|(?: ?(?:GMT|UTC))?[ ]?[+-]\\d{2}:?\\d{2}| ?(?:GMT|UTC|UT|[ECMP][SD]T)(?!\\w))(?: \\([^)\\n]{1,40}\\))?)'
const DAYS = [
  `\\d{4}-\\d{2}-\\d{2}(?:[T ]${CLOCK}${ZONE}?)?`,
  `\\d{4}[01]\\d[0-3]\\d[T ][0-2]\\d:?[0-5]\\d(?::?[0-5]\\d(?:\\.\\d{1,9})?)?${ZONE}?`,
  `(?:${WEEKDAY},? )?${MONTH} {1,2}\\d{1,2} ${CLOCK} \\d{4}`,
  `(?:${WEEKDAY},? )?(?:\\d{1,2} ${MONTH} \\d{2,4}|${MONTH} \\d{1,2},? \\d{4})(?: ${CLOCK}${ZONE}?)?`,
  `${WEEKDAY}, \\d{2}-${MONTH}-\\d{2,4} ${CLOCK}${ZONE}?`,
  `${CLOCK} ?[aApP][mM]|${TIME}`,
  'datetime\\.datetime\\([^)\\n]{0,100}\\)',
]
const DIGIT_AND_LETTER = '(?=[a-f]*\\d)(?=\\d*[a-f])'
const TOP_DOMAINS =
  'com|net|org|jp|de|uk|fr|br|it|ru|es|me|gov|pl|ca|au|cn|co|in|nl|edu|info|eu|ch|id|at|kr|cz|mx|be|tv|se|tr|tw|al|ua|' +
  'ir|vn|cl|sk|ly|cc|to|no|fi|us|pt|dk|ar|hu|tk|gr|il|news|ro|my|biz|ie|za|nz|sg|ee|th|io|xyz|pe|bg|hk|rs|lt|link|ph|' +
  'club|si|site|mobi|by|cat|wiki|la|ga|xxx|cf|hr|ng|jobs|online|kz|ug|gq|ae|is|lv|pro|fm|tips|ms|sa|app|' +
  // Not in Sentry's list: hosts inside of a network.
  'dev|ai|cloud|internal|local'
const OCTET = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)'
const H = '[0-9a-fA-F]'

/**
 * The patterns that are replaced, in the order tried at each position (errors §2.1). Repetitions are bounded or start
 * only where the preceding character cannot belong to them, so that the time stays linear even for hostile input.
 */
const PATTERNS: readonly (readonly [name: string, source: string])[] = [
  ['email', '(?<![\\w.%+-])[\\w.%+-]{1,64}@[a-zA-Z0-9-]{1,63}(?:\\.[a-zA-Z0-9-]{1,63}){0,8}'],
  ['url', '(?<![a-zA-Z0-9+.-])[a-zA-Z][a-zA-Z0-9+.-]{1,20}:\\/\\/[^\\s"\'<>()\\[\\]{}]+'],
  ['hostname', `(?<![\\w.-])(?:[a-zA-Z0-9-]{1,63}\\.){1,8}(?:${TOP_DOMAINS}|${TOP_DOMAINS.toUpperCase()})(?![\\w-])`],
  [
    'ip',
    `(?<![\\w.])(?:${OCTET}\\.){3}${OCTET}(?!\\w|\\.\\d)` +
      `|(?<![\\w:])(?=[a-fA-F:]{0,40}\\d)(?:(?:${H}{1,4}:){7}${H}{1,4}` +
      `|(?:${H}{1,4}:){1,6}(?::${H}{1,4}){1,6}|(?:${H}{1,4}:){1,7}:|:(?::${H}{1,4}){1,7})(?![\\w:])`,
  ],
  [
    'traceparent',
    '(?<!\\w)(?:(?:[0-9a-f]{2}-)?[0-9a-f]{32}-[0-9a-f]{16}(?:-[0-9a-f]{1,2})?|1-[0-9a-f]{8}-[0-9a-f]{24})(?!\\w)',
  ],
  ['uuid', `(?<!\\w)${H}{8}-${H}{4}-${H}{4}-${H}{4}-${H}{12}(?!\\w)`],
  ['sha1', `(?<!\\w)${H}{40}(?!\\w)`],
  ['md5', `(?<!\\w)${H}{32}(?!\\w)`],
  ['date', `(?<!\\w)(?:${DAYS.join('|')})(?!\\w)`],
  ['duration', '(?<![\\w.])\\d+(?:\\.\\d+)?(?:ms|s|ns|[uµ]s)(?!\\w)'],
  ['swift_txn_id', '(?<!\\w)tx[0-9a-f]{21}-[0-9a-f]{10}\\S{0,100}'],
  ['hex', `(?<!\\w)(?:0[xX]${H}+|${DIGIT_AND_LETTER}[0-9a-f]{8,256}|(?=[A-F]*\\d)(?=\\d*[A-F])[0-9A-F]{8,256})(?!\\w)`],
  ['git_sha', `(?<!\\w)${DIGIT_AND_LETTER}[0-9a-f]{7}(?!\\w)`],
  ['float', '(?<!\\w)-?\\d+(?:\\.\\d+(?:e[+-]?\\d{1,4})?|e[+-]?\\d{1,4})(?!\\w)'],
  ['int', '(?<!\\w)-?\\d+(?!\\w)'],
  ['quoted_str', '(?<==)(?:\'[^\'\\n]+\'|"[^"\\n]+")'],
  ['bool', '(?<==)(?:[Tt]rue|[Ff]alse)(?!\\w)'],
]

const NAMES = PATTERNS.map(([name]) => `<${name}>`)
const ALTERNATION = new RegExp(PATTERNS.map(([, source]) => `(${source})`).join('|'), 'g')
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
