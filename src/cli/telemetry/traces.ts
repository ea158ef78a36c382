import { setTimeout as sleep } from 'node:timers/promises'
import type * as Api from '@opentelemetry/api'
import type * as Sdk from '@opentelemetry/sdk-trace'
import type { Log } from '../../log.ts'
import type { TraceContext } from '../../lib/trace/context.ts'
import type { SpanFacts, Span, Tracing } from '../../lib/trace/span.ts'
import { version } from '../../version.ts'
import type { Variables } from '../support/io.ts'

/** How long the last spans may take to be sent when the process ends. */
const FLUSH_MS = 2_000
/** A collector that is away is reported this often. */
const REPORT_EVERY_MS = 60_000

/** Spans that are exported; `close` sends what is left. */
export interface OpenTracing extends Tracing {
  close(this: void): Promise<void>
}

/**
 * Exports spans by OTLP over HTTP as the standard variables of OpenTelemetry say. Undefined where they name no endpoint, or
 * none that can be reached: then none of its code is loaded (decision 117).
 */
export async function openTracing(env: Variables, log: Log): Promise<OpenTracing | undefined> {
  const url = endpoint(env)
  if (url === undefined) return undefined
  const report = reporter(log)
  if (!isWebAddress(url)) {
    report()
    return undefined
  }
  const [api, sdk, { resourceFromAttributes, detectResources, envDetector }, exporter] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
    createExporter(env, url),
  ])
  api.diag.setLogger(
    { error: report, warn: () => {}, info: () => {}, debug: () => {}, verbose: () => {} },
    { logLevel: api.DiagLogLevel.ERROR, suppressOverrideMessage: true },
  )
  const name = env['OTEL_SERVICE_NAME']?.trim() || 'tracegate'
  const resource = detectResources({ detectors: [envDetector] }).merge(
    resourceFromAttributes({ 'service.name': name, 'service.version': version }),
  )
  const provider = new sdk.TracerProvider({
    resource,
    sampler: createSampler(env, sdk, log),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter, ...batching(env) })],
  })
  const tracer = provider.getTracer('tracegate', version)

  function begin({ name, kind, attributes, parent, link }: SpanFacts): Span {
    const parentContext =
      parent === undefined
        ? api.ROOT_CONTEXT
        : api.trace.setSpanContext(api.ROOT_CONTEXT, spanContext(parent, api.createTraceState))
    const links = link === undefined ? [] : [{ context: spanContext(link, api.createTraceState) }]
    const span = tracer.startSpan(
      name,
      { kind: kind === 'server' ? api.SpanKind.SERVER : api.SpanKind.CLIENT, attributes, links },
      parentContext,
    )
    return {
      context: traceContext(span),
      end({ error, attributes = {} } = {}) {
        span.setAttributes(attributes)
        if (error !== undefined) span.setAttribute('error.type', error).setStatus({ code: api.SpanStatusCode.ERROR })
        span.end()
      },
    }
  }

  async function close(): Promise<void> {
    await Promise.race([provider.shutdown().catch(report), sleep(FLUSH_MS, undefined, { ref: false })])
  }
  return { begin, close }
}

/** Where traces go; undefined if nothing says so, or they are switched off. */
function endpoint(env: Variables): string | undefined {
  const isOff = env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none'
  const own = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']?.trim() ?? ''
  const shared = env['OTEL_EXPORTER_OTLP_ENDPOINT']?.trim() ?? ''
  if (isOff || own + shared === '') return undefined
  return own === '' ? `${shared.replace(/\/+$/, '')}/v1/traces` : own
}

function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}

/** Headers, time limit, compression and certificates are read by the exporter, from the same variables. */
async function createExporter(env: Variables, url: string) {
  const protocol = env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] ?? env['OTEL_EXPORTER_OTLP_PROTOCOL']
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto')
  return new OTLPTraceExporter({ url })
}

function createSampler(env: Variables, sdk: typeof Sdk, log: Log): Sdk.Sampler {
  const ratio = Number(env['OTEL_TRACES_SAMPLER_ARG'] ?? 1)
  const roots: Readonly<Record<string, () => Sdk.Sampler>> = {
    always_on: () => new sdk.AlwaysOnSampler(),
    always_off: () => new sdk.AlwaysOffSampler(),
    traceidratio: () => new sdk.TraceIdRatioBasedSampler(ratio),
  }
  const named = env['OTEL_TRACES_SAMPLER']?.trim() || 'parentbased_always_on'
  const byParent = named.startsWith('parentbased_')
  const root = roots[named.replace(/^parentbased_/, '')]?.()
  if (root === undefined) {
    log({ level: 'warn', message: 'OTEL_TRACES_SAMPLER is not one of the samplers; every trace is recorded' })
    return new sdk.AlwaysOnSampler()
  }
  return byParent ? new sdk.ParentBasedSampler({ root }) : root
}

function batching(env: Variables) {
  const delay = Number(env['OTEL_BSP_SCHEDULE_DELAY'])
  return delay > 0 ? { scheduledDelayMillis: delay } : {}
}

/** Says that spans do not arrive, now and then, and without what the exporter says: it may name headers. */
function reporter(log: Log): () => void {
  let last = -Infinity
  return () => {
    if (performance.now() - last < REPORT_EVERY_MS) return
    last = performance.now()
    log({ level: 'warn', message: 'traces cannot be exported; check OTEL_EXPORTER_OTLP_ENDPOINT' })
  }
}

function spanContext(
  { traceparent, tracestate }: TraceContext,
  createTraceState: typeof Api.createTraceState,
): Api.SpanContext {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-')
  return {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  }
}

function traceContext(span: Api.Span): TraceContext {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext()
  const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
  const tracestate = traceState?.serialize()
  return tracestate === undefined || tracestate === '' ? { traceparent } : { traceparent, tracestate }
}
