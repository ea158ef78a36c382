import { chownSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { SERVER_VARIABLE } from './databases.ts'
import { runAs } from './programs.ts'

/** Where Debian puts what is not for every user. */
const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']

/** A program of this machine; undefined if it is not installed, and then a warning says which tests are skipped. */
export function findProgram(name: string, skipped: string): string | undefined {
  const found = folders.map((folder) => join(folder, name)).find((file) => existsSync(file))
  if (found === undefined) process.emitWarning(`no ${name} on this machine: ${skipped} are skipped`)
  return found
}

/** Where the run's server has its socket. */
export function serverFolder(): string {
  return new URL(process.env[SERVER_VARIABLE] ?? '').searchParams.get('host') ?? ''
}

/** A folder with a file for a program, which may run as another user. It is removed at the end of the run. */
export function folderWith(name: string, text: (folder: string) => string): { folder: string; file: string } {
  // Beside that of the server, which runs as that user too.
  const folder = mkdtempSync(join(dirname(serverFolder()), 'tracegate-program-'))
  const file = join(folder, name)
  writeFileSync(file, text(folder))
  if (runAs !== undefined) for (const path of [folder, file]) chownSync(path, runAs.uid, runAs.gid)
  return { folder, file }
}
