import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { benchmarksDocument } from './harness/document.ts'
import type { Result, Suite } from './harness/suite.ts'
import { terminalTable } from './harness/table.ts'
import { suites } from './suites.ts'

/**
 * `npm run bench [-- SUITE …] [--json] [--write]`: measures the suites and prints their tables, or JSON; `--write` keeps
 * the results in `results.json` and writes `BENCHMARKS.md` from it.
 */
const { values: flags, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean' }, write: { type: 'boolean' } },
})

const kept = join(import.meta.dirname, 'results.json')
const document = resolve(import.meta.dirname, '../../BENCHMARKS.md')

const unknown = wanted.filter((name) => !(name in suites))
if (unknown.length > 0) {
  console.error(`no suite ${unknown.join(', ')}; the suites are ${Object.keys(suites).join(', ')}`)
  process.exit(1)
}
const results = JSON.parse(readFileSync(kept, 'utf8')) as Record<string, Result>
const measured: Record<string, Result> = {}
for (const [name, suite] of Object.entries(suites)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  if (!flags.json) console.log(`\n${name}: ${suite.about}`)
  const result = await measure(suite)
  measured[name] = result
  if (!flags.json) for (const table of result.tables) console.log(`\n${terminalTable(table)}`)
  if (flags.write) writeFileSync(kept, `${JSON.stringify({ ...results, ...measured }, undefined, 1)}\n`)
}
if (flags.json) console.log(JSON.stringify(measured, undefined, 1))
if (flags.write) writeFileSync(document, benchmarksDocument(suites, { ...results, ...measured }))

async function measure(suite: Suite): Promise<Result> {
  const facts = {
    measured: new Date().toISOString().slice(0, 10),
    node: process.versions.node,
    cores: availableParallelism(),
    load: loadavg()[0] ?? 0,
  }
  return { ...facts, tables: await suite.run() }
}
