import { parseArgs } from 'node:util'
import type * as z from 'zod'
import {
  commands,
  commandFlags,
  flagTypes,
  FlagValues,
  flagVariables,
  type Command,
  type Flag,
} from './config-flags.ts'
import { Environment, isLoopback, loopbackNames, type ConfirmMode, type logLevels } from './config-variables.ts'

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
  host: string
  port: number
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
}

/**
 * The configuration of one run. Flags win over variables, variables over defaults. An empty variable counts as unset. Throws
 * `ConfigError` with one line per mistake.
 */
export function readConfig(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): Config {
  const { command, operands, flags } = readArguments(argv)
  // Help must work even if the environment is invalid.
  const given = command === 'help' || command === 'version' ? {} : env
  const set = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined && value.trim() !== ''),
  )
  for (const [flag, variable] of Object.entries(flagVariables)) {
    const value = flags[flag as Flag]
    if (value !== undefined) set[variable] = String(value)
  }
  const variables = parsed(Environment, set, (name) => flagFor(name, flags))
  const values = parsed(FlagValues, flags, (name) => `--${name}`)
  const {
    host,
    port,
    url,
    branch,
    'url-prefix': urlPrefix,
    'run-key': runKey,
    'key-prefix': keyPrefix,
    timeout: timeoutSeconds,
    format,
    ...named
  } = values
  const hosts = variables.TRACEGATE_ALLOWED_HOSTS
  const config: Config = {
    command,
    operands,
    ...defined({
      ...named,
      apiToken: variables.TRACEGATE_API_TOKEN,
      baseUrl: variables.TRACEGATE_BASE_URL,
      product: variables.TRACEGATE_PRODUCT,
      databaseUrl: variables.TRACEGATE_DATABASE_URL,
      databaseListenUrl: variables.TRACEGATE_DATABASE_LISTEN_URL,
      origin: hosts.find(({ origin }) => origin !== undefined)?.origin,
      secret: variables.TRACEGATE_SECRET,
      url: command === 'call' ? url : undefined,
      ciUrl: command === 'report' ? url : undefined,
      gitBranch: branch,
      urlPrefix,
      runKey,
      keyPrefix,
    }),
    toolsets: variables.TRACEGATE_TOOLSETS,
    readOnly: variables.TRACEGATE_READ_ONLY,
    confirm: variables.TRACEGATE_CONFIRM,
    dataDir: variables.TRACEGATE_DATA_DIR,
    allowedHosts: [...new Set([...loopbackNames, ...hosts.map(({ hostname }) => hostname)])],
    roots: variables.TRACEGATE_ROOTS,
    newIssuesPerHour: variables.TRACEGATE_NEW_ISSUES_PER_HOUR,
    logLevel: variables.TRACEGATE_LOG_LEVEL,
    host,
    port,
    timeoutSeconds,
    format,
    tokenKind: flags.agent === true ? 'agent' : flags.ci === true ? 'ci' : 'person',
    serverKey: flags.server === true,
    sample: flags.sample === true,
    json: flags.json === true,
    dryRun: flags['dry-run'] === true,
    requirementTags: flags['no-requirement-tags'] !== true,
  }
  checkTogether(config, hosts.length > 0)
  return config
}

type GivenFlags = Partial<Record<Flag, string | boolean>>

/** Commands that never use the operator's token: each caller or person brings their own. */
const typesToken: readonly Command[] = ['serve', 'confirm', 'approve']

/** Commands that accept operands. */
const takesOperands: readonly Command[] = [
  'admin',
  'approve',
  'init',
  'call',
  'sourcemaps',
  'report',
  'confirm',
  'backup',
  'restore',
  'help',
]

/** Commands on the data of the embedded service. */
const local: readonly Command[] = ['admin', 'backup', 'restore', 'move']

function readArguments(argv: readonly string[]): { command: Command; operands: string[]; flags: GivenFlags } {
  let values: GivenFlags
  let positionals: string[]
  try {
    ;({ values, positionals } = parseArgs({ args: [...argv], options: flagTypes, allowPositionals: true }))
  } catch (error) {
    // The first sentence names the flag and the mistake; the rest of the message is about the parseArgs API.
    const [sentence = ''] = (error instanceof Error ? error.message : '').split('. ')
    throw new ConfigError(`${sentence}; see: tracegate help`)
  }
  const [word = 'stdio', ...operands] = positionals
  const command =
    values.help === true ? 'help' : values.version === true ? 'version' : commands.find((name) => name === word)
  if (command === undefined) throw new ConfigError(`unknown command "${word}"; use ${commands.join(', ')}`)
  if (operands.length > 0 && !takesOperands.includes(command)) {
    throw new ConfigError(`${command} does not accept "${operands.join(' ')}"; see: tracegate help`)
  }
  if (values['requirement-tags'] === true && values['no-requirement-tags'] === true) {
    throw new ConfigError('--requirement-tags and --no-requirement-tags: pass only one of them')
  }
  if (values.agent === true && values.ci === true) throw new ConfigError('--agent and --ci: pass only one of them')
  const foreign = (Object.keys(values) as Flag[]).find((flag) => !commandFlags[command].includes(flag))
  if (foreign !== undefined) throw new ConfigError(`${command} has no flag --${foreign}; see: tracegate help`)
  return { command, operands, flags: values }
}

