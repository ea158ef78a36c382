import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Machine } from '../clients/client.ts'
import { PLACEHOLDER } from '../clients/entry.ts'
import type { Members } from '../clients/files/values.ts'
import { redactValue } from '../../mcp/text/redact/index.ts'
import { findInstalled, wordsIn, type Installed } from '../clients/installed.ts'
import { clients } from '../clients/list.ts'
import type { Finding } from '../support/finding.ts'
import { ownCommand } from '../support/own-command.ts'

const what = 'client'

/** A finding for each file of a known client that names us: whether the client can read it, and start what it says. */
export function checkClients(machine: Machine, folder: string): Finding[] {
  const installed = clients.flatMap((client) => findInstalled(client, machine, folder))
  if (installed.length > 0) return installed.flatMap((each) => findingsFor(each, machine))
  const found = `no file of a known client names tracegate; to add it: ${ownCommand()} install CLIENT`
  return [{ what, ok: true, found }]
}

function findingsFor(installed: Installed, machine: Machine): Finding[] {
  const { client, file, entries, problem } = installed
  if (problem !== undefined) {
    const fix = `correct ${file}: ${client.title} cannot read it either`
    return [{ what, ok: false, found: `${client.title}: ${file} ${problem}`, fix }]
  }
  return entries.map((entry) => {
    const wrong = problemWith(entry, machine)
    const found = `${client.title}: ${file}`
    if (wrong === undefined) return { what, ok: true, found: `${found} ${summary(entry)}` }
    const { fix = `${ownCommand()} install ${client.id} --write, with the settings that it should have` } = wrong
    return { what, ok: false, found: `${found} ${wrong.found}`, fix }
  })
}

function summary(entry: Members): string {
  const words = wordsIn(entry)
  return words.length > 0 ? `starts ${withoutSecrets(words).join(' ')}` : 'calls a server that runs'
}

/** Words as they may be shown: owners write tokens and passwords into these files, and send others what doctor prints. */
function withoutSecrets(words: readonly string[]): string[] {
  return words.map((word, index) => {
    const before = words[index - 1] ?? ''
    return before.startsWith('--') && isSecret(before, word) && !word.startsWith('--') ? HIDDEN : withoutSecret(word)
  })
}

const HIDDEN = '***'

function isSecret(name: string, value: string): boolean {
  return redactValue(name, value, { count: () => {} }) !== undefined
}

/** Assignments, as `docker run -e` and a shell have them, headers, and addresses, whose passwords may have an `@`. */
function withoutSecret(word: string): string {
  return word
    .replace(/([\w-]+)=("[^"]*"|'[^']*'|[^\s&'"]*)/g, (all, name: string, value: string) =>
      isSecret(name, value) ? `${name}=${HIDDEN}` : all,
    )
    .replace(/\b(bearer|basic)\s+[^\s'"]+/gi, `$1 ${HIDDEN}`)
    .replace(/^([\w-]+):\s*(?!\/\/)(\S+)$/, (all, name: string, value: string) =>
      isSecret(name, value) ? `${name}: ${HIDDEN}` : all,
    )
    .replace(/(:\/\/[^:@/\s]*):(?!\d{1,5}[/?])\S*@/g, `$1:${HIDDEN}@`)
}

/** What would keep the client from reaching the server; undefined when nothing is seen. */
function problemWith(entry: Members, machine: Machine): { found: string; fix?: string } | undefined {
  const [command, ...args] = wordsIn(entry)
  if (JSON.stringify(entry).includes(PLACEHOLDER)) {
    return { found: `still has ${PLACEHOLDER}`, fix: 'put the token in its place, and let nobody else read the file' }
  }
  if (command === undefined) return undefined
  if (!canStart(command, machine)) return { found: `starts ${command}, which does not exist or is no program` }
  // The file of the server, in a checkout or an installed package; what npx fetches has no path.
  const script = args.find((word) => isAbsolute(word) && /\.[cm]?[jt]s$/.test(word))
  if (script !== undefined && !existsSync(script)) return { found: `starts ${script}, which does not exist` }
  return undefined
}

function canStart(command: string, { env, platform }: Machine): boolean {
  if (/[\\/]/.test(command)) return isProgram(command)
  const endings = platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : ['']
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(delimiter)
  return folders.some((folder) => endings.some((ending) => isProgram(join(folder, command + ending))))
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
