/** An entry of the operator's log: never bodies, tokens, queries or text from events. */
export interface LogEntry {
  level: 'info' | 'warn' | 'error'
  message: string
  requestId?: string
  /** Method and path template, or the name of a background job. */
  where?: string
  status?: number
  durationMs?: number
  /** The stack of an unexpected error. */
  error?: string
}

export type Log = (entry: LogEntry) => void
