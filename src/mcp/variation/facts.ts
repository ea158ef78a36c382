import type * as z from 'zod'
import type { Received } from '../../client/api.ts'
import type {
  ComparedBreadcrumb as BreadcrumbSchema,
  ComparedEvent as EventSchema,
  ComparedFrame as FrameSchema,
} from '../../contract/events.ts'
import { isLibraryFrame } from '../../lib/frames/library-frame.ts'
import { forEach } from './for-each.ts'
import { openEvent, type Opened } from './open.ts'
import { frameName, partStacks } from './stacks.ts'
import { findTemplates, type FindTemplate, type Templated } from './templates.ts'
import type { Occurrence } from './vary.ts'

type Answered = Received<z.output<typeof EventSchema>>
type AnsweredException = NonNullable<Answered['exceptions']>[number]

/** An occurrence with its frames and breadcrumbs; several occurrences may have the very same ones. */
export interface ComparedEvent extends Omit<Answered, 'exceptions' | 'breadcrumbs'> {
  exceptions?: readonly ComparedException[] | undefined
  breadcrumbs?: readonly ComparedBreadcrumb[] | undefined
}

export interface ComparedException extends Omit<AnsweredException, 'frames'> {
  frames?: readonly ComparedFrame[] | undefined
}

export type ComparedFrame = Received<z.output<typeof FrameSchema>>
export type ComparedBreadcrumb = Received<z.output<typeof BreadcrumbSchema>>
type OpenedEvent = ReturnType<typeof openCompared>

const MOST_CRUMBS = 30
const MOST_FRAMES = 12
const MOST_FACTS = 300
const MOST_CHARACTERS = 500
/** Members of contexts that differ in each occurrence and explain nothing. */
const NOISE =
  /(?:^|\.)(?:trace_id|span_id|parent_span_id|start_time|boot_time|app_start_time|free_memory|usable_memory|timestamp|current_time|rss|free_storage|processor_frequency)$/

interface ComparedFacts {
  occurrences: Occurrence[]
  /** For each fact from breadcrumbs: the smallest number of breadcrumbs between it and the crash. */
  distances: ReadonlyMap<string, number>
}

/**
 * What occurrences say, by name: release, environment and tags, messages and their parameters, the request, values of
 * contexts, extra and the variables of the crashing frames, breadcrumbs by their templates, and where the stacks part.
 */
export function readFacts(events: readonly ComparedEvent[]): ComparedFacts {
  const openFrame = forEach(readFrame)
  const crumbText = forEach(readCrumb)
  const opened = events.map((event) => openCompared(event, openFrame, crumbText))
  const distances = new Map<string, number>()
  const crumbs = findTemplates(opened.flatMap(({ crumbs: texts }) => texts))
  const errors = findTemplates(opened.flatMap(({ errors: texts }) => texts))
  const partings = partStacks(opened.map(({ stack }) => stack))
  const areEqual = partings.every((places) => places.length === 0)
  const crumbFacts = forEach((text: string) => readCrumbFacts(crumbs(text)))
  const occurrences = opened.map((event, place) => {
    const facts = new Map<string, string[]>()
    const add = (name: string, value: unknown) => addFact(facts, name, value)
    addErrors(event, errors, add)
    for (const { name, value } of partings[place] ?? []) add(name, value)
    if (areEqual && event.stack.length > 0) add(event.isInApp ? 'in-app stack' : 'stack', event.stack.join(' < '))
    for (const [index, text] of event.crumbs.entries()) {
      const distance = event.crumbs.length - 1 - index
      for (const [name, value] of crumbFacts(text)) {
        addText(facts, name, value)
        distances.set(name, Math.min(distance, distances.get(name) ?? Infinity))
      }
    }
    addSurroundings(event, add)
    return { id: event.id, facts }
  })
  return { occurrences, distances }
}

