import { version } from '../version.ts'

/** `tracegate version`: the version on stdout. */
export function run(): number {
  process.stdout.write(`${version}\n`)
  return 0
}
