import { availableParallelism, loadavg } from 'node:os'
import { loopMs } from './measure.ts'
import type { Result, Results, Suite } from './suite.ts'
import { wakeUs } from './wake.ts'

export interface Report {
  /** Before a suite is measured. */
  begin(name: string, suite: Suite): void
  /** After each suite, so that a later one that ends the process loses nothing. */
  done(name: string, result: Result): void
  /** A suite that could not be measured; the others go on. */
  failed(name: string, error: unknown): void
}

/** Measures the suites one after the other. Returns what was measured, without the suites that threw. */
export async function runSuites(suites: Readonly<Record<string, Suite>>, report: Report): Promise<Results> {
  const machine = { node: process.versions.node, cores: availableParallelism(), load: loadavg()[0] ?? Number.NaN }
  const results: Record<string, Result> = {}
  for (const [name, suite] of Object.entries(suites)) {
    report.begin(name, suite)
    try {
      const measured = new Date().toISOString().slice(0, 10)
      const { about, onlyNamed } = suite
      const speed = { loop: loopMs(), wake: await wakeUs() }
      const tables = await suite.run()
      const result = { about, ...(onlyNamed !== undefined && { onlyNamed }), measured, ...machine, ...speed, tables }
      report.done(name, result)
      results[name] = result
    } catch (error) {
      report.failed(name, error)
    }
  }
  return results
}

/** The suites of these names; without names those that run by default. Throws with the names that there are. */
export function chosen(
  suites: Readonly<Record<string, Suite>>,
  names: readonly string[],
): Readonly<Record<string, Suite>> {
  const unknown = names.filter((name) => !Object.hasOwn(suites, name))
  if (unknown.length > 0)
    throw new Error(`no suite ${unknown.join(', ')}; the suites are ${Object.keys(suites).join(', ')}`)
  const isChosen = ([name, { onlyNamed }]: [string, Suite]) =>
    names.length > 0 ? names.includes(name) : onlyNamed === undefined
  return Object.fromEntries(Object.entries(suites).filter(isChosen))
}
