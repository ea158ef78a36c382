import type { GroupingResult, LooseHash, NormalEvent } from '../event/event.ts'
import { carriesMessage, exceptionType, exceptionValue, type ExceptionsReading } from './exceptions.ts'
import type { Stack, StackRules } from './stack.ts'
import { cutWithEllipsis } from '../../../lib/text.ts'
import { describeFrame } from './title.ts'

const SHOWN_FRAMES = 4
const SHOWN_TYPES = 4
const SHOWN_BUILDS = 2
const LONGEST_LINE = 300

/** The facts that an explanation states: the default reading of the event, and the effect of the fingerprint. */
interface Explained {
  event: NormalEvent
  basis: GroupingResult['basis']
  rules: StackRules
  exceptions: ExceptionsReading
  /** The stacks that count: of the exceptions, or of the thread. */
  stacks: readonly Stack[]
  message: string
  /** Further hashes: of all frames, and those that lead to the issue on a condition. */
  others: readonly string[]
  loose: readonly LooseHash[]
}

/**
 * A few sentences for people: what the hash consists of, what was left out and why, which further hashes lead to the
 * issue. They quote the event: untrusted text.
 */
export function explain(facts: Explained): string[] {
  return linesFor(facts).map((line) => cutWithEllipsis(line, LONGEST_LINE))
}

function linesFor(facts: Explained): string[] {
  const { event, basis, message } = facts
  switch (basis) {
    case 'fingerprint':
      return [`The SDK's fingerprint decides: ${quoteAll(event.fingerprint)}.`]
    case 'hybrid':
      return [
        `The SDK's fingerprint ${quoteAll(event.fingerprint)} counts, {{ default }} in it being:`,
        ...defaultLines(facts),
        ...furtherLines(facts),
      ]
    case 'message':
      return [`No exception and no stack: the message counts, ids and numbers masked: ${message}`]
    case 'fallback':
      return ['Neither exception, stack nor message: platform, level and logger count.']
    case 'stack':
    case 'value':
      return [...defaultLines(facts), ...furtherLines(facts)]
  }
}

function defaultLines(facts: Explained): string[] {
  const { event, stacks, message } = facts
  if (stacks.some(({ tokens }) => tokens.length > 0)) {
    return [
      ...exceptionLines(facts),
      ...valueLines(facts),
      ...messageLines(facts),
      ...frameLines(facts),
      ...mapLines(stacks),
      ...leftOutLines(stacks),
    ]
  }
  if (facts.exceptions.tokens.length > 0) {
    return [
      ...exceptionLines(facts),
      'No frame has a name that counts, so the values of the exceptions do, ids and numbers masked.',
    ]
  }
  return [message === '' ? `Platform ${event.platform}, level ${event.level}, logger.` : `The message: ${message}`]
}

function exceptionLines({ event, exceptions }: Explained): string[] {
  const names = exceptions.positions.map((position) => exceptionType(event.exceptions[position]!) || '(no type)')
  if (names.length === 0) return []
  const lines = [`${names.length === 1 ? 'Exception' : 'Exceptions, cause first'}: ${listSome(names, SHOWN_TYPES)}.`]
  const members = event.exceptions.filter(({ mechanism }) => !mechanism.is_exception_group)
  // The SDK for Go calls each error of a chain a group.
  if (members.length === 0 || members.length === event.exceptions.length) return lines
  const counted = counts(members.map((exception) => exceptionType(exception) || '(no type)'))
  const left = event.exceptions.length - names.length
  const equal =
    left === 0
      ? ''
      : `; ${plural(left, 'equal or grouping exception does', 'equal or grouping exceptions do')} not count`
  return [...lines, `The group holds ${listSome(counted, SHOWN_TYPES)}${equal}.`]
}

/** Exceptions of a chain of which no frame counts. */
function valueLines({ event, exceptions }: Explained): string[] {
  const valued = exceptions.positions.filter((position) => exceptions.stacks[position]?.tokens.length === 0)
  if (valued.length === 0) return []
  const names = valued.map((position) => exceptionType(event.exceptions[position]!) || '(no type)')
  return [`No frame counts in ${listSome(names, SHOWN_TYPES)}, so the value does, ids and numbers masked.`]
}

