import type { NormalEvent } from '../../event/event.ts'
import { LONGEST_ENTRY } from '../../grouping/fingerprint.ts'
import { isObject, type JsonObject } from '../../../../lib/objects.ts'
import { boundedObject, mapBounds } from './bounded.ts'
import { keepFirst, keepLast, onlyObjects, readList, readObject, readScalar, readText } from './read.ts'
import type { Signals } from './signals.ts'
import { readMoment } from './time.ts'

const BREADCRUMBS = 100
const TAGS = 200
const IMAGES = 500
const MODULES = 1_000
const FINGERPRINTS = 32

/** Breadcrumbs (`{ values }` or a bare list): the newest hundred, oldest first as sent. */
export function readBreadcrumbs(value: unknown, drift: number, signals: Signals): NormalEvent['breadcrumbs'] {
  const member = 'breadcrumbs'
  const sent = onlyObjects(readList(value, member, signals), member, signals)
  return keepLast(sent, BREADCRUMBS, member, signals).map((crumb) => ({
    timestamp: readMoment(crumb.timestamp, `${member}.timestamp`, drift, signals),
    category: readText(crumb.category, `${member}.category`, 128, signals),
    level: readText(crumb.level, `${member}.level`, 32, signals),
    message: readScalar(crumb.message, `${member}.message`, 2_048, signals),
    data: boundedObject(readObject(crumb.data, `${member}.data`, signals), `${member}.data`, mapBounds, signals),
  }))
}

/** Tags from an object, a list of pairs, or a list of `{ key, value }`; values are strings, numbers or booleans. */
export function readTags(value: unknown, signals: Signals): NormalEvent['tags'] {
  const tags: NormalEvent['tags'] = []
  for (const [key, content] of firstPairs(value, TAGS, 'tags', signals)) {
    if (content === null || content === undefined) continue
    if (typeof content === 'object') signals.note('tags', 'type', 0, 1)
    else tags.push({ key: readScalar(key, 'tags', 200, signals), value: readScalar(content, 'tags', 200, signals) })
  }
  return tags
}

/** The first pairs; of a large object no others are made, which would take tens of milliseconds. */
function firstPairs(value: unknown, max: number, member: string, signals: Signals): [unknown, unknown][] {
  if (!isObject(value)) return keepFirst(readPairs(value, member, signals), max, member, signals)
  return keepFirst(Object.keys(value), max, member, signals).map((key) => [key, value[key]])
}

function readPairs(value: unknown, member: string, signals: Signals): [unknown, unknown][] {
  if (isObject(value)) return Object.entries(value)
  if (!Array.isArray(value)) {
    if (value !== undefined && value !== null) signals.note(member, 'type', 0, 1)
    return []
  }
  const pairs: [unknown, unknown][] = []
  for (const entry of value as unknown[]) {
    if (Array.isArray(entry) && typeof entry[0] === 'string') pairs.push([entry[0], entry[1]])
    else if (isObject(entry) && typeof entry.key === 'string') pairs.push([entry.key, entry.value])
    else if (entry !== null) signals.note(member, 'type', 0, 1)
  }
  return pairs
}

/** The web request; headers as object or pairs, the query as text, object or pairs. */
export function readRequest(value: unknown, signals: Signals): NormalEvent['request'] {
  const request = readObject(value, 'request', signals)
  const headers: JsonObject = Array.isArray(request.headers)
    ? Object.fromEntries(readPairs(request.headers, 'request.headers', signals))
    : readObject(request.headers, 'request.headers', signals)
  return {
    method: readText(request.method, 'request.method', 32, signals),
    url: readText(request.url, 'request.url', 2_048, signals),
    headers: boundedObject(headers, 'request.headers', mapBounds, signals),
    query_string: readText(queryText(request.query_string, signals), 'request.query_string', 2_048, signals),
  }
}

function queryText(value: unknown, signals: Signals): unknown {
  if (typeof value !== 'object' || value === null) return value
  const query = new URLSearchParams()
  for (const [key, content] of readPairs(value, 'request.query_string', signals))
    query.append(String(key), readScalar(content, 'request.query_string', 2_048, signals))
  return query.toString()
}

/** Installed modules and their versions, as text. */
export function readModules(value: unknown, signals: Signals): Record<string, string> {
  const entries = Object.entries(readObject(value, 'modules', signals))
  const modules: [string, string][] = []
  for (const [name, version] of keepFirst(entries, MODULES, 'modules', signals))
    modules.push([readText(name, 'modules', 200, signals), readScalar(version, 'modules', 200, signals)])
  return Object.fromEntries(modules)
}

/** The grouping override; empty when the SDK sends none. */
export function readFingerprint(value: unknown, signals: Signals): string[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) {
    signals.note('fingerprint', 'type', 0, 1)
    return []
  }
  const parts = (value as unknown[]).filter((part) => part !== null && typeof part !== 'object')
  if (parts.length < value.length) signals.note('fingerprint', 'type', parts.length, value.length)
  return keepFirst(parts, FINGERPRINTS, 'fingerprint', signals).map((part) =>
    readScalar(part, 'fingerprint', LONGEST_ENTRY, signals),
  )
}

/** `debug_meta.images`: which source map belongs to which file. */
export function readDebugImages(value: unknown, signals: Signals): NormalEvent['debug_images'] {
  const { images } = readObject(value, 'debug_images', signals)
  const sent = onlyObjects(readList(images, 'debug_images', signals), 'debug_images', signals)
  return keepFirst(sent, IMAGES, 'debug_images', signals).map((image) => ({
    type: readText(image.type, 'debug_images.type', 64, signals),
    code_file: readText(image.code_file, 'debug_images.code_file', 2_048, signals),
    debug_id: readText(image.debug_id, 'debug_images.debug_id', 64, signals).toLowerCase(),
  }))
}

/** Name and version of the SDK, from the payload, else from the envelope. */
export function readSdk(value: unknown, fallback: unknown, signals: Signals): NormalEvent['sdk'] {
  const own = readObject(value, 'sdk', signals)
  const sdk = typeof own.name === 'string' || !isObject(fallback) ? own : fallback
  return {
    name: readText(sdk.name, 'sdk.name', 128, signals),
    version: readScalar(sdk.version, 'sdk.version', 64, signals),
  }
}
