import type { EndedRequest } from '../../http/route-name.ts'
import type { CallRecord } from '../../mcp/call/call-tool.ts'
import type { ServiceLoad } from '../../service/index.ts'
import type { IngestCounts } from '../../service/errors/ingest/index.ts'

/** What is read at the moment when a collector asks. */
export interface MetricSources {
  mcp(this: void): { sessions: number; streams: number }
  /** Without it, there is no embedded service. */
  service?: (() => ServiceLoad) | undefined
}

/** Counts what a server does, in memory. */
export interface Metrics {
  request(this: void, request: EndedRequest): void
  call(this: void, record: CallRecord): void
  ingest: IngestCounts
  /** From here on these are read as well. */
  watch(this: void, sources: MetricSources): void
  read(this: void): Promise<{ contentType: string; text: string }>
}

/** Those of OpenTelemetry for HTTP, and for MCP. */
const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const callSeconds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30]

/** Others are counted as one, because anybody can make up a method. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/**
 * The metrics of one process (decision 116). Labels have values from our own lists alone: nothing that a sender named, no
 * ids and no tokens.
 */
export async function createMetrics(): Promise<Metrics> {
  // Its members are named by assignments that a bundle does not see.
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = (await import('prom-client')).default
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 20 })
  const requests = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time of HTTP requests by method, class of address and status (0: the peer left before the response).',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: requestSeconds,
    registers,
  })
  const calls = new Histogram({
    name: 'mcp_server_operation_duration_seconds',
    help: 'Time of calls of tools and of resources that are calls of tools.',
    labelNames: ['mcp_method_name', 'gen_ai_tool_name'],
    buckets: callSeconds,
    registers,
  })
  const outcomes = new Counter({
    name: 'tracegate_tool_calls_total',
    help: 'Calls of tools by outcome: ok, cancelled, or the code of the error that the agent got.',
    labelNames: ['gen_ai_tool_name', 'outcome'],
    registers,
  })
  const ingested = new Counter({
    name: 'tracegate_ingest_requests_total',
    help: 'Requests of SDKs by outcome: ok, or why they were refused.',
    labelNames: ['outcome'],
    registers,
  })
  const stored = new Counter({
    name: 'tracegate_ingest_events_total',
    help: 'Events that SDKs sent and that are on disk.',
    registers,
  })
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })

  function watchService(load: () => ServiceLoad): void {
    gauge('tracegate_database_writes', 'Writes that run or wait for their turn.', () => load().database.writes)
    gauge('tracegate_ingest_waiting_bytes', 'Bytes of events that are not on disk yet.', () => load().ingestBytes)
    gauge('tracegate_rest_streams', 'Streams of agent runs that are being read.', () => load().streams)
    if (load().database.connections === undefined) return
    const connections = new Gauge({
      name: 'db_client_connection_count',
      help: 'Connections that read from the database.',
      labelNames: ['db_client_connection_state'],
      registers,
      collect() {
        const { open = 0, idle = 0 } = load().database.connections ?? {}
        this.set({ db_client_connection_state: 'idle' }, idle)
        this.set({ db_client_connection_state: 'used' }, open - idle)
      },
    })
    connections.reset()
    const pool = () => load().database.connections
    gauge('db_client_connection_max', 'The most connections that read.', () => pool()?.max ?? 0)
    gauge('db_client_connection_pending_requests', 'Reads that wait for a connection.', () => pool()?.waiting ?? 0)
  }

  return {
    request({ method, route, status, seconds }) {
      const known = methods.has(method) ? method : '_OTHER'
      const labels = { http_request_method: known, http_route: route, http_response_status_code: String(status) }
      requests.observe(labels, seconds)
    },
    call({ tool, outcome, durationMs }) {
      const method = tool.includes('://') ? 'resources/read' : 'tools/call'
      calls.observe({ mcp_method_name: method, gen_ai_tool_name: tool }, durationMs / 1000)
      outcomes.inc({ gen_ai_tool_name: tool, outcome })
    },
    ingest: {
      answered: (outcome) => ingested.inc({ outcome }),
      stored: (events) => stored.inc(events),
    },
    watch({ mcp, service }) {
      gauge('tracegate_mcp_sessions', 'Sessions of 2025 clients that this process serves.', () => mcp().sessions)
      gauge('tracegate_mcp_streams', 'Open streams on which clients listen for changes.', () => mcp().streams)
      if (service !== undefined) watchService(service)
    },
    read: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  }
}
