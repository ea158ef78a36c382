import { pino, type DestinationStream } from 'pino'
import type { Config } from './config.ts'

export interface Entry {
  level: 'info' | 'warn' | 'error'
  message: string
}

/** Where the lines of a log go. */
export type LogDestination = DestinationStream

/** Writes one entry with any additional facts. */
export type Log = <E extends Entry>(entry: E) => void

/**
 * The program's log: JSON lines on stderr, written synchronously, because stdout carries JSON-RPC and a crash must not
 * lose the last line. Control characters, tokens, presigned queries and DSN keys never get in (mcp §8.4).
 */
export function createLog(level: Config['logLevel'], destination: LogDestination = openStderr()): Log {
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination)
  return ({ level: severity, message, ...facts }) => {
    if (!logger.isLevelEnabled(severity)) return
    const safe = Object.entries(facts).map(([name, fact]) => [name, redacted(name, fact)])
    logger[severity](Object.fromEntries(safe), clean(message))
  }
}

/** Where nothing can be written, as on a full disk, lines are lost: no call fails because of its log. */
function openStderr(): LogDestination {
  const destination = pino.destination({ dest: 2, sync: true, maxLength: longestBacklog })
  destination.on('error', () => undefined)
  return destination
}

/** What may wait to be written: later lines are dropped. */
const longestBacklog = 1_000_000
/** Longer stacks are cut: the rest is data. */
const longestFact = 4000
const secretNames = /^(?:authorization|cookie|token|secret|password|dsn)$/i

function redacted(name: string, fact: unknown): unknown {
  if (secretNames.test(name)) return '[redacted]'
  return typeof fact === 'string' ? clean(fact).slice(0, longestFact) : fact
}

/** The text without characters that could forge a line on a terminal, and without credentials. */
function clean(text: string): string {
  return (
    text
      .replace(/\bBearer\s+\S+/gi, 'Bearer [redacted]')
      .replace(/\btg_[A-Za-z0-9]{16,}/g, '[redacted]')
      .replace(/([?&](?:signature|svc_key|sentry_key|t)=)[^&\s"]+/gi, '$1[redacted]')
      .replace(/\/\/[^/\s@]+@/g, '//[redacted]@')
      // oxlint-disable-next-line no-control-regex -- the rule is about exactly these characters
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g, '')
  )
}