/** The members that are compared, with outsiders' texts opened. */
function openCompared(
  event: ComparedEvent,
  openFrame: (frame: ComparedFrame) => OpenedFrame,
  crumbText: (crumb: ComparedBreadcrumb) => string,
) {
  const { id, environment, release, level, handled, transaction, server_name, message, message_params } = event
  const { tags, request, contexts, extra, exceptions = [], breadcrumbs = [] } = event
  const thrown = exceptions.at(-1)
  const frames = (thrown?.frames ?? []).filter((frame) => !isLibraryFrame(frame)).slice(-MOST_FRAMES)
  const opened = openEvent({
    environment,
    release,
    level,
    handled,
    transaction,
    server_name,
    message,
    message_params,
    tags,
    contexts,
    extra,
    request: { method: request?.method, url: request?.url, query_string: request?.query_string },
    exceptions: exceptions.map(({ type, value }) => ({ type, value })),
  })
  const openedFrames = frames.map(openFrame)
  const errors = opened.exceptions.map(({ type = '', value = '' }) => (type === '' ? value : `${type}: ${value}`))
  return {
    ...opened,
    id,
    errors: errors.length === 0 ? [opened.message ?? ''] : errors,
    variables: openedFrames.toReversed().flatMap(({ variables }) => variables),
    stack: openedFrames.toReversed().map(({ name }) => name),
    isInApp: frames.every((frame) => frame.in_app === true),
    crumbs: breadcrumbs.slice(-MOST_CRUMBS).map(crumbText),
  }
}

/** A name and its value as a text. */
type Fact = readonly [name: string, text: string]

interface OpenedFrame {
  name: string
  variables: readonly Fact[]
}

function readFrame({ function: called, filename, lineno, vars }: ComparedFrame): OpenedFrame {
  const frame = openEvent({ function: called, filename, lineno, vars })
  const variables: Fact[] = []
  const add = (name: string, value: unknown) => {
    const text = plainValue(value)
    if (text !== undefined) variables.push([name, text])
  }
  addMembers('variable', frame.vars, add, `${frame.function ?? '?'}.`)
  return { name: frameName(frame), variables }
}

function readCrumb({ category, message, data }: ComparedBreadcrumb): string {
  return crumbText(openEvent({ category, message, data }))
}

type Add = (name: string, value: unknown) => void

function addFact(facts: Map<string, string[]>, name: string, value: unknown): void {
  const text = plainValue(value)
  if (text !== undefined) addText(facts, name, text)
}

function addText(facts: Map<string, string[]>, name: string, text: string): void {
  if (facts.size >= MOST_FACTS && !facts.has(name)) return
  const known = facts.get(name)
  if (known === undefined) facts.set(name, [text])
  else if (!known.includes(text)) known.push(text)
}

function addErrors({ errors, message_params: parameters = [] }: OpenedEvent, template: FindTemplate, add: Add): void {
  for (const [index, text] of errors.entries()) {
    const kind = index === errors.length - 1 ? 'error' : 'caused by'
    const { template: constant, values } = template(text)
    add(kind, constant)
    for (const [number, value] of values.entries()) add(`${kind} ${markVariable(constant, number)}`, value)
  }
  for (const [index, parameter] of parameters.entries()) {
    addMembers(`message parameter ${String(index + 1)}`, parameter, add)
  }
}

/** What is said of an occurrence that has a breadcrumb without a variable. */
export const PRESENT = 'yes'

function readCrumbFacts({ template, values }: Templated): Fact[] {
  if (values.length === 0) return [[`breadcrumb ${template}`, PRESENT]]
  return values.map((value, number) => [`breadcrumb ${markVariable(template, number)}`, plainText(value)])
}

/** The template with its variable of that number as `{*}`, so that a reader knows which one the values are of. */
function markVariable(template: string, number: number): string {
  let seen = 0
  return template.replaceAll('{}', (braces) => (seen++ === number ? '{*}' : braces))
}

