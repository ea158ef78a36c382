import * as z from 'zod'
import { listMethods, type Era, type OpeningMethod } from './lists.ts'

/** The revisions with `initialize` that a client can ask for. */
const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const
const MODERN_VERSION = '2026-07-28'
const META = 'io.modelcontextprotocol/'

// Strict, so that whatever these schemas do not know is left to the server.
const Anything = z.record(z.string(), z.unknown())
const Sampling = z.strictObject({ context: Anything.optional(), tools: Anything.optional() })
const Form = z.strictObject({ applyDefaults: z.boolean().optional() })
const Capabilities = z.strictObject({
  roots: z.strictObject({ listChanged: z.boolean().optional() }).optional(),
  sampling: Sampling.optional(),
  elicitation: z.strictObject({ form: Form.optional(), url: Anything.optional() }).optional(),
  experimental: z.record(z.string(), Anything).optional(),
  extensions: z.record(z.string(), Anything).optional(),
})
const ClientInfo = z.strictObject({
  name: z.string(),
  version: z.string(),
  title: z.string().optional(),
  websiteUrl: z.string().optional(),
  description: z.string().optional(),
})
const Envelope = z.strictObject({
  [`${META}protocolVersion`]: z.literal(MODERN_VERSION),
  [`${META}clientInfo`]: ClientInfo,
  [`${META}clientCapabilities`]: Capabilities,
})
const request = { jsonrpc: z.literal('2.0'), id: z.union([z.string(), z.int()]) }

const Initialize = z.strictObject({
  ...request,
  method: z.literal('initialize'),
  params: z.strictObject({
    protocolVersion: z.enum(LEGACY_VERSIONS),
    capabilities: Capabilities,
    clientInfo: ClientInfo,
  }),
})
const LegacyList = z.strictObject({
  ...request,
  method: z.enum(listMethods),
  params: z.strictObject({}).optional(),
})
const Modern = z.strictObject({
  ...request,
  method: z.enum(['server/discover', ...listMethods]),
  params: z.strictObject({ _meta: Envelope }),
})
const Initialized = z.strictObject({
  jsonrpc: z.literal('2.0'),
  method: z.literal('notifications/initialized'),
  params: z.strictObject({}).optional(),
})

export type RequestId = string | number

/** A message of the opening exchange. */
export interface OpeningRequest {
  id: RequestId
  era: Era
  method: OpeningMethod
  /** Of `initialize`: the revision that the client asks for, which the server has. */
  protocolVersion?: string
}

/**
 * Reads a line from a client whose era is `era`, undefined before its first request. Returns undefined for everything
 * that is not exactly what is known, or comes at another time: the server decides about it.
 */
export function readOpening(line: string, era: Era | undefined): OpeningRequest | 'initialized' | undefined {
  const message = parsed(line)
  if (era === undefined) {
    const { data } = Initialize.safeParse(message)
    if (data !== undefined) return { ...asRequest(data, 'legacy'), protocolVersion: data.params.protocolVersion }
  }
  if (era === 'legacy') {
    if (Initialized.safeParse(message).success) return 'initialized'
    const { data } = LegacyList.safeParse(message)
    return data && asRequest(data, 'legacy')
  }
  const { data } = Modern.safeParse(message)
  return data && asRequest(data, 'modern')
}

/** The `_meta` of a request of 2026-07-28, from a client without capabilities. */
export function requestEnvelope(clientInfo: { name: string; version: string }): Record<string, unknown> {
  return {
    [`${META}protocolVersion`]: MODERN_VERSION,
    [`${META}clientInfo`]: clientInfo,
    [`${META}clientCapabilities`]: {},
  }
}

function asRequest({ id, method }: { id: RequestId; method: OpeningMethod }, era: Era): OpeningRequest {
  return { id, era, method }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
