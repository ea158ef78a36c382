import { isObject, type JsonObject } from '../../../../lib/objects.ts'

/** Members of an event that say something about the program and nothing about the people who use it. */
const ofTheProgram = new Set(['sdk', 'modules', 'debug_meta', 'platform', 'release', 'environment'])
/** Contexts that SDKs write about the program. */
const contextsOfTheProgram = new Set(['runtime', 'os'])
/** Members that hold what applications and their users write. */
const free = new Set(['extra', 'tags', 'user', 'data', 'vars'])
/** Members whose texts are one of a few words. */
const words = new Set([
  'type',
  'category',
  'level',
  'op',
  'method',
  'http.method',
  'logger',
  'accept',
  'accept-encoding',
  'accept-language',
  'connection',
  'content-type',
  'host',
  'user-agent',
])
/** The host of an address; what follows may name a person. */
const host = /^https?:\/\/[^/?#@]*(?:\/|$)/
/** Entries of a list that are enough to show what the others look like. */
const MOST_ENTRIES = 12
/** Entries of the lists that hold stacks. */
const MOST_STACKS = 50
/** Deeper members differ from event to event. */
const MOST_DEPTH = 8

/**
 * The text that events of one place in the code share, made from the payload of one of them: its code, and the names of all
 * members in their order. Values of members that are not about the program are left out, so that nothing of a person stays
 * when the event is removed.
 */
export function outline(payload: JsonObject): string {
  return JSON.stringify(mapMembers(payload, outlineMember))
}

function outlineMember(value: unknown, name: string): unknown {
  if (ofTheProgram.has(name)) return value
  if (name !== 'contexts' || !isObject(value)) return shape(value, { name, within: '', isFree: false }, MOST_DEPTH - 1)
  const place = { name: '', within: name, isFree: true }
  return mapMembers(value, (context, kind) =>
    contextsOfTheProgram.has(kind) ? context : shape(context, place, MOST_DEPTH - 2),
  )
}

interface Place {
  name: string
  /** The name of the member around it. */
  within: string
  /** Whether applications decide what is there. */
  isFree: boolean
}

function shape(value: unknown, { name, within, isFree }: Place, depth: number): unknown {
  if (name === 'frames' && within === 'stacktrace' && !isFree && Array.isArray(value))
    return value.map(withoutVariables)
  if (typeof value === 'string') return words.has(name) && !isFree ? value : (host.exec(value)?.[0] ?? '')
  if (typeof value === 'number') return 0
  if (depth === 0) return null
  const inside = { within: name, isFree: isFree || free.has(name) }
  if (Array.isArray(value)) {
    const most = name === 'values' ? MOST_STACKS : MOST_ENTRIES
    return value.slice(0, most).map((entry) => shape(entry, { ...inside, name: '' }, depth - 1))
  }
  if (!isObject(value)) return value
  return mapMembers(value, (member, key) => shape(member, { ...inside, name: key }, depth - 1))
}

function mapMembers(object: JsonObject, map: (value: unknown, name: string) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value, name)]))
}

function withoutVariables(frame: unknown): unknown {
  if (!isObject(frame)) return null
  const { vars: _vars, ...rest } = frame
  return rest
}