/** The message that the SDK created an exception, or attached a stack, for. */
function messageLines({ event, exceptions, message, rules, stacks }: Explained): string[] {
  const said = exceptions.positions
    .map((position) => event.exceptions[position]!)
    .filter((exception) => carriesMessage(exception, rules))
    .map((exception) => exceptionValue(event, exception, rules))
  if (exceptions.positions.length === 0 && stacks.length > 0 && message !== '') said.push(message)
  const texts = said.filter((text) => text !== '')
  return texts.length === 0 ? [] : [`The stack only shows where this was said, so the text counts too: ${texts[0]!}`]
}

function frameLines({ stacks, rules: { family } }: Explained): string[] {
  const frames = stacks.flatMap(({ contributing }) => contributing)
  const shown = frames.slice(-SHOWN_FRAMES).toReversed()
  const names = shown.map((frame) => describeFrame(frame, family) || '(no name)')
  const isWhole = stacks.some(({ variant }) => variant === 'system')
  const which = isWhole ? 'frame' : 'in-app frame'
  const why = isWhole ? ' (none is in-app)' : ''
  return [
    `${plural(frames.length, `${which} counts`, `${which}s count`)}${why}, nearest to the crash first: ` +
      `${names.join(', ')}${moreThan(frames.length, SHOWN_FRAMES)}.`,
  ]
}

/** How source maps, or their absence, affect function names. */
function mapLines(stacks: readonly Stack[]): string[] {
  const readings = stacks.flatMap((stack) => stack.readings.filter((_, index) => stack.ignored[index] === ''))
  const frames = stacks.flatMap(({ contributing }) => contributing)
  const lines: string[] = []
  const byLine = readings.filter(({ hasLine }, index) => hasLine && frames[index]!.symbolicated).length
  if (byLine > 0) {
    lines.push(
      `In ${plural(byLine, 'symbolicated frame', 'symbolicated frames')} the source line counts, and not the name of ` +
        'the function, which the map only suggests.',
    )
  }
  const minified = readings.flatMap((reading) => (reading.minified === undefined ? [] : [reading.minified.build]))
  const builds = [...new Set(minified)].filter((build) => build !== '')
  if (builds.length > 0) {
    lines.push(
      `${plural(minified.length, 'frame has', 'frames have')} a minified name and no map: such names count only ` +
        `within their build (${listSome(builds, SHOWN_BUILDS)}).`,
    )
  }
  return lines
}

function leftOutLines(stacks: readonly Stack[]): string[] {
  const reasons = counts(stacks.flatMap(({ ignored }) => ignored).filter((reason) => reason !== ''))
  return reasons.length === 0 ? [] : [`Frames left out: ${reasons.join('; ')}.`]
}

const ACROSS: Record<LooseHash['across'], string> = {
  map: 'the frames as they were sent (before the upload)',
  engine: 'the functions up to the last await (other browsers and maps)',
  build: 'the shape of the minified stack (other builds)',
}

/** Which further hashes exist, and their purpose. */
function furtherLines({ others, loose }: Explained): string[] {
  const lines = others.length === 0 ? [] : ['All frames lead here too: an SDK may mark none as in-app.']
  const kinds = [...new Set(loose.map(({ across }) => across))]
  if (kinds.length === 0) return lines
  return [
    ...lines,
    `With type and value, unless they were seen elsewhere, these lead here too: ${kinds.map((kind) => ACROSS[kind]).join('; ')}.`,
  ]
}

function counts(names: readonly string[]): string[] {
  const found = new Map<string, number>()
  for (const name of names) found.set(name, (found.get(name) ?? 0) + 1)
  return [...found].map(([name, count]) => `${String(count)} ${name}`)
}

function listSome(names: readonly string[], count: number): string {
  return `${names.slice(0, count).join(', ')}${moreThan(names.length, count)}`
}

function moreThan(count: number, shown: number): string {
  return count > shown ? ` and ${String(count - shown)} more` : ''
}

function plural(count: number, one: string, many: string): string {
  return `${String(count)} ${count === 1 ? one : many}`
}

function quoteAll(entries: readonly string[]): string {
  return entries
    .slice(0, 8)
    .map((entry) => JSON.stringify(cutWithEllipsis(entry, 60)))
    .join(', ')
}
