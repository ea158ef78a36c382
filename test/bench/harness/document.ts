import { goalCells, goalCount, judgedGoals } from './goals.ts'
import type { Result, Results } from './suite.ts'
import { markdownCells, markdownTable } from './table.ts'

/** The text of `BENCHMARKS.md`: the goals, then what each suite measured last. */
export function benchmarksDocument(results: Results): string {
  const suites = Object.entries(results).map(([name, result]) => part(name, result))
  return `${[introduction, goals(results), ...suites].join('\n\n')}\n`
}

const introduction = `# Benchmarks

Written by \`npm run bench -- --write\` from [test/bench/results.json](test/bench/results.json), which has the values of each
round. \`npm run bench\` measures again and prints the same tables, \`npm run bench -- SUITE …\` some of them, \`--json\` the
values.

Times depend on the machine; newer results state how long a hundred million additions took on it, and how soon a
thread ran that another one had woken. What is compared runs in turn, in one run, and a ratio is the median of the ratios of
the rounds: read the ratios first. A goal is for the median or for the ratio of its row.`

function goals(results: Results): string {
  const judged = judgedGoals(results)
  return `## Goals\n\n${goalCount(judged)}.\n\n${markdownCells(goalCells(judged))}`
}

function part(name: string, result: Result): string {
  const { about, onlyNamed, measured, node, cores, load, tables } = result
  const machine = `Measured ${measured} with Node ${node} on ${String(cores)} cores, load ${load.toFixed(1)} before${speed(result)}.`
  const repeat = `Repeat it with \`npm run bench -- ${name}\`.`
  const subject = [about, onlyNamed, repeat, machine].filter((sentence) => sentence !== undefined).join(' ')
  const shown = tables.map((table) => `### ${table.title}\n\n${markdownTable(table)}`)
  return [`## ${name}`, subject, ...shown].join('\n\n')
}

function speed({ loop, wake }: Result): string {
  if (loop === undefined) return ''
  const woke = wake === undefined ? '' : `, and a thread that was woken ran after ${wake.toFixed(0)} µs`
  return `; a hundred million additions took ${loop.toFixed(0)} ms${woke}`
}
