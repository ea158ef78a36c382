import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { benchmarksDocument } from './document.ts'
import { withHeadlines } from './headlines.ts'
import type { Results } from './suite.ts'

const resultsFile = resolve(import.meta.dirname, '../results.json')
export const documentFile = resolve(import.meta.dirname, '../../../BENCHMARKS.md')
const readmeFile = resolve(import.meta.dirname, '../../../README.md')

/** What each suite measured last with `--write`. */
export function readResults(): Results {
  // JSON has no NaN, which is written as null.
  return JSON.parse(readFileSync(resultsFile, 'utf8'), (_, value: unknown) => value ?? Number.NaN) as Results
}

/**
 * Adds what was measured to the results of other suites, and writes `BENCHMARKS.md` and the figures in `README.md`. `names`
 * are all suites, in order.
 */
export function writeResults(measured: Results, names: readonly string[]): void {
  const all = { ...readResults(), ...measured }
  const ordered = Object.fromEntries(names.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])))
  writeFileSync(resultsFile, `${JSON.stringify(ordered, undefined, 1)}\n`)
  writeFileSync(documentFile, benchmarksDocument(ordered))
  writeFileSync(readmeFile, withHeadlines(readFileSync(readmeFile, 'utf8'), ordered))
}
