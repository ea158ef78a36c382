import { setTimeout as sleep } from 'node:timers/promises'
import type * as Api from '@opentelemetry/api'
import type * as Sdk from '@opentelemetry/sdk-trace'
import type { Log } from '../../log.ts'
import type { TraceContext } from '../../lib/trace/context.ts'
import type { SpanFacts, Span, Tracing } from '../../lib/trace/span.ts'
import { version } from '../../version.ts'
import type { Variables } from '../support/io.ts'
import { readTraceSettings, type Sampling, type TraceSettings } from './trace-settings.ts'

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
  const settings = readTraceSettings(env, log)
  if (settings === undefined) return undefined
  const { endpoint: url, protocol, serviceName, sampler, batching } = settings
  const report = reporter(log, 'traces cannot be exported; check OTEL_EXPORTER_OTLP_ENDPOINT')
  const reportLoss = reporter(log, 'some spans were lost: the collector did not take them, or the queue was full')
  if (!isWebAddress(url)) {
    report()
    return undefined
  }
  const [api, sdk, { resourceFromAttributes, detectResources, envDetector }, exporter] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
    createExporter(protocol, url),
  ])
  api.diag.setLogger(
    {
      error: report,
      warn: (...words: unknown[]) => words.some(isLoss) && reportLoss(),
      info: () => {},
      debug: () => {},
      verbose: () => {},
    },
    { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
  const resource = resourceFromAttributes({ 'service.name': 'tracegate' })
    .merge(detectResources({ detectors: [envDetector] }))
    .merge(
      resourceFromAttributes({
        'service.version': version,
        ...(serviceName !== undefined && { 'service.name': serviceName }),
      }),
    )
  const provider = new sdk.TracerProvider({
    resource,
    sampler: createSampler(sampler, sdk),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter, ...batching })],
  })
  const tracer = provider.getTracer('tracegate', version)
  // Backends take a span whose parent is in another process for the beginning of the work of this one.
  const made = new WeakSet<TraceContext>()

  const { createTraceState } = api

  function begin({ name, kind, attributes, parent, link }: SpanFacts): Span {
    const parentContext =
      parent === undefined
        ? api.ROOT_CONTEXT
        : api.trace.setSpanContext(
            api.ROOT_CONTEXT,
            spanContext(parent, { isRemote: !made.has(parent), createTraceState }),
          )
    const links = link === undefined ? [] : [{ context: spanContext(link, { isRemote: true, createTraceState }) }]
    const span = tracer.startSpan(
      name,
      { kind: kind === 'server' ? api.SpanKind.SERVER : api.SpanKind.CLIENT, attributes, links },
      parentContext,
    )
    const context = traceContext(span)
    made.add(context)
    return {
      context,
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

function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}

/** Headers, time limit, compression and certificates are read by the exporter, from the same variables. */
async function createExporter(protocol: TraceSettings['protocol'], url: string) {
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto')
  return new OTLPTraceExporter({ url })
}

function createSampler({ root, isByParent, ratio }: Sampling, sdk: typeof Sdk): Sdk.Sampler {
  const roots: Readonly<Record<Sampling['root'], () => Sdk.Sampler>> = {
    always_on: () => new sdk.AlwaysOnSampler(),
    always_off: () => new sdk.AlwaysOffSampler(),
    traceidratio: () => new sdk.TraceIdRatioBasedSampler(ratio),
  }
  const sampler = roots[root]()
  return isByParent ? new sdk.ParentBasedSampler({ root: sampler }) : sampler
}

/** Says that spans do not arrive, now and then, and without what the exporter says: it may name headers. */
function reporter(log: Log, message: string): () => void {
  let last = -Infinity
  return () => {
    if (performance.now() - last < REPORT_EVERY_MS) return
    last = performance.now()
    log({ level: 'warn', message })
  }
}

/** How the SDK begins what it says when a collector takes only some spans, or more come than the queue has room for. */
function isLoss(words: unknown): boolean {
  return typeof words === 'string' && /^(?:Received Partial Success|Dropped \d+ spans)/.test(words)
}

function spanContext(
  { traceparent, tracestate }: TraceContext,
  { isRemote, createTraceState }: { isRemote: boolean } & Pick<typeof Api, 'createTraceState'>,
): Api.SpanContext {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-')
  return {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote,
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  }
}

function traceContext(span: Api.Span): TraceContext {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext()
  const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
  const tracestate = traceState?.serialize()
  return tracestate === undefined || tracestate === '' ? { traceparent } : { traceparent, tracestate }
}