function addSurroundings(event: OpenedEvent, add: Add): void {
  for (const name of ['environment', 'release', 'level', 'handled', 'transaction', 'server_name'] as const) {
    if (event[name] !== '') add(name, event[name])
  }
  for (const { key = '', value } of event.tags ?? [])
    if (!['environment', 'release', 'level'].includes(key)) add(`tag ${key}`, value)
  addRequest(event, add)
  for (const [name, text] of event.variables) add(name, text)
  addMembers('extra', event.extra, add)
  addMembers('context', event.contexts, add)
}

function addRequest({ request: { method = '', url = '', query_string: query = '' } }: OpenedEvent, add: Add): void {
  if (url !== '') add('request', `${method} ${url.split(/[?#]/, 1)[0] ?? ''}`.trim())
  for (const [name, value] of new URLSearchParams(query)) add(`query ${name}`, value)
}

/** Members two levels deep: `context browser.name`. */
function addMembers(kind: string, members: unknown, add: Add, prefix = ''): void {
  if (!isObject(members)) {
    if (members !== undefined) add(kind, members)
    return
  }
  for (const [name, value] of Object.entries(members)) {
    if (!isObject(value)) addMember(`${kind} ${prefix}${name}`, value, add)
    else
      for (const [inner, member] of Object.entries(value)) addMember(`${kind} ${prefix}${name}.${inner}`, member, add)
  }
}

function addMember(name: string, value: unknown, add: Add): void {
  if (!NOISE.test(name)) add(name, value)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value as one text; a list or an object only as its shape. */
function plainValue(value: unknown): string | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string') return plainText(value)
  if (Array.isArray(value)) return `list of ${String(value.length)}`
  return isObject(value)
    ? `{${Object.keys(value).toSorted().join(', ').slice(0, MOST_CHARACTERS)}}`
    : JSON.stringify(value)
}

function plainText(text: string): string {
  return text === '' ? '""' : text.slice(0, MOST_CHARACTERS)
}

/** A breadcrumb in one line, its data behind its message. Quotes make one word of a text of several (findTemplates). */
function crumbText({
  category = '',
  message = '',
  data = {},
}: Opened<Pick<ComparedBreadcrumb, 'category' | 'message' | 'data'>>): string {
  const rest = Object.entries(data).map(([name, value]) => `${name}=${asOneWord(plainValue(value) ?? '')}`)
  return [`${category}:`, message, ...rest]
    .filter((part) => part !== '')
    .join(' ')
    .slice(0, MOST_CHARACTERS)
}

/** A path or an address keeps its words, because templates are found in them. */
function asOneWord(text: string): string {
  return /[\s:=,;]/.test(text) && !/["/]/.test(text) ? `"${text}"` : text
}

/** How much a name tells whoever looks for the cause; `distance` is how far a breadcrumb is from the crash. */
export function weigh(name: string, distance: number | undefined): number {
  const weight = WEIGHTS.find(([start]) => name.startsWith(start))?.[1] ?? 0.6
  const isFar = distance !== undefined && distance >= NEAR
  // Without a variable it says only whether the breadcrumb is there.
  const isPresence = name.startsWith('breadcrumb ') && !name.includes('{*}')
  return weight * (isFar ? 0.8 : 1) * (isPresence ? 0.8 : 1) * (ID_NAME.test(name) ? 0.3 : 1)
}

/** Breadcrumbs next to the crash. */
const NEAR = 5
const ID_NAME =
  /(?:[ ._-]|^)\w*(?:id|uuid|guid|session|trace|span|timestamp|server_name|hostname|pid|nonce|date|time)$/i

/** What a program did and was given tells more than where it ran. */
const WEIGHTS: readonly (readonly [string, number])[] = [
  ['error', 1.5],
  ['crash in', 1.5],
  ['caller of', 1.5],
  ['caused by', 1.4],
  ['variable ', 1.4],
  ['message parameter', 1.4],
  ['breadcrumb ', 1.3],
  ['extra ', 1.1],
  ['request', 1],
  ['query ', 1],
  ['transaction', 1],
  ['release', 1],
  ['environment', 1],
  ['tag ', 0.8],
]
