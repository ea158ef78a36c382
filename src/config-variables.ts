import { homedir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import envPaths from 'env-paths'
import * as z from 'zod'
import { isLoopback } from './lib/network/loopback.ts'

/** The groups that tools are offered in; `all` selects every group. */
export const toolsets = [
  'default',
  'requirements',
  'tests',
  'branches',
  'setup',
  'releases',
  'agents',
  'approvals',
  'sourcemaps',
  'ingest_dev',
] as const

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const
/** Which confirmations count, from the fewest ways to the most (mcp §7.2). */
export const confirmModes = ['page', 'ask', 'handle'] as const
export type ConfirmMode = (typeof confirmModes)[number]

export const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

/** `true`, `1`, `yes`, `on` and their opposites, in any case. */
const Switch = z.stringbool({ error: 'use true or false' })

/** A host name as in a `Host` header without the port, or a full origin. */
const AllowedHost = z.string().transform((text, context) => {
  const isOrigin = /^https?:\/\//i.test(text)
  const url = URL.parse(isOrigin ? text : `http://${text}`)
  if (
    url === null ||
    url.pathname !== '/' ||
    url.search !== '' ||
    url.username + url.password !== '' ||
    text.endsWith('/')
  ) {
    const isBelowPath = isOrigin && url !== null && url.pathname !== '/'
    context.addIssue({
      code: 'custom',
      message: isBelowPath
        ? `"${text}" has a path: Tracegate needs a host name or a port of its own, such as https://quality.example`
        : `"${text}" is neither a host name nor an origin such as https://quality.example`,
    })
    return z.NEVER
  }
  return { hostname: url.hostname, ...(isOrigin ? { origin: url.origin } : {}) }
})

const BaseUrl = z.string().transform((text, context) => {
  const url = URL.parse(text)
  const refuse = (message: string) => {
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  }
  if (url === null || !/^https?:$/.test(url.protocol)) return refuse('use a full URL such as https://quality.example')
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    return refuse('remove user name, query and fragment; the token has its own variable')
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return refuse(
      'use https://: over http:// anyone on the network could read the token (http is allowed for loopback only)',
    )
  }
  const path = url.pathname.replace(/\/+$/, '')
  if (path.endsWith('/v1')) return refuse(`remove /v1: ${url.origin}${path.slice(0, -3)}`)
  return url.origin + path
})

const DatabaseUrl = z.string().regex(/^postgres(?:ql)?:\/\//, 'use postgres://…, or leave it unset for SQLite')

const toolsetNames: readonly string[] = [...toolsets, 'all']
const ToolsetName = z.string().refine((name) => toolsetNames.includes(name), {
  error: ({ input }) => `unknown ${JSON.stringify(input)}; use ${toolsetNames.join(', ')}`,
})

/** Every setting by its variable, with its default (contributing "Configuration"). */
export const Environment = z.object({
  TRACEGATE_API_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'a token contains no spaces or line breaks')
    .optional(),
  TRACEGATE_BASE_URL: BaseUrl.optional(),
  TRACEGATE_PRODUCT: z.string().optional(),
  TRACEGATE_TOOLSETS: z.preprocess(words, z.array(ToolsetName).default(['default'])),
  TRACEGATE_READ_ONLY: Switch.default(false),
  TRACEGATE_CONFIRM: z.enum(confirmModes, { error: `use one of ${confirmModes.join(', ')}` }).default('ask'),
  TRACEGATE_DATA_DIR: z.string().default(defaultDataDir).transform(absolute),
  TRACEGATE_DATABASE_URL: DatabaseUrl.optional(),
  TRACEGATE_DATABASE_LISTEN_URL: DatabaseUrl.optional(),
  TRACEGATE_ALLOWED_HOSTS: z.preprocess(words, z.array(AllowedHost).default([])),
  TRACEGATE_ROOTS: z.preprocess(
    (text) => (typeof text === 'string' ? text.split(delimiter).filter((path) => path !== '') : text),
    z
      .array(z.string())
      .default(() => [process.cwd()])
      .transform((paths) => paths.map(absolute)),
  ),
  TRACEGATE_NEW_ISSUES_PER_HOUR: z.coerce
    .number({ error: 'use a whole number; 0 is no limit' })
    .int('use a whole number; 0 is no limit')
    .min(0, 'use a whole number; 0 is no limit')
    .default(200),
  TRACEGATE_METRICS_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{16,}$/, 'use at least 16 characters without spaces, for example from: openssl rand -hex 32')
    .optional(),
  TRACEGATE_LOG_LEVEL: z.enum(logLevels, { error: `use one of ${logLevels.join(', ')}` }).default('info'),
  TRACEGATE_SECRET: z.string().min(32, 'use at least 32 characters, for example from: openssl rand -hex 32').optional(),
})

/** The platform's data directory. */
export function defaultDataDir(): string {
  return envPaths('tracegate', { suffix: '' }).data
}

/** A path from the working directory, or with `~` from the home: a client's settings have no shell that replaces it. */
function absolute(path: string): string {
  return /^~(?:[/\\]|$)/.test(path) ? join(homedir(), path.slice(1)) : resolve(path)
}

/** Splits a comma-separated list; values that are not text are left to the schema. */
function words(text: unknown): unknown {
  if (typeof text !== 'string') return text
  const list = text.split(',').map((word) => word.trim())
  return list.filter((word) => word !== '')
}
