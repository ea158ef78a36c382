import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import type * as z from 'zod'
import type { Figure, Suite, Table } from '../../harness/suite.ts'
import { functionNames } from './function-names.ts'
import { Measured } from './ways.ts'

const ROUNDS = 3

/** Packages whose bundles have maps of about 0.1 MB, 1 MB and 14 MB. */
const bundles = [['picomatch'], ['acorn', 'lru-cache', 'fast-xml-parser'], ['playwright-core', 'undici']]

/** Tables of source maps and functions against what they replace, and how right the names are. */
export const symbolication: Suite = {
  about:
    'Confirming a source map and looking up frames in it, in processes of their own, for maps of three sizes: our tables, trace-mapping on the stored JSON, and flat arrays (decision 020). Then how many frames get their true function name.',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'tracegate-bench-'))
    const map = join(folder, 'bundle.js.map')
    const tables: Table[] = []
    try {
      for (const packages of bundles) {
        await bundle(packages, folder)
        const runs = ['trace-mapping', 'tracegate', 'flat array'].map((way) => measureWay(way, map, join(folder, way)))
        tables.push({ title: `A map of ${megabytes(map)}`, figures: compared(runs) })
      }
      const functions = measureWay('functions', join(folder, 'bundle.js'), join(folder, 'functions'))
      tables.push({
        title: `Functions of ${megabytes(join(folder, 'bundle.js'))} of minified code`,
        figures: compared([functions]),
      })
      return [...tables, ...(await functionNames())]
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

async function bundle(packages: readonly string[], folder: string): Promise<void> {
  await build({
    stdin: {
      contents: packages.map((name, at) => `export * as package${String(at)} from '${name}'`).join('\n'),
      resolveDir: import.meta.dirname,
    },
    outfile: join(folder, 'bundle.js'),
    bundle: true,
    minify: true,
    platform: 'node',
    sourcemap: 'external',
    logLevel: 'error',
  })
}

type Taken = z.infer<typeof Measured>

interface Run {
  way: string
  stores: Taken[]
  opens: Taken[]
  bytes: number
}

/** Stores and opens in processes of their own, `ROUNDS` times. */
function measureWay(way: string, input: string, stored: string): Run {
  const runs = (step: string) => Array.from({ length: ROUNDS }, () => inChild(step, way, input, stored))
  return { way, stores: runs('store'), opens: runs('open'), bytes: statSync(stored).size }
}

/** Rows by subject, each way against the first. */
function compared(runs: readonly Run[]): Figure[] {
  const rows = (subject: string, unit: Figure['unit'], valuesOf: (run: Run) => number[]) =>
    runs.map((run, index): Figure => {
      const [first] = runs
      // A small map takes no memory that can be measured.
      const isCompared = index > 0 && first !== undefined && !valuesOf(first).includes(0)
      const against = `${subject}, ${first?.way ?? ''}`
      return { name: `${subject}, ${run.way}`, unit, values: valuesOf(run), ...(isCompared && { against }) }
    })
  return [
    ...rows('confirm', 'ms', ({ stores }) => stores.map(({ cpuMs }) => cpuMs)),
    ...rows('memory of a confirm', 'MB', ({ stores }) => stores.map(({ peakBytes }) => peakBytes / 1e6)),
    ...rows('on disk', 'MB', ({ bytes }) => [bytes / 1e6]),
    ...rows('first lookup', 'ms', ({ opens }) => opens.map(({ cpuMs }) => cpuMs)),
    ...rows('further lookups', 'ms', ({ opens }) => opens.map(({ warmMs }) => warmMs)),
    ...rows('memory while open', 'MB', ({ opens }) => opens.map(({ heldBytes }) => heldBytes / 1e6)),
  ]
}

function inChild(...step: string[]): Taken {
  const child = join(import.meta.dirname, 'ways.ts')
  const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', child, ...step])
  if (stdout.length === 0) throw new Error(stderr.toString())
  return Measured.parse(JSON.parse(stdout.toString()))
}

function megabytes(file: string): string {
  return `${(statSync(file).size / 1e6).toFixed(2)} MB`
}
