import type { TraceContext } from './context.ts'

/** A piece of work in a trace. */
export interface Span {
  /** What the work passes on. */
  readonly context: TraceContext
  /** `error` is a class of failures, never a text. A second call does nothing. */
  end(this: void, outcome?: { error?: string | undefined; attributes?: Attributes }): void
}

export type Attributes = Readonly<Record<string, string | number>>

export interface SpanFacts {
  name: string
  kind: 'server' | 'client'
  attributes: Attributes
  parent?: TraceContext | undefined
  /** Another position that it belongs to. */
  link?: TraceContext | undefined
}

/** Records spans; there is none where no exporter is configured. */
export interface Tracing {
  begin(this: void, facts: SpanFacts): Span
}
