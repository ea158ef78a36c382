import type * as Sdk from '@opentelemetry/sdk-trace'
import type { Log } from '../../log.ts'
import type { Variables } from '../support/io.ts'

/** The standard variables of OpenTelemetry that its SDK leaves to us: an empty one is unset, one that is not valid is ignored. */
export interface TraceSettings {
  /** Where traces go. */
  endpoint: string
  protocol: 'http/json' | 'http/protobuf'
  /** Undefined where only OTEL_RESOURCE_ATTRIBUTES may name the service. */
  serviceName: string | undefined
  sampler: Sampling
  batching: Omit<Sdk.BatchSpanProcessorOptions, 'exporter'>
}

export interface Sampling {
  root: 'always_on' | 'always_off' | 'traceidratio'
  /** Whether a parent that names a decision has decided. */
  isByParent: boolean
  /** For `traceidratio`. */
  ratio: number
}

/**
 * Reads them; says in the log which are ignored, without their values. Undefined if no endpoint is named, or traces are
 * switched off.
 */
export function readTraceSettings(env: Variables, log: Log): TraceSettings | undefined {
  const endpoint = readEndpoint(env)
  if (endpoint === undefined || isOff(env)) return undefined
  const ignore = (name: string, instead: string) =>
    log({ level: 'warn', message: `${name} has no value that is supported; ${instead}` })
  return {
    endpoint,
    protocol: protocol(env, ignore),
    serviceName: given(env, 'OTEL_SERVICE_NAME'),
    sampler: sampling(env, ignore),
    batching: batching(env, ignore),
  }
}

type Ignore = (name: string, instead: string) => void

function given(env: Variables, name: string): string | undefined {
  return env[name]?.trim() || undefined
}

function isOff(env: Variables): boolean {
  const isDisabled = given(env, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true'
  return isDisabled || given(env, 'OTEL_TRACES_EXPORTER')?.toLowerCase() === 'none'
}

function readEndpoint(env: Variables): string | undefined {
  const shared = given(env, 'OTEL_EXPORTER_OTLP_ENDPOINT')
  return given(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? (shared && `${shared.replace(/\/+$/, '')}/v1/traces`)
}

function protocol(env: Variables, ignore: Ignore): TraceSettings['protocol'] {
  const names = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL']
  const name = names.find((one) => given(env, one) !== undefined)
  if (name === undefined) return 'http/protobuf'
  const value = given(env, name)?.toLowerCase()
  if (value === 'http/json' || value === 'http/protobuf') return value
  ignore(name, 'http/protobuf is used')
  return 'http/protobuf'
}

const roots = ['always_on', 'always_off', 'traceidratio'] as const
const ARGUMENT = 'OTEL_TRACES_SAMPLER_ARG'

function sampling(env: Variables, ignore: Ignore): Sampling {
  const named = given(env, 'OTEL_TRACES_SAMPLER')?.toLowerCase() ?? 'parentbased_always_on'
  const isByParent = named.startsWith('parentbased_')
  const root = roots.find((one) => one === named.replace(/^parentbased_/, ''))
  if (root === undefined) {
    ignore('OTEL_TRACES_SAMPLER', 'parentbased_always_on is used')
    return { root: 'always_on', isByParent: true, ratio: 1 }
  }
  const ratio = Number(given(env, ARGUMENT) ?? 1)
  if (ratio >= 0 && ratio <= 1) return { root, isByParent, ratio }
  if (root === 'traceidratio') ignore(ARGUMENT, 'the ratio is 1')
  return { root, isByParent, ratio: 1 }
}

const batchNumbers = {
  scheduledDelayMillis: 'OTEL_BSP_SCHEDULE_DELAY',
  exportTimeoutMillis: 'OTEL_BSP_EXPORT_TIMEOUT',
  maxQueueSize: 'OTEL_BSP_MAX_QUEUE_SIZE',
  maxExportBatchSize: 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
} as const

function batching(env: Variables, ignore: Ignore): TraceSettings['batching'] {
  const numbers = Object.entries(batchNumbers).flatMap(([option, name]) => {
    const value = given(env, name)
    if (value === undefined) return []
    if (/^[1-9]\d{0,8}$/.test(value)) return [[option, Number(value)]]
    ignore(name, 'the usual number is used')
    return []
  })
  return Object.fromEntries(numbers) as TraceSettings['batching']
}
