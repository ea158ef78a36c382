import { markdownTable } from './table.ts'
import type { Result, Suite } from './suite.ts'

/** The text of `BENCHMARKS.md`: what each suite measured last, in the order of the suites. */
export function benchmarksDocument(
  suites: Readonly<Record<string, Suite>>,
  results: Readonly<Record<string, Result>>,
): string {
  const parts = Object.entries(suites).flatMap(([name, { about }]) => {
    const result = results[name]
    return result === undefined ? [] : [part(name, about, result)]
  })
  return `${introduction}\n${parts.join('\n')}`
}

const introduction = `# Benchmarks

Written by \`npm run bench -- --write\`, which measures every suite, or \`npm run bench -- --write SUITE …\` for some. Every
command prints the same tables, and \`--json\` the values of each round.

Times depend on the machine. What is compared runs in turn, in one run, and a ratio is the median of the ratios of the
rounds: read the ratios first. A goal is for the median or for the ratio of its row.
`

function part(name: string, about: string, { measured, node, cores, load, tables }: Result): string {
  const shown = tables.map((table) => {
    const notes = (table.notes ?? []).map((note) => `\n${note}\n`).join('')
    return `### ${table.title}\n\n${markdownTable(table)}\n${notes}`
  })
  const machine = `Measured ${measured} with Node ${node} on ${String(cores)} cores, load ${load.toFixed(1)} before.`
  return `## ${name}\n\n${about} Repeat it with \`npm run bench -- ${name}\`. ${machine}\n\n${shown.join('\n')}`
}
