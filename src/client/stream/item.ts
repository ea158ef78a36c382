import type * as z from 'zod'
import type { Endpoint, StreamFacts } from '../../contract/base/endpoint.ts'
import { ServiceError } from '../../errors.ts'
import { isObject, type JsonObject } from '../../lib/objects.ts'
import { readAnswer } from '../reader/index.ts'
import { readMember } from '../reader/read-schema.ts'
import type { StreamPart } from './parts.ts'
import type { Item } from './place.ts'

/** An endpoint whose response is a stream. */
export type StreamEndpoint = Endpoint<z.ZodRawShape, z.ZodRawShape, StreamFacts>

const wrappers = ['result', 'data', 'response']

/**
 * Compiles the function that reads the parts of an endpoint's stream. It returns the item of a part, or undefined for a
 * text that was cut off and for an event with an unknown name, such as a ping. Gateways wrap each item, usually in
 * `result`, and end a failed stream with `error`, for which the function throws what `failed` returns. Throws
 * `upstream_shape_unknown` for anything else.
 */
export function compilePartReader(endpoint: StreamEndpoint, failed: (text: string) => Error) {
  const { member, number, eventName, resync } = endpoint.stream
  const resyncs = { returns: endpoint.returns.pick({ [resync.member]: true }) }

  return function read(part: StreamPart): Item | undefined {
    const json = parse(part)
    if (part.name === 'error' || isError(json)) throw failed(part.text)
    if (json === undefined) return undefined
    const value = unwrapped(json)
    const bare = part.name === resync.member ? value : undefined
    const told = isObject(value) ? (readMember(value, resync.member) ?? bare) : undefined
    if (isObject(told)) return readAnswer(resyncs, { [resync.member]: told })
    try {
      return numbered(readAnswer(endpoint, value), part)
    } catch (error) {
      if (isOther(part)) return undefined
      throw error
    }
  }

  /** The value inside wrappers. Members of an item are never treated as wrappers: outsiders may have written them. */
  function unwrapped(json: unknown): unknown {
    if (!isObject(json) || holdsItem(json)) return json
    const inner = wrappers.map((name) => json[name]).find(isObject)
    return inner === undefined ? json : unwrapped(inner)
  }

  /** Whether the object is an item or has one as a member, or a resync. */
  function holdsItem(json: JsonObject): boolean {
    return [member, number, resync.member, 'id'].some((name) => readMember(json, name) !== undefined)
  }

  function parse(part: StreamPart): unknown {
    try {
      return JSON.parse(part.text)
    } catch (cause) {
      if (part.isCut || part.name === 'error' || isOther(part)) return undefined
      throw new ServiceError('upstream_shape_unknown', 'the stream is not JSON', { cause })
    }
  }

  /** Whether the part has a name that is not in the contract. If it is an item after all, its number will be missing. */
  function isOther({ name }: StreamPart): boolean {
    return name !== '' && name !== eventName && name !== resync.member
  }

  function isError(json: unknown): boolean {
    return isObject(json) && json['error'] !== undefined && json['error'] !== null && !holdsItem(json)
  }

  /** The item, with the id of its event as its number if it has none. */
  function numbered(item: Item, { id }: StreamPart): Item {
    const value = item[member]
    if (!/^\d{1,15}$/.test(id) || !isObject(value) || value[number] !== undefined) return item
    return { ...item, [member]: { ...value, [number]: Number(id) } }
  }
}
