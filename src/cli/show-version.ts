import type { Config } from '../config.ts'
import { version } from '../version.ts'
import type { Io } from './support/io.ts'

/** `tracegate version`: prints the version. */
export function run(_: Config, { stdout }: Io): number {
  stdout.write(`${version}\n`)
  return 0
}
