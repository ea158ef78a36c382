import type { Config } from '../config.ts'
import { version } from '../version.ts'
import type { Io } from './io.ts'

/** `tracegate version`: the version on stdout. */
export function run(_: Config, { stdout }: Io): number {
  stdout.write(`${version}\n`)
  return 0
}
