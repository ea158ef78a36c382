import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** A span as a collector gets it. */
export interface Collected {
  name: string
  /** 2: server, 3: client. */
  kind: number
  traceId: string
  spanId: string
  parentSpanId?: string
  links?: { traceId: string }[]
  attributes: Record<string, string | number>
  /** Bit 9: the parent is in another process. */
  flags: number
  isError: boolean
  service: string
}

export interface Collector extends AsyncDisposable {
  /** The value of OTEL_EXPORTER_OTLP_ENDPOINT. */
  endpoint: string
  spans: Collected[]
  /** The texts of all requests. */
  texts: string[]
  headers: IncomingHttpHeaders[]
}

interface Attribute {
  key: string
  value: { stringValue?: string; intValue?: number | string }
}

interface Exported {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: {
      spans: (Omit<Collected, 'attributes' | 'isError' | 'service'> & {
        attributes: Attribute[]
        status?: { code?: number }
      })[]
    }[]
  }[]
}

/** Receives OTLP as JSON on a loopback port. */
export async function collectSpans(): Promise<Collector> {
  const [spans, texts, headers]: [Collected[], string[], IncomingHttpHeaders[]] = [[], [], []]
  const server = createServer((incoming, outgoing) => {
    void json(incoming).then((body) => {
      texts.push(JSON.stringify(body))
      headers.push(incoming.headers)
      spans.push(...readSpans(body as Exported))
      outgoing.setHeader('content-type', 'application/json').end('{}')
    })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return {
    endpoint: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    spans,
    texts,
    headers,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

function readSpans({ resourceSpans }: Exported): Collected[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(plain(resource.attributes)['service.name'])
    return scopeSpans.flatMap(({ spans }) =>
      spans.map(({ attributes, status, ...span }) => ({
        ...span,
        attributes: plain(attributes),
        isError: status?.code === 2,
        service,
      })),
    )
  })
}

function plain(attributes: readonly Attribute[]): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)] as const),
  )
}
