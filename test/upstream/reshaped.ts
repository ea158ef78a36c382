import { replyText, type Send, type WireReply, type WireRequest } from '../../src/contract/base/wire.ts'
import { lossless } from './reshapings/lossless.ts'
import { lossy } from './reshapings/lossy.ts'
import { findCall, type Call, type Reshaping, type Reshapings } from './reshaping.ts'

/** Every reshaping by its name. */
const reshapings: Reshapings = { ...lossless, ...lossy }
const order = Object.keys(reshapings)

/**
 * A deployment that differs from `send` by the named reshapings: `reshaped(app.service.direct, 'camelCase', 'int64')`. They
 * are applied in the order of their tables, whatever the order of the names. Throws for a name that is unknown.
 */
export function reshaped(send: Send, ...names: readonly string[]): Send {
  const steps = chosen(names)
  if (steps.length === 0) return send
  return async (request) => {
    const prefix = steps.find((step) => step.prefix !== undefined)?.prefix ?? ''
    const call = findCall({ ...request, url: request.url.replace(`${prefix}/v1/`, '/v1/') })
    if (call === undefined) return await send(request)
    let wire = call.request
    for (const step of steps) {
      const next = step.request?.(wire, call) ?? wire
      if ('status' in next) return next
      wire = next
    }
    if (call.endpoint.stream !== undefined) return reshapedStream(steps, await send(asLines(wire)), call)
    return await reshapedReply(steps, await send(wire), call)
  }
}

/** The base address of the deployment that the reshapings make of the one at `origin`. */
export function baseAddress(origin: string, names: readonly string[]): string {
  return origin + (chosen(names).find(({ prefix }) => prefix !== undefined)?.prefix ?? '')
}

function chosen(names: readonly string[]): Reshaping[] {
  for (const name of names) {
    if (reshapings[name] === undefined) throw new Error(`no reshaping ${name}; there are ${order.join(', ')}`)
  }
  return [...names]
    .sort((one, other) => order.indexOf(one) - order.indexOf(other))
    .map((name) => reshapings[name] ?? { sentence: '' })
}

/** The request for a stream as lines of JSON. */
function asLines(request: WireRequest): WireRequest {
  return { ...request, headers: { ...request.headers, accept: 'application/x-ndjson' } }
}

/** A stream whose items are reshaped like answers, as they come. */
function reshapedStream(steps: readonly Reshaping[], reply: WireReply, call: Call): WireReply {
  const { body } = reply
  if (typeof body === 'string' || body instanceof Uint8Array) return reply
  return { ...reply, body: reshapedLines(steps, body, call) }
}

/** The service writes each line as one piece. */
async function* reshapedLines(steps: readonly Reshaping[], body: AsyncIterable<Uint8Array>, call: Call) {
  for await (const line of body) {
    const item = JSON.parse(Buffer.from(line).toString()) as { result?: unknown }
    if (item.result !== undefined)
      item.result = steps.reduce((answer, step) => step.answer?.(answer, call) ?? answer, item.result)
    yield Buffer.from(`${JSON.stringify(item)}\n`)
  }
}

async function reshapedReply(steps: readonly Reshaping[], reply: WireReply, call: Call): Promise<WireReply> {
  let body = await replyText(reply)
  if (reply.status < 300 && body !== '') {
    const parsed: unknown = JSON.parse(body)
    body = JSON.stringify(steps.reduce((answer, step) => step.answer?.(answer, call) ?? answer, parsed))
  }
  let last: WireReply = { ...reply, body }
  for (const step of steps) {
    if (step.reply !== undefined) last = step.reply({ ...last, body: await replyText(last) }, call)
  }
  return last
}
