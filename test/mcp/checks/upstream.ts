import * as z from 'zod'
import type { Api } from '../../../src/client/api.ts'
import { Capabilities } from '../../../src/client/capabilities/capabilities.ts'
import { createApi } from '../../../src/client/client.ts'
import type { EndpointName } from '../../../src/contract/index.ts'
import { textMark, type TextMark } from '../../../src/contract/base/text.ts'
import type { Send, WireReply } from '../../../src/contract/base/wire.ts'
import { findCall, jsonReply } from '../../upstream/reshaping.ts'

export const upstreamOrigin = 'https://quality.example'

/** How long lists and texts are in what an upstream makes up. */
export interface Sizes {
  /** Items of a list of plain things, of a list whose items hold lists, of a list within a list, of one further in. */
  flat: number
  nested: number
  inner: number
  deep: number
  /** `mark` says who wrote the text; undefined for the service itself. */
  text(this: void, name: string, depth: number, mark: TextMark | undefined): string
  /** Whether the deployment says that members vouch for names and files; by default it does. */
  vouches?: boolean
}

/** A deployment that answers every endpoint with all that the contract allows, as much of it as the sizes say. */
export function fullUpstream(sizes: Sizes): Send {
  const replies = new Map<EndpointName, WireReply>()
  return (request) => {
    const call = findCall(request)
    if (call === undefined) return Promise.resolve(jsonReply(404, { code: 5 }))
    const { name, endpoint } = call
    const reply = replies.get(name) ?? jsonReply(200, made(endpoint.returns, '', { index: 0, depth: 0, sizes }))
    replies.set(name, reply)
    return Promise.resolve(reply)
  }
}

/** A client of such a deployment. It trusts filters: rows that are made up fit none, as if filters were ignored. */
export function madeUpApi(send: Send): Api {
  const capabilities = new Capabilities({ isComplete: true })
  return createApi({ send, baseUrl: upstreamOrigin, token: 'tg_x', retries: 0, capabilities })
}

interface Place {
  index: number
  depth: number
  sizes: Sizes
  /** Of the schema around it: a mark may be on a wrapper. */
  mark?: TextMark | undefined
}

function made(schema: z.core.$ZodType, name: string, { mark, ...around }: Place): unknown {
  const place = { ...around, mark: textMark(schema) ?? mark }
  const { def } = (schema as z.core.$ZodTypes)._zod
  // oxlint-disable-next-line switch-exhaustiveness-check -- the kinds that results have
  switch (def.type) {
    case 'string':
      return textFor(name, place)
    case 'number':
      return name === 'page_size' ? 50 : 1_234_567
    case 'boolean':
      return /known$|^exists_in/.test(name) ? (place.sizes.vouches ?? true) : true
    case 'enum':
      return Object.values(def.entries)[0]
    case 'literal':
      return def.values[0]
    case 'nullable':
    case 'optional':
    case 'default':
      return made(def.innerType, name, place)
    case 'array':
      return makeList(def.element, name, place)
    case 'tuple':
      return def.items.map((item) => made(item, name, place))
    case 'object':
      return Object.fromEntries(Object.entries(def.shape).map(([key, member]) => [key, made(member, key, around)]))
    case 'record':
      return Object.fromEntries(['a', 'b', 'c'].map((key) => [key, made(def.valueType, key, place)]))
    case 'union':
      return made(def.options[0] ?? schema, name, place)
    case 'pipe':
      return made(def.in, name, place)
    default:
      return place.sizes.text(name, place.depth, place.mark)
  }
}

function makeList(element: z.core.$ZodType, name: string, { depth, sizes }: Place): unknown[] {
  const holdsLists = JSON.stringify(
    z.toJSONSchema(element as z.ZodType, { io: 'input', unrepresentable: 'any' }),
  ).includes('"array"')
  const outer = holdsLists ? sizes.nested : sizes.flat
  // Everything is read of every workspace: one is enough.
  const count = name === 'workspaces' ? 1 : ([outer, sizes.inner][depth] ?? sizes.deep)
  return Array.from({ length: count }, (_, index) => made(element, name, { index, depth: depth + 1, sizes }))
}

function textFor(name: string, { index, depth, sizes, mark }: Place): string {
  if (name === 'id') return `i${String(index)}`
  if (name.endsWith('_id')) return 'i0'
  if (name.endsWith('token')) return name === 'next_page_token' ? 'next' : ''
  if (/(?:_at|_seen|^at|^timestamp|^from|^to)$/.test(name)) return '2026-11-21T10:11:12.131Z'
  if (name === 'key_prefix' || name === 'short_id') return ''
  return sizes.text(name, depth, mark)
}