function parsed<S extends z.ZodType>(schema: S, values: unknown, nameOf: (key: string) => string): z.output<S> {
  const result = schema.safeParse(values)
  if (result.success) return result.data
  const lines = result.error.issues.map(({ path, message }) => `${nameOf(String(path[0]))}: ${message}`)
  throw new ConfigError([...new Set(lines)].join('\n'))
}

/** The name that the person used: the flag if it was given, otherwise the variable. */
function flagFor(variable: string, flags: GivenFlags): string {
  const flag = Object.entries(flagVariables).find(([name, target]) => target === variable && name in flags)?.[0]
  return flag === undefined ? variable : `--${flag}`
}

function checkTogether(config: Config, hostsGiven: boolean): void {
  const { command, apiToken, baseUrl, url } = config
  if (command === 'help' || command === 'version') return
  if (local.includes(command) && baseUrl !== undefined) {
    throw new ConfigError(
      `${command} works on the data directory of this machine and never over the network: unset TRACEGATE_BASE_URL, or run it where the service runs`,
    )
  }
  if (command === 'approve' && config.operands.length > 1) {
    throw new ConfigError('approve takes one risk: its id, or the key of something that it covers')
  }
  if (command === 'init') checkInit(config)
  if (command === 'sourcemaps') checkSourceMaps(config)
  if (command === 'report') checkReport(config)
  if (command === 'confirm') checkConfirm(config)
  if ((command === 'backup' || command === 'restore') && config.operands.length !== 1) {
    throw new ConfigError(`${command} takes one file: tracegate ${command} tracegate-backup.zip`)
  }
  if (apiToken !== undefined && baseUrl === undefined && url === undefined) {
    throw new ConfigError(
      'TRACEGATE_API_TOKEN is set but TRACEGATE_BASE_URL is not: set both to use a deployment, or neither to use the embedded service',
    )
  }
  // Over HTTP each caller brings its own token, and who decides types theirs; the operator's is never used (mcp §8).
  if (baseUrl !== undefined && apiToken === undefined && !typesToken.includes(command) && url === undefined) {
    throw new ConfigError(
      'TRACEGATE_BASE_URL is set but TRACEGATE_API_TOKEN is not: set both to use a deployment, or neither to use the embedded service',
    )
  }
  if (command === 'serve' && !isLoopback(config.host) && !hostsGiven) {
    throw new ConfigError(
      `--host ${config.host} accepts connections from other machines: set TRACEGATE_ALLOWED_HOSTS to the host names they use, such as quality.example`,
    )
  }
  if (config.sample && baseUrl !== undefined) {
    throw new ConfigError('--sample fills the embedded service; leave TRACEGATE_BASE_URL unset to use it')
  }
}

function checkInit({ operands, readOnly, dryRun }: Config): void {
  if (operands.length > 1) throw new ConfigError('init takes one folder: that of the repository')
  if (readOnly && !dryRun) throw new ConfigError('TRACEGATE_READ_ONLY forbids init: unset it, or use --dry-run')
}

function checkSourceMaps({ operands: [action, folder, ...rest], release, readOnly }: Config): void {
  if (action !== 'upload')
    throw new ConfigError('sourcemaps has one action: tracegate sourcemaps upload DIR --release V')
  if (folder === undefined) throw new ConfigError('sourcemaps upload: name the folder with the build output')
  if (rest.length > 0) {
    throw new ConfigError(`sourcemaps upload accepts one folder; got "${rest.join(' ')}" too: name their parent folder`)
  }
  if (release === undefined) throw new ConfigError('--release: name the version of the files')
  if (readOnly) throw new ConfigError('TRACEGATE_READ_ONLY forbids sourcemaps upload: unset it for this command')
}

function checkReport({ operands, ciUrl, readOnly }: Config): void {
  if (operands.length === 0) throw new ConfigError('report needs a file: tracegate report reports/junit.xml')
  if (ciUrl !== undefined && !/^https?:$/.test(URL.parse(ciUrl)?.protocol ?? '')) {
    throw new ConfigError('--url: use the full URL of the run, such as https://ci.example/runs/7')
  }
  if (readOnly) throw new ConfigError('TRACEGATE_READ_ONLY forbids report: unset it for this command')
}

function checkConfirm({ operands, readOnly }: Config): void {
  if (operands.length !== 1) throw new ConfigError('confirm takes one code: the one that the agent showed you')
  if (readOnly) throw new ConfigError('TRACEGATE_READ_ONLY forbids confirm: unset it for this command')
}

/** The object without its undefined members, because optional members of `Config` are absent, not undefined. */
function defined<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const given = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
  // The filter removes exactly the members that the type excludes.
  return given as { [K in keyof T]?: Exclude<T[K], undefined> }
}
