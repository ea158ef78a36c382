import { parseArgs } from 'node:util'
import type * as z from 'zod'
import { checkTogether } from './config-checks.ts'
import { ConfigError, type Config } from './config.ts'
import {
  commands,
  commandFlags,
  flagTypes,
  FlagValues,
  flagVariables,
  type Command,
  type Flag,
} from './config-flags.ts'
import { Environment, loopbackNames } from './config-variables.ts'

/**
 * The configuration of one run. Flags win over variables, variables over defaults. An empty variable counts as unset. Throws
 * `ConfigError` with one line per mistake.
 */
export function readConfig(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): Config {
  const { command, operands, flags } = readArguments(argv)
  // Help must work even if the environment is invalid.
  const { set, unresolved } = readSettings(command === 'help' || command === 'version' ? {} : env, flags)
  const variables = parsed(Environment, set, (name) => flagFor(name, flags))
  const values = parsed(FlagValues, flags, (name) => `--${name}`)
  const {
    host,
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
      proxy: readProxy(env),
      product: variables.TRACEGATE_PRODUCT,
      databaseUrl: variables.TRACEGATE_DATABASE_URL,
      databaseListenUrl: variables.TRACEGATE_DATABASE_LISTEN_URL,
      origin: hosts.find(({ origin }) => origin !== undefined)?.origin,
      secret: variables.TRACEGATE_SECRET,
      metricsToken: variables.TRACEGATE_METRICS_TOKEN,
      url: command === 'call' || command === 'install' ? url : undefined,
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
    timeoutSeconds,
    format,
    tokenKind: flags.agent === true ? 'agent' : flags.ci === true ? 'ci' : 'person',
    serverKey: flags.server === true,
    sample: flags.sample === true,
    json: flags.json === true,
    dryRun: flags['dry-run'] === true,
    requirementTags: flags['no-requirement-tags'] !== true,
    write: flags.write === true,
    settings: set,
    unresolved,
  }
  checkTogether(config, hosts.length > 0)
  return config
}

/** The usual variables, which other programs read as well; those in lower case come first unless they are empty. */
function readProxy(env: Readonly<Record<string, string | undefined>>): Config['proxy'] {
  const given = (name: string) =>
    [env[name], env[name.toUpperCase()]]
      .map((value = '') => value.trim())
      .find((value) => value !== '' && !UNRESOLVED.test(value))
  const address = given('https_proxy')
  return address === undefined ? undefined : { address, except: given('no_proxy') ?? '' }
}

/** A reference of a client's configuration that the client passed on instead of the value (mcpb#297, claude-code#80197). */
const UNRESOLVED = /^\s*\$\{[^}]*\}/

/** The settings that have a value, by variable, and the names of those that still are a reference. */
function readSettings(env: Readonly<Record<string, string | undefined>>, flags: GivenFlags) {
  const set: Record<string, string> = {}
  const unresolved: string[] = []
  const give = (variable: string, name: string, value: string | undefined) => {
    if (value === undefined || value.trim() === '') return
    if (UNRESOLVED.test(value)) unresolved.push(name)
    else set[variable] = value
  }
  for (const variable of Object.keys(Environment.shape)) give(variable, variable, env[variable])
  for (const [flag, variable] of Object.entries(flagVariables)) {
    const value = flags[flag as Flag]
    give(variable, `--${flag}`, value === undefined ? undefined : String(value))
  }
  return { set, unresolved }
}

type GivenFlags = Partial<Record<Flag, string | boolean>>

/** Commands that accept operands. */
const takesOperands: readonly Command[] = [
  'admin',
  'approve',
  'init',
  'install',
  'call',
  'sourcemaps',
  'report',
  'confirm',
  'backup',
  'restore',
  'help',
]

function readArguments(argv: readonly string[]): { command: Command; operands: string[]; flags: GivenFlags } {
  let values: GivenFlags
  let positionals: string[]
  try {
    const args = argv.map((word) => word.replace(/^--read-only=/, '--read-only-is='))
    const { values: given, positionals: words } = parseArgs({ args, options: flagTypes, allowPositionals: true })
    const { 'read-only-is': value, 'read-only': isGiven, ...others } = given
    const readOnly = value ?? isGiven
    values = { ...others, ...(readOnly !== undefined && { 'read-only': readOnly }) }
    positionals = words
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

/** The object without its undefined members, because optional members of `Config` are absent, not undefined. */
function defined<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const given = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
  // The filter removes exactly the members that the type excludes.
  return given as { [K in keyof T]?: Exclude<T[K], undefined> }
}
