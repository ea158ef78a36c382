import type { Endpoint } from '../../src/contract/base/endpoint.ts'
import type { WireReply, WireRequest } from '../../src/contract/base/wire.ts'
import { contract, type EndpointName } from '../../src/contract/index.ts'

/** One call of an endpoint of the table, as a reshaping sees it. */
export interface Call {
  name: EndpointName
  endpoint: Endpoint
  request: WireRequest
}

/** A reply whose whole body was read. */
export interface WholeReply extends WireReply {
  body: string
}

/** One difference between a deployment and the embedded service. Each step is optional. */
export interface Reshaping {
  /** What such a deployment does, in one sentence. */
  sentence: string
  /** The request that the service gets, or the reply to a request that it never gets. */
  request?(this: void, request: WireRequest, call: Call): WireRequest | WireReply
  /** The JSON of a reply below 300. */
  answer?(this: void, answer: unknown, call: Call): unknown
  /** The reply with the body that the steps before it left. */
  reply?(this: void, reply: WholeReply, call: Call): WireReply
  /** What the base address ends with. */
  prefix?: string
}

export type Reshapings = Readonly<Record<string, Reshaping>>

const routes = (Object.keys(contract) as EndpointName[]).map((name) => {
  const endpoint: Endpoint = contract[name]
  return { name, endpoint, path: new RegExp(`^${endpoint.path.replaceAll(/\{[^}]+\}/g, '[^/:]+')}$`) }
})

/** The endpoint that a request is for; undefined for anything else, such as the upload of a file. */
export function findCall(request: WireRequest): Call | undefined {
  const { pathname } = new URL(request.url)
  const route = routes.find(({ endpoint, path }) => endpoint.method === request.method && path.test(pathname))
  return route && { name: route.name, endpoint: route.endpoint, request }
}

/** A reply with a JSON body. */
export function jsonReply(status: number, body: unknown): WireReply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}
