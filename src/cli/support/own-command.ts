import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

/** The words of a shell command that run this program: in a checkout its guard, in the package the file itself. */
export function ownCommand(): string {
  return `node ${quoted(ownFile())}`
}

/**
 * The words that start this program without a shell: the Node that runs it now, by its path, because a client may find
 * another one first; for a package that npx fetched, whose folder is not kept, npx again.
 */
export function ownWords(platform: NodeJS.Platform): readonly [command: string, ...args: string[]] {
  const file = ownFile()
  if (!/[\\/]_npx[\\/]/.test(file)) return [process.execPath, file]
  return npxWords(platform)
}

/** The words that start the published package on any machine. */
export function npxWords(platform: NodeJS.Platform): readonly [command: string, ...args: string[]] {
  const words = ['npx', '-y', 'tracegate'] as const
  // npx is a script on Windows, which only its shell starts.
  return platform === 'win32' ? ['cmd', '/c', ...words] : words
}

function ownFile(): string {
  const guard = resolve(import.meta.dirname, '../../dev/guard.cjs')
  // In the package the command is next to this file.
  return existsSync(guard) ? guard : resolve(import.meta.dirname, 'tracegate.js')
}

/** A text as one word of a shell command. */
export function quoted(text: string): string {
  return /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
