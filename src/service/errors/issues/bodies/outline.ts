import { isObject, type JsonObject } from '../../../../lib/objects.ts'

/** Members that say something about the program and nothing about the people who use it. */
const ofTheProgram = new Set([
  'frames',
  'sdk',
  'modules',
  'debug_meta',
  'platform',
  'release',
  'environment',
  'runtime',
  'os',
])
/** Members whose texts are one of a few words. */
const words = new Set([
  'type',
  'category',
  'level',
  'op',
  'method',
  'http.method',
  'transaction',
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
  return JSON.stringify(shape(payload, '', MOST_DEPTH))
}

function shape(value: unknown, name: string, depth: number): unknown {
  if (name === 'frames' && Array.isArray(value)) return value.map(withoutVariables)
  if (ofTheProgram.has(name)) return value
  if (typeof value === 'string') return words.has(name) ? value : (host.exec(value)?.[0] ?? '')
  if (typeof value === 'number') return 0
  if (depth === 0) return null
  if (Array.isArray(value)) {
    return value.slice(0, name === 'values' ? MOST_STACKS : MOST_ENTRIES).map((entry) => shape(entry, '', depth - 1))
  }
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shape(member, key, depth - 1)]))
}

function withoutVariables(frame: unknown): unknown {
  if (!isObject(frame)) return null
  const { vars: _vars, ...rest } = frame
  return rest
}
