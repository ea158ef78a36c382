import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { SERVER_NAME, type Client, type Machine } from './client.ts'
import { FileError, readMembers } from './files/edit.ts'
import { isMembers, type Members, type Value } from './files/values.ts'

/** A file of a client that names our server. */
export interface Installed {
  client: Client
  file: string
  /** Its entries for our server: a file may hold one for each project. */
  entries: readonly Members[]
  /** Why the file cannot be read. */
  problem?: string
}

/** The files of a client that name our server: those of the user, and those of the project in `folder`. */
export function findInstalled(client: Client, machine: Machine, folder: string): Installed[] {
  const files = [...client.userFiles(machine), ...client.projectFiles.map((path) => resolve(folder, path))]
  return [...new Set(files)].flatMap((file) => {
    const text = readText(file)
    if (text?.includes(SERVER_NAME) !== true) return []
    try {
      const entries = entriesIn(readMembers(client.format, text), client.servers.at(-1) ?? '')
      return entries.length === 0 ? [] : [{ client, file, entries }]
    } catch (error) {
      if (!(error instanceof FileError)) throw error
      return [{ client, file, entries: [], problem: error.message }]
    }
  })
}

/** Undefined for a file that is not there, or that this user may not read. */
function readText(file: string): string | undefined {
  try {
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined
  } catch {
    return undefined
  }
}

/** Every entry of our name in a member that holds servers, at any depth. */
function entriesIn(value: Value, servers: string, isServers = false): Members[] {
  if (!isMembers(value)) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    isServers && name === SERVER_NAME && isMembers(inner) ? [inner] : entriesIn(inner, servers, name === servers),
  )
}

/** The words that an entry starts; none for one that calls a server which runs. */
export function wordsIn({ command, cmd, args }: Members): string[] {
  return [command, cmd, args].flatMap((part) => part ?? []).filter((word) => typeof word === 'string')
}
