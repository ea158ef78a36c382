import type * as z from 'zod'
import type { Received } from '../../client/api.ts'
import { Untrusted } from '../../contract/base/text.ts'
import type { Event as EventSchema } from '../../contract/events.ts'
import { isLibraryFrame } from '../../lib/frames/library-frame.ts'
import { cutWithEllipsis } from '../../lib/text.ts'
import { Quoted } from '../text/untrusted.ts'
import { openEvent } from './open.ts'
import { stackNames } from './stacks.ts'

type Event = Received<z.output<typeof EventSchema>>

export interface DescribedValues {
  /** Variables of frames, the one that crashed first. */
  variables: Quoted[]
  message_parameters: Quoted[]
  extra: Quoted[]
  contexts: Quoted[]
  /** How many values are shown, and how many there are. */
  shown: number
  total: number
}

/** Characters of all values: at most 650 tokens. */
const MOST_CHARACTERS = 1_600
/** Characters of one value; a longer one is described. */
const WHOLE = 60
const NAME_CHARACTERS = 60
const KEYS = 6
/** What SDKs say of the machine by themselves: behind what the application says. */
const USUAL = new Set(
  'app browser cloud_resource culture device gpu os otel profile react response runtime state trace'.split(' '),
)

/**
 * The values that an occurrence had when it crashed: variables of its own frames, parameters of the message, extra and
 * contexts. Numbers, booleans, null and short texts as they are, the others by their shape. Values of secret names are
 * labels.
 */
export function describeValues(event: Event): DescribedValues {
  const { frames, parameters, extra, contexts, isRepr } = openValues(event)
  const show = (value: unknown) => showValue(value, isRepr)
  const budget = { left: MOST_CHARACTERS, shown: 0, total: 0 }
  const names = stackNames(frames)
  const variables = frames
    .toReversed()
    .flatMap(({ vars = {} }, place) => fitting(names[place], Object.entries(vars), show, budget))
  const numbered = parameters.map((value, index): [string, unknown] => [String(index + 1), value])
  const plain = (value: unknown) => showValue(value, false)
  return {
    variables,
    message_parameters: fitting(undefined, numbered, plain, budget),
    extra: fitting(undefined, Object.entries(extra), plain, budget),
    contexts: contextsInOrder(contexts).flatMap(([name, value]) => fitting(name, members(value), plain, budget)),
    shown: budget.shown,
    total: budget.total,
  }
}

/** Whether an occurrence has variables or extra; SDKs send contexts with every event. */
export function hasValues(event: Event): boolean {
  const { frames, extra } = openValues(event)
  return Object.keys(extra).length > 0 || frames.some(({ vars = {} }) => Object.keys(vars).length > 0)
}

function openValues(event: Event) {
  const frames = (event.exceptions ?? []).flatMap((exception) => exception.frames ?? [])
  const threads = (event.threads ?? [])
    .filter((thread) => thread.crashed === true)
    .flatMap((thread) => thread.frames ?? [])
  const opened = openEvent({
    platform: event.platform,
    frames: [...frames, ...threads]
      .filter((frame) => !isLibraryFrame(frame))
      .map(({ function: name, filename, lineno, vars }) => ({ function: name, filename, lineno, vars })),
    message_params: event.message_params,
    extra: event.extra,
    contexts: event.contexts,
  })
  const { platform, message_params: parameters = [], extra = {}, contexts = {} } = opened
  // Python's SDK sends variables as Python writes them: a text has its quotes already.
  return { frames: opened.frames, parameters, extra, contexts, isRepr: platform === 'python' }
}

function contextsInOrder(contexts: Readonly<Record<string, unknown>>): [string, unknown][] {
  const entries = Object.entries(contexts)
  return [...entries.filter(([name]) => !USUAL.has(name)), ...entries.filter(([name]) => USUAL.has(name))]
}

/** The members of a context but for its kind, which is its name; another value as itself. */
function members(value: unknown): [string, unknown][] {
  if (!isObject(value)) return [['value', value]]
  return Object.entries(value).filter(([name]) => name !== 'type')
}

interface Budget {
  left: number
  shown: number
  total: number
}

/** One line with those of the values that fit into the budget; no line when none does. */
function fitting(
  head: string | undefined,
  entries: readonly (readonly [string, unknown])[],
  show: (value: unknown) => string,
  budget: Budget,
): Quoted[] {
  budget.total += entries.length
  const parts: Quoted['parts'][number][] = []
  let length = head?.length ?? 0
  for (const [name, value] of entries) {
    const texts = [cutWithEllipsis(name, NAME_CHARACTERS), show(value)] as const
    const more = texts.join('').length + 3
    if (length + more > budget.left) continue
    length += more
    parts.push(parts.length === 0 ? '' : ', ', new Untrusted(texts[0]), '=', new Untrusted(texts[1]))
    budget.shown += 1
  }
  if (parts.length === 0) return []
  budget.left -= length
  const start = head === undefined ? [] : [new Untrusted(head), ': ']
  return [new Quoted([...start, ...parts], MOST_CHARACTERS, false)]
}

function showValue(value: unknown, isRepr: boolean): string {
  if (value === undefined || value === null) return 'null'
  if (typeof value === 'string') return showText(value, isRepr)
  if (typeof value !== 'object') return JSON.stringify(value)
  const whole = isFlat(value) ? JSON.stringify(value) : ''
  if (whole !== '' && whole.length <= WHOLE) return whole
  return Array.isArray(value) ? listShape(value) : `object ${keyNames(value)}`
}

function showText(text: string, isRepr: boolean): string {
  const written = isRepr || /^\[redacted:\w+\]$/.test(text) ? text : JSON.stringify(text)
  if (written.length <= WHOLE) return written
  return `text of ${text.length.toLocaleString('en-US')} characters ${cutWithEllipsis(written, WHOLE / 2)}`
}

/** Whether all members are plain values. */
function isFlat(value: object): boolean {
  return Object.values(value).every((member) => typeof member !== 'object' || member === null)
}

/** `list of 12 objects {sku, price}` */
function listShape(list: readonly unknown[]): string {
  const kinds = new Set(list.map((item) => (isObject(item) ? 'object' : Array.isArray(item) ? 'list' : typeof item)))
  const [kind] = kinds
  const word = kinds.size > 1 ? 'value' : (WORDS[kind ?? ''] ?? 'value')
  const first = list.find(isObject)
  const keys = word === 'object' && first !== undefined ? ` ${keyNames(first)}` : ''
  return `list of ${list.length.toLocaleString('en-US')} ${word}${list.length === 1 ? '' : 's'}${keys}`
}

const WORDS: Readonly<Record<string, string>> = { object: 'object', list: 'list', string: 'text', number: 'number' }

function keyNames(value: object): string {
  const keys = Object.keys(value)
  const shown = keys.slice(0, KEYS).map((key) => cutWithEllipsis(key, 30))
  return `{${[...shown, ...(keys.length > KEYS ? [`${String(keys.length - KEYS)} more`] : [])].join(', ')}}`
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
