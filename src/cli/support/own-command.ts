import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

/** The words of a shell command that run this program: in a checkout its guard, in the package the file itself. */
export function ownCommand(): string {
  const guard = resolve(import.meta.dirname, '../../dev/guard.cjs')
  // In the package the command is next to this file.
  return `node ${quoted(existsSync(guard) ? guard : resolve(import.meta.dirname, 'tracegate.js'))}`
}

/** A text as one word of a shell command. */
export function quoted(text: string): string {
  return /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
