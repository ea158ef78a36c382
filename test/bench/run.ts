import { parseArgs } from 'node:util'
import { goalCells, goalCount, judgedGoals } from './harness/goals.ts'
import { writeResults } from './harness/results.ts'
import { chosen, runSuites, type Report } from './harness/run-suites.ts'
import type { Results } from './harness/suite.ts'
import { aligned, terminalTable } from './harness/table.ts'
import { suites } from './suites.ts'

/**
 * `npm run bench [-- SUITE …] [--json] [--write] [--list]`: measures the suites and prints their tables, or JSON; `--write`
 * keeps the results in `results.json`, and writes `BENCHMARKS.md` and the figures in `README.md` from it. Exits with 1 if a
 * suite could not be measured; a goal that is missed is a result.
 */
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean' }, write: { type: 'boolean' }, list: { type: 'boolean' } },
})

if (flags.list) {
  for (const [name, { about, onlyNamed = '' }] of Object.entries(suites)) console.log(`${name}: ${about} ${onlyNamed}`)
} else {
  const print = flags.json ? () => undefined : console.log
  const results = await runSuites(wanted(positionals), reportTo(print))
  if (flags.json) console.log(JSON.stringify(results, undefined, 1))
  printGoals(results, print)
}

function wanted(names: readonly string[]) {
  try {
    return chosen(suites, names)
  } catch (error) {
    console.error((error as Error).message)
    process.exit(1)
  }
}

function reportTo(print: (text: string) => void): Report {
  return {
    begin: (name, { about }) => print(`\n${name}: ${about}`),
    done(name, result) {
      for (const table of result.tables) print(`\n${terminalTable(table)}`)
      if (flags.write) writeResults({ [name]: result }, Object.keys(suites))
    },
    failed(name, error) {
      console.error(`\n${name} could not be measured:`, error)
      process.exitCode = 1
    },
  }
}

function printGoals(results: Results, print: (text: string) => void): void {
  const goals = judgedGoals(results)
  if (goals.length > 0) print(`\n${goalCount(goals)}\n\n${aligned(goalCells(goals))}`)
}
