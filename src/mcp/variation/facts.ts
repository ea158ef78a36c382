import type { Facts } from './vary.ts'

/** The members of an occurrence that are compared; each may be missing. */
export interface ComparedEvent {
  id: string
  environment?: string | undefined
  release?: string | undefined
  level?: string | undefined
  handled?: boolean | undefined
  transaction?: string | undefined
  server_name?: string | undefined
  message?: string | undefined
  message_params?: readonly unknown[] | undefined
  exceptions?: readonly ComparedException[] | undefined
  breadcrumbs?: readonly { category?: string; message?: string; data?: Readonly<Record<string, unknown>> }[] | undefined
  tags?: readonly { key?: string; value?: string }[] | undefined
  request?:
    | {
        method?: string | undefined
        url?: string | undefined
        query_string?: string | undefined
        headers?: Readonly<Record<string, unknown>> | undefined
      }
    | undefined
  contexts?: Readonly<Record<string, unknown>> | undefined
  extra?: Readonly<Record<string, unknown>> | undefined
}

interface ComparedException {
  type?: string
  value?: string
  frames?: readonly ComparedFrame[]
}

interface ComparedFrame {
  function?: string
  filename?: string
  lineno?: number
  in_app?: boolean
  vars?: Readonly<Record<string, unknown>>
}

const MOST_CRUMBS = 30
const MOST_FRAMES = 12
const MOST_FACTS = 300
const MOST_CHARACTERS = 200
/** Members of contexts that differ in each occurrence and explain nothing. */
const NOISE =
  /(?:^|\.)(?:trace_id|span_id|parent_span_id|start_time|boot_time|app_start_time|free_memory|usable_memory|timestamp|current_time|rss|free_storage|processor_frequency)$/

/**
 * What an occurrence says, by name: its release, environment and tags, its messages, its request, values of contexts,
 * extra and the variables of the crashing frames, and its breadcrumbs. `template` splits a breadcrumb into its constant
 * words and its variables.
 */
export function readFacts(
  event: ComparedEvent,
  template: (text: string) => { template: string; values: string[] },
): Facts {
  const facts = new Map<string, string[]>()
  const add = (name: string, value: unknown) => {
    const text = plainValue(value)
    if (text === undefined || (facts.size >= MOST_FACTS && !facts.has(name))) return
    const known = facts.get(name)
    if (known === undefined) facts.set(name, [text])
    else if (!known.includes(text)) known.push(text)
  }
  for (const name of ['environment', 'release', 'level', 'handled', 'transaction', 'server_name'] as const) {
    add(name, event[name])
  }
  addMessages(event, add)
  addRequest(event, add)
  for (const { key = '', value } of event.tags ?? [])
    if (!['environment', 'release', 'level'].includes(key)) add(`tag ${key}`, value)
  addMembers('context', event.contexts, add)
  addMembers('extra', event.extra, add)
  for (const crumb of (event.breadcrumbs ?? []).slice(-MOST_CRUMBS)) {
    const { template: constant, values } = template(crumbText(crumb))
    if (values.length === 0) add(`breadcrumb ${constant}`, 'yes')
    for (const [index, value] of values.entries()) add(`breadcrumb ${markVariable(constant, index)}`, value)
  }
  return facts
}

/** The template with its variable of that number as `{*}`, so that a reader knows which one the values are of. */
function markVariable(template: string, number: number): string {
  let seen = 0
  return template.replaceAll('{}', (braces) => (seen++ === number ? '{*}' : braces))
}

/** How much a name tells whoever looks for the cause. */
export function weigh(name: string): number {
  return WEIGHTS.find(([start]) => name.startsWith(start))?.[1] ?? 0.6
}

/** What a program did and was given tells more than where it ran. */
const WEIGHTS: readonly (readonly [string, number])[] = [
  ['error', 1.5],
  ['in-app stack', 1.5],
  ['caused by', 1.4],
  ['variable ', 1.4],
  ['message parameter', 1.4],
  ['breadcrumb ', 1.3],
  ['extra ', 1.1],
  ['request', 1],
  ['query ', 1],
  ['release', 1],
  ['environment', 1],
  ['tag ', 0.8],
]

type Add = (name: string, value: unknown) => void

function addMessages({ message, message_params: parameters = [], exceptions = [] }: ComparedEvent, add: Add): void {
  const thrown = exceptions.at(-1)
  add('error', thrown === undefined ? message : `${thrown.type ?? ''}: ${thrown.value ?? ''}`)
  for (const [index, parameter] of parameters.entries()) add(`message parameter ${String(index + 1)}`, parameter)
  for (const cause of exceptions.slice(0, -1)) add('caused by', `${cause.type ?? ''}: ${cause.value ?? ''}`)
  const frames = (thrown?.frames ?? []).filter((frame) => frame.in_app === true).slice(-MOST_FRAMES)
  if (frames.length > 0) add('in-app stack', frames.toReversed().map(frameName).join(' < '))
  for (const frame of frames) {
    for (const [name, value] of Object.entries(frame.vars ?? {}))
      add(`variable ${frame.function ?? '?'}.${name}`, value)
  }
}

function frameName(frame: ComparedFrame): string {
  return `${frame.function ?? '?'} ${(frame.filename ?? '').split('/').at(-1) ?? ''}:${String(frame.lineno ?? 0)}`
}

function addRequest({ request }: ComparedEvent, add: Add): void {
  if (request === undefined) return
  add('request', `${request.method ?? ''} ${(request.url ?? '').split(/[?#]/, 1)[0] ?? ''}`.trim())
  for (const [name, value] of new URLSearchParams(request.query_string ?? '')) add(`query ${name}`, value)
}

/** Members two levels deep: `context browser.name`. */
function addMembers(kind: string, members: Readonly<Record<string, unknown>> | undefined, add: Add): void {
  for (const [name, value] of Object.entries(members ?? {})) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) addOne(`${kind} ${name}`, value, add)
    else for (const [inner, member] of Object.entries(value)) addOne(`${kind} ${name}.${inner}`, member, add)
  }
}

function addOne(name: string, value: unknown, add: Add): void {
  if (!NOISE.test(name)) add(name, value)
}

/** A value as one short text; a list or an object only as its shape. */
function plainValue(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string') return value.slice(0, MOST_CHARACTERS)
  if (Array.isArray(value)) return `list of ${String(value.length)}`
  return typeof value === 'object'
    ? `{${Object.keys(value).toSorted().join(', ').slice(0, MOST_CHARACTERS)}}`
    : JSON.stringify(value)
}

/** A breadcrumb in one line, its data behind its message. */
export function crumbText({
  category = '',
  message = '',
  data = {},
}: NonNullable<ComparedEvent['breadcrumbs']>[number]): string {
  const rest = Object.entries(data).map(([name, value]) => `${name}=${plainValue(value) ?? ''}`)
  return [`${category}:`, message, ...rest]
    .filter((part) => part !== '')
    .join(' ')
    .slice(0, 2 * MOST_CHARACTERS)
}
