import { homedir } from 'node:os'
import * as z from 'zod'
import type { Environment } from './config-variables.ts'

export const commands = [
  'stdio',
  'serve',
  'init',
  'install',
  'call',
  'sourcemaps',
  'report',
  'gate',
  'admin',
  'confirm',
  'approve',
  'review',
  'backup',
  'restore',
  'move',
  'doctor',
  'help',
  'version',
] as const
export type Command = (typeof commands)[number]

const oneLine = [/^\P{Cc}*$/u, 'no line breaks or other control characters'] as const
const text = (most: number, what: string) =>
  z
    .string()
    .trim()
    .min(1, what)
    .regex(...oneLine)
    .max(most, `at most ${String(most)} characters`)
    .optional()

/** The flags that have no environment variable. */
export const FlagValues = z.object({
  host: z.string().trim().min(1, 'use an address of this machine, such as 127.0.0.1').default('127.0.0.1'),
  port: z
    .string()
    .regex(/^\d{1,5}$/, 'use a number, 0 for any free port')
    .transform(Number)
    .refine((port) => port <= 65_535, 'a port is at most 65535')
    .optional(),
  url: z.string().max(2000, 'at most 2000 characters').optional(),
  release: text(250, 'use a version such as shop@1.4.0'),
  dist: z
    .string()
    .trim()
    .max(64, 'at most 64 characters')
    .regex(...oneLine)
    .optional(),
  'url-prefix': z
    .string()
    .max(500, 'at most 500 characters')
    .regex(...oneLine)
    // The shell expands an unquoted ~/ to this, and no server serves a home directory.
    .refine((prefix) => prefix !== `${homedir()}/`, 'the shell expanded ~/ to your home directory: quote it')
    .transform((prefix) => (prefix.endsWith('/') ? prefix : `${prefix}/`))
    .optional(),
  environment: text(64, 'use a name such as ci'),
  branch: text(250, 'use the git branch that was tested'),
  commit: z
    .string()
    .regex(/^[0-9a-f]{7,64}$/i, 'use the hash of the tested commit, at least 7 characters')
    .optional(),
  'run-key': text(200, 'use a name that all reports of the run share'),
  name: text(80, 'use the name of the product'),
  'key-prefix': z
    .string()
    .regex(/^[A-Z][A-Z0-9]{1,9}$/, 'use 2 to 10 capitals or digits, a capital first, such as SHOP')
    .optional(),
  repository: z
    .url({ protocol: /^https?$/, error: 'use the web address of the repository' })
    .max(2000)
    .optional(),
  baseline: text(128, 'use the id of an earlier verdict'),
  allow: z.enum(['inconclusive', 'warn-only'], { error: 'use inconclusive or warn-only' }).optional(),
  timeout: z
    .string()
    .regex(/^\d{1,5}$/, 'use a number of seconds')
    .transform(Number)
    .default(60),
  format: z
    .enum(['text', 'github', 'markdown', 'json', 'html', 'junit', 'sarif'], {
      error: 'use text, github, markdown, json, html, junit or sarif',
    })
    .default('text'),
  output: text(1000, 'use the path of a file'),
  email: z.email('use the address of the person').optional(),
  user: text(80, 'use the name of a person; see: tracegate admin user list'),
  scopes: text(200, 'use names of scopes, separated by commas'),
  expires: z
    .string()
    .regex(/^[1-9]\d{0,3}[hdw]$/, 'use a duration such as 12h, 30d or 8w')
    .optional(),
  to: z
    .string()
    .regex(/^postgres(?:ql)?:\/\//, 'use the address of a PostgreSQL database, postgres://…')
    .optional(),
  root: text(500, 'use the folder that the paths in the reports begin with'),
  scope: z.enum(['user', 'project'], { error: 'use user or project' }).optional(),
})

/** Flags that set an environment variable. */
export const flagVariables = {
  product: 'TRACEGATE_PRODUCT',
  toolsets: 'TRACEGATE_TOOLSETS',
  'read-only': 'TRACEGATE_READ_ONLY',
  data: 'TRACEGATE_DATA_DIR',
  'base-url': 'TRACEGATE_BASE_URL',
  'api-token': 'TRACEGATE_API_TOKEN',
  confirm: 'TRACEGATE_CONFIRM',
  'database-url': 'TRACEGATE_DATABASE_URL',
  'database-listen-url': 'TRACEGATE_DATABASE_LISTEN_URL',
  'allowed-hosts': 'TRACEGATE_ALLOWED_HOSTS',
  roots: 'TRACEGATE_ROOTS',
  'new-issues-per-hour': 'TRACEGATE_NEW_ISSUES_PER_HOUR',
  'log-level': 'TRACEGATE_LOG_LEVEL',
  secret: 'TRACEGATE_SECRET',
  'metrics-token': 'TRACEGATE_METRICS_TOKEN',
} as const satisfies Readonly<Record<string, keyof typeof Environment.shape>>

export const flagTypes = {
  product: { type: 'string' },
  toolsets: { type: 'string' },
  'read-only': { type: 'boolean' },
  // --read-only with a value, which is how a client fills in a setting.
  'read-only-is': { type: 'string' },
  data: { type: 'string' },
  'base-url': { type: 'string' },
  'api-token': { type: 'string' },
  confirm: { type: 'string' },
  'database-url': { type: 'string' },
  'database-listen-url': { type: 'string' },
  'allowed-hosts': { type: 'string' },
  roots: { type: 'string' },
  'new-issues-per-hour': { type: 'string' },
  'log-level': { type: 'string' },
  secret: { type: 'string' },
  'metrics-token': { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
  sample: { type: 'boolean' },
  json: { type: 'boolean' },
  url: { type: 'string' },
  release: { type: 'string' },
  dist: { type: 'string' },
  'url-prefix': { type: 'string' },
  environment: { type: 'string' },
  branch: { type: 'string' },
  commit: { type: 'string' },
  'run-key': { type: 'string' },
  root: { type: 'string' },
  baseline: { type: 'string' },
  allow: { type: 'string' },
  timeout: { type: 'string' },
  format: { type: 'string' },
  output: { type: 'string' },
  to: { type: 'string' },
  email: { type: 'string' },
  user: { type: 'string' },
  agent: { type: 'boolean' },
  ci: { type: 'boolean' },
  server: { type: 'boolean' },
  scopes: { type: 'string' },
  expires: { type: 'string' },
  name: { type: 'string' },
  'key-prefix': { type: 'string' },
  repository: { type: 'string' },
  'dry-run': { type: 'boolean' },
  'requirement-tags': { type: 'boolean' },
  'no-requirement-tags': { type: 'boolean' },
  write: { type: 'boolean' },
  scope: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const

export type Flag = keyof typeof flagTypes

const settings = Object.keys(flagVariables) as (keyof typeof flagVariables)[]
const everywhere: readonly Flag[] = [...settings, 'help', 'version']
/** For commands on the data of the embedded service. */
const local: readonly Flag[] = ['data', 'database-url', 'database-listen-url', 'secret', 'log-level', 'help', 'version']
const allFlags = Object.keys(flagTypes) as Flag[]
/** The flags that each command accepts. */
export const commandFlags: Readonly<Record<Command, readonly Flag[]>> = {
  stdio: everywhere,
  serve: [...everywhere, 'host', 'port', 'sample'],
  init: [...everywhere, 'host', 'port', 'name', 'key-prefix', 'repository', 'dry-run'],
  install: [...everywhere, 'url', 'scope', 'write'],
  call: [...everywhere, 'json', 'url'],
  sourcemaps: [...everywhere, 'release', 'dist', 'url-prefix'],
  report: [
    ...everywhere,
    'release',
    'environment',
    'branch',
    'commit',
    'url',
    'run-key',
    'root',
    'requirement-tags',
    'no-requirement-tags',
  ],
  gate: [
    ...everywhere,
    'release',
    'environment',
    'commit',
    'branch',
    'baseline',
    'allow',
    'timeout',
    'format',
    'output',
  ],
  approve: [...local, 'base-url', 'product', 'release', 'environment'],
  review: [...local, 'base-url', 'product', 'release', 'environment'],
  admin: [
    ...local,
    'product',
    'key-prefix',
    'repository',
    'name',
    'email',
    'user',
    'agent',
    'ci',
    'scopes',
    'expires',
    'server',
    'host',
    'port',
  ],
  confirm: everywhere,
  backup: local,
  restore: local,
  move: [...local, 'to'],
  doctor: [...everywhere, 'host', 'port'],
  help: allFlags,
  version: allFlags,
}
