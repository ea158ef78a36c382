import type * as z from 'zod'
import type { Command, FlagValues } from './config-flags.ts'
import type { ConfirmMode, logLevels } from './config-variables.ts'

/** A mistake in the environment or the flags. Its message names the variable and the fix; nothing else is printed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

export interface Config {
  command: Command
  /** The words after the command: the tool of `call` and its arguments, the files of `report`, the folder of `init`. */
  operands: readonly string[]
  apiToken?: string
  /** Without `/v1` and without a trailing slash; undefined runs the embedded service. */
  baseUrl?: string
  /** The proxy that HTTPS_PROXY names, and the hosts that NO_PROXY excepts. */
  proxy?: { address: string; except: string }
  /** Pins one product, by id or exact name. */
  product?: string
  toolsets: readonly string[]
  readOnly: boolean
  /** Which confirmations of a person count. */
  confirm: ConfirmMode
  dataDir: string
  /** A PostgreSQL database; without it, SQLite in the data directory. */
  databaseUrl?: string
  /** The address of its server itself, where `databaseUrl` leads to a pooler of transactions. */
  databaseListenUrl?: string
  /** Host names without ports that requests may use; always includes the loopback names. */
  allowedHosts: readonly string[]
  /** Our public origin behind a proxy: the first full origin in TRACEGATE_ALLOWED_HOSTS. */
  origin?: string
  /** Absolute folders that reports and source maps may be read from. */
  roots: readonly string[]
  /** New issues that events may start in a product in an hour; 0 is no limit. */
  newIssuesPerHour: number
  logLevel: (typeof logLevels)[number]
  secret?: string
  /** What a collector of metrics has to show. */
  metricsToken?: string
  host: string
  /** Without it, the one that the data directory keeps, else the usual one (`portFor`). */
  port?: number
  sample: boolean
  /** `init`: the product's name, the prefix of its issues' keys, the web address of its repository. */
  name?: string
  keyPrefix?: string
  repository?: string
  /** `init`: only show what would be done. */
  dryRun: boolean
  /** `call`: print the structured form instead of the text. */
  json: boolean
  /** `call`: the MCP address to call instead of a child process. */
  url?: string
  /** The version of the minified files (`sourcemaps`), or the tested version (`report`). */
  release?: string
  /** `sourcemaps`: which of several builds of one version. */
  dist?: string
  /** `sourcemaps`: the prefix of the files' paths in stack frames. */
  urlPrefix?: string
  /** `report`: where the tests ran. */
  environment?: string
  /** `report`: the tested git branch; not a quality branch. */
  gitBranch?: string
  commit?: string
  /** `report`: reports with the same key belong to one run. */
  runKey?: string
  /** `report`: the folder that is removed from the paths in the reports. */
  root?: string
  /** `report`: the web page of the CI run. */
  ciUrl?: string
  /** `report`: link tests to the requirements in their names and tags. */
  requirementTags: boolean
  /** `gate`: an earlier verdict; only what is new since it fails. */
  baseline?: string
  /** `gate`: what does not fail the job yet. */
  allow?: 'inconclusive' | 'warn-only'
  /** `gate`: how long to wait for missing shards. */
  timeoutSeconds: number
  /** `gate`: how the verdict is printed, and the file that it is written to. */
  format: z.output<typeof FlagValues>['format']
  output?: string
  /** `admin`: the address of a new person, and whose token is made. */
  email?: string
  user?: string
  /** `admin token add`: the kind of the token, its scopes by commas, and how long it is valid (`30d`). */
  tokenKind: 'person' | 'agent' | 'ci'
  scopes?: string
  expires?: string
  /** `move`: the address of the PostgreSQL database. */
  to?: string
  /** `admin key add`: a server key, which vouches for what comes with it. */
  serverKey: boolean
  /** `install`: change the client's file, of which scope. */
  write: boolean
  scope?: 'user' | 'project'
  /** The settings that were given, by variable: what a process that this one starts needs. */
  settings: Readonly<Record<string, string>>
  /** The names, as given, of settings that a client passed on as `${…}`; they count as unset. */
  unresolved: readonly string[]
}
