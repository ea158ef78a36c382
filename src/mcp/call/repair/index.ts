import type * as z from 'zod'
import { isObject } from '../../../lib/objects.ts'
import { asksForPage, ignorable, namesProduct, nearest, findParameter, wrapped } from './keys.ts'
import { change, nameShown, type RepairKind } from './notes.ts'
import { inputPlan, type Parameter, type Plan } from './plan.ts'
import { absent, parseJson, repairValue, type Reading } from './value.ts'
import { describeValue } from '../../result/teach.ts'

export interface Repaired {
  /** The value for the strict schema; the identical value if nothing was repaired. */
  args: unknown
  /** One short sentence per repair, for the agent: shapes and plain words, never pasted text. */
  notes: readonly string[]
  kinds: readonly RepairKind[]
  /** Names of members that the tool does not have, which are not applied. */
  ignored?: string
  /** Additions to an error message, by parameter or key. */
  hints: ReadonlyMap<string, string>
}

export interface RepairedCall {
  /** The tool writes: only conversions that keep the meaning are made, and no key is ignored. */
  writes: boolean
  /** The server is pinned to one product, so naming a product is an error and never ignored. */
  pinned: boolean
  /** The pinned product, for the error. */
  product?: string | undefined
}

const KEYS_NAMED = 5
/** More unknown keys than this are not typing mistakes. */
const SLIPS = 20

/**
 * Converts arguments as models send them into what a tool's schema accepts (mcp §4). Whatever cannot be repaired is kept
 * unchanged, so that the schema refuses it. Never throws.
 */
export function repair(schema: z.ZodObject, raw: unknown, call: RepairedCall): Repaired {
  if (isEmpty(raw)) return { args: raw, notes: [], kinds: [], hints: noHints }
  const plan = inputPlan(schema)
  const log: Log = { notes: [], kinds: new Set(), hints: new Map(), unknown: 0 }
  const given = unwrap(plan, raw, log)
  const args = isObject(given) ? repairMembers(plan, given, call, log) : given
  const { notes, kinds, hints, ignored } = log
  return { args: kinds.size === 0 ? raw : args, notes, kinds: [...kinds], hints, ...(ignored && { ignored }) }
}

const noHints: ReadonlyMap<string, string> = new Map()

function isEmpty(raw: unknown): boolean {
  return isObject(raw) && Object.keys(raw).length === 0
}

interface Log {
  ignored?: string
  notes: string[]
  kinds: Set<RepairKind>
  hints: Map<string, string>
  /** Number of unknown keys so far. */
  unknown: number
}

function unwrap(plan: Plan, raw: unknown, log: Log): unknown {
  const given = readObject(raw, 'arguments', log)
  const box = isObject(given) ? wrapped(plan, given) : undefined
  if (box === undefined) return given
  const before = log.notes.length
  const inner = readObject(box.inner, box.key, log)
  if (!isObject(inner)) {
    log.hints.set(box.key, 'the parameters themselves, as one JSON object')
    return given
  }
  if (log.notes.length === before) log.notes.push(`${box.key}: unwrapped`)
  log.kinds.add('unwrap')
  return inner
}

function readObject(value: unknown, name: string, log: Log): unknown {
  if (typeof value !== 'string') return value
  const parsed = value.trim() === '' ? {} : parseJson(value)
  if (!isObject(parsed)) return value
  log.notes.push(change(name, value, parsed))
  log.kinds.add('json')
  return parsed
}

function repairMembers(
  plan: Plan,
  given: Record<string, unknown>,
  call: RepairedCall,
  log: Log,
): Record<string, unknown> {
  // Collected in a Map: assigning a key named __proto__ would change the prototype.
  const members = new Map<string, unknown>()
  const ignored: string[] = []
  for (const [key, value] of Object.entries(given)) {
    const parameter = findParameter(plan, key)
    if (parameter === undefined) {
      if (isIgnored(plan, key, call, log)) ignored.push(key)
      else members.set(key, value)
    } else if (key !== parameter.name && (Object.hasOwn(given, parameter.name) || members.has(parameter.name))) {
      log.hints.set(key, `pass it once: ${nameShown(key)} means ${parameter.name}, which is also given`)
      members.set(key, value)
    } else {
      readMember(parameter, { key, value, writes: call.writes }, members, log)
    }
  }
  if (ignored.length > 0) {
    log.ignored = keysShown(ignored)
    log.kinds.add('ignored')
  }
  return Object.fromEntries(members)
}

function readMember(
  parameter: Parameter,
  { key, value, writes }: { key: string; value: unknown; writes: boolean },
  members: Map<string, unknown>,
  log: Log,
): void {
  const { name } = parameter
  if (key !== name) {
    log.notes.push(`${nameShown(key)} -> ${name}`)
    log.kinds.add('word')
  }
  const reading: Reading = { writes, done: new Set() }
  const read = repairValue(parameter, value, reading)
  if (read !== absent) members.set(name, read)
  if (reading.hint !== undefined) log.hints.set(name, reading.hint)
  if (reading.done.size === 0) return
  for (const kind of reading.done) log.kinds.add(kind)
  // What was empty said nothing, so there is nothing to say of it.
  if (read !== absent) log.notes.push(change(name, value, read))
}

function isIgnored(plan: Plan, key: string, { writes, pinned, product }: RepairedCall, log: Log): boolean {
  if (pinned && namesProduct(key)) {
    const which = product === undefined ? 'one product' : describeValue(product)
    log.hints.set(key, `no ${nameShown(key)}: this server is pinned to ${which}`)
    return false
  }
  if (asksForPage(key) && plan.parameters.has('cursor')) {
    log.hints.set(key, 'pages go by cursor: send next_cursor of the page before as cursor')
    return false
  }
  const near = log.unknown > SLIPS ? undefined : nearest(plan, key)
  log.unknown += 1
  if (near !== undefined) log.hints.set(key, `${near} instead of ${nameShown(key)}`)
  return near === undefined && !writes && ignorable(key)
}

/** The first keys and the number of others, as text. */
export function keysShown(keys: readonly string[]): string {
  const more = keys.length > KEYS_NAMED ? ` and ${String(keys.length - KEYS_NAMED)} more` : ''
  return keys.slice(0, KEYS_NAMED).map(nameShown).join(', ') + more
}
