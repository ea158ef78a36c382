import { existsSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { ConfigError, type Config } from '../config.ts'
import { whyRefused } from '../lib/files/why-refused.ts'
import { SERVER_NAME, type Client, type Machine } from './clients/client.ts'
import type { Members, Path } from './clients/files/values.ts'
import {
  API_TOKEN,
  doorAddress,
  httpEntry,
  mergeEntry,
  networkVariables,
  PLACEHOLDER,
  rowsFor,
  secretVariables,
  settingFlags,
  startWords,
  stdioEntry,
  TOKEN_VARIABLE,
} from './clients/entry.ts'
import { FileError, readMembers, setValue, valueAt } from './clients/files/edit.ts'
import { clients, findClient } from './clients/list.ts'
import { thisMachine } from './clients/machine.ts'
import { snippet } from './clients/snippet.ts'
import { isOfFile, writeWhole } from './files/failures.ts'
import { plainLines } from './support/finding.ts'
import type { Io } from './support/io.ts'
import { ownCommand, ownWords, quoted } from './support/own-command.ts'

/**
 * `tracegate install CLIENT`: prints what the client's configuration file needs, and with `--write` puts it there, leaving
 * everything else in the file as it is. Resolves to 1 when the file cannot be edited.
 */
export function run(config: Config, io: Io): number {
  const client = chosenClient(config)
  const machine = thisMachine(io.env)
  const file = chosenFile(client, config, machine)
  const entry =
    config.url === undefined
      ? stdioEntry(client, startWords(config, ownWords(machine.platform)), {
          needed: secretVariables(config),
          network: networkVariables(config, machine.env),
        })
      : httpEntry(client, doorAddress(config, config.url))
  const print = (...lines: string[]) => io.stdout.write(`${plainLines(lines.join('\n'))}\n`)
  if (!config.write) {
    print(`${client.title}, in ${file}:`, '', snippet(client, entry), '')
    print(...advice(client, entry, config, machine))
    return 0
  }
  try {
    const outcome = writeEntry(client, file, entry)
    print(outcome === 'unchanged' ? `${file} has it already` : `${outcome} ${SERVER_NAME} in ${file}`)
    print(
      ...needs(client, entry, config),
      ...(outcome === 'unchanged' ? [] : [`${client.title} reads it when it starts.`]),
    )
    return 0
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    io.stderr.write(`tracegate: ${plainLines(`${file} ${error.message}`)}\n`)
    print('Nothing was changed. To add it by hand:', '', snippet(client, entry))
    return 1
  }
}

function chosenClient({ operands: [id] }: Config): Client {
  const known = clients.map((client) => client.id).join(', ')
  if (id === undefined) throw new ConfigError(`install needs a client: ${known}`)
  const client = findClient(id)
  if (client === undefined) throw new ConfigError(`install: unknown client "${id}"; use ${known}`)
  return client
}

/** The file of the scope: the first that exists, else the usual one. */
function chosenFile(client: Client, { scope, operands: [, folder = '.'] }: Config, machine: Machine): string {
  if (scope !== 'project' && folder !== '.') throw new ConfigError('install: a folder is for --scope project')
  if (scope === 'project' && statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new ConfigError(`install: there is no folder ${resolve(folder)}`)
  const files =
    scope === 'project' ? client.projectFiles.map((path) => resolve(folder, path)) : client.userFiles(machine)
  const [usual] = files
  if (usual === undefined) throw new ConfigError(`--scope: ${client.title} has no file for a project; use user`)
  return files.find((file) => existsSync(file)) ?? usual
}

/** The other ways to the same entry, and what the client needs. */
function advice(client: Client, entry: Members, config: Config, { platform }: Machine): string[] {
  const { url, scope } = config
  const flags = [
    ...(scope === undefined ? [] : ['--scope', scope]),
    ...(url === undefined ? [] : ['--url', url]),
    ...settingFlags(config),
  ]
  const link = client.link?.(entry)
  const shell = scope === 'project' ? undefined : shellCommand(client, config, platform)
  return [
    'Let Tracegate write it:',
    `  ${[ownCommand(), 'install', ...config.operands.map(quoted), ...flags.map(quoted), '--write'].join(' ')}`,
    ...(shell === undefined ? [] : ['Or:', `  ${shell}`]),
    ...(link === undefined ? [] : ['Or open:', `  ${link}`]),
    ...needs(client, entry, config),
  ]
}

function shellCommand({ shell }: Client, config: Config, platform: NodeJS.Platform): string | undefined {
  const scope = { scope: 'user' } as const
  if (config.url !== undefined) return shell?.http(doorAddress(config, config.url), `$${TOKEN_VARIABLE}`, scope)
  return shell?.stdio(startWords(config, ownWords(platform)).map(quoted).join(' '), scope)
}

/** What the client needs besides the file. */
function needs(client: Client, entry: Members, config: Config): string[] {
  const { project, token } = client.notes ?? {}
  const about = tokenLine(client, JSON.stringify(entry), config)
  return [
    ...about,
    ...(about.length === 0 || token === undefined ? [] : [token]),
    ...(config.scope !== 'project' || project === undefined ? [] : [project]),
  ]
}

function tokenLine(client: Client, entry: string, config: Config): string[] {
  const { url, baseUrl } = config
  if (url === undefined && baseUrl === undefined)
    return secretVariables(config).map(
      (name) => `The database's address has a password: ${name} has to be set where ${client.title} is started.`,
    )
  if (client.rows !== undefined) return [`${client.title} asks for the token once and keeps it.`]
  if (entry.includes(PLACEHOLDER)) {
    return [`Replace ${PLACEHOLDER} in the file: ${client.title} has no other way. Let nobody else read the file.`]
  }
  const variable = url === undefined ? API_TOKEN : TOKEN_VARIABLE
  return [`The token is read from ${variable}: set it where ${client.title} is started.`]
}

type Outcome = 'Added' | 'Changed' | 'unchanged'

/** Puts the entry into the file, if it is not there as it should be. */
function writeEntry(client: Client, file: string, entry: Members): Outcome {
  const before = existsSync(file) ? readText(file) : ''
  const members = readMembers(client.format, before)
  const path: Path = [...client.servers, SERVER_NAME]
  const existing = valueAt(members, path)
  const wanted = mergeEntry(client, existing, entry)
  const rows = rowsFor(client, wanted, members)
  if (
    isDeepStrictEqual(JSON.parse(JSON.stringify([existing])), JSON.parse(JSON.stringify([wanted]))) &&
    rows.length === 0
  )
    return 'unchanged'
  const withEntry = setValue(client.format, before, path, wanted)
  replaceFile(
    file,
    rows.reduce((text, row) => setValue(client.format, text, row.path, row.row), withEntry),
  )
  return existing === undefined ? 'Added' : 'Changed'
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw isOfFile(error) ? new FileError(`cannot be read: ${whyRefused(error)}`, { cause: error }) : error
  }
}

/** Replaces the text at once, so that a client never reads half of it; a link to the file stays a link. */
function replaceFile(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true })
    const target = existsSync(file) ? realpathSync(file) : file
    writeWhole(target, text, existsSync(target) ? { mode: statSync(target).mode & 0o777 } : {})
  } catch (error) {
    const { cause = error } = error as Error
    throw isOfFile(cause) ? new FileError(`cannot be written: ${whyRefused(cause)}`, { cause }) : error
  }
}
