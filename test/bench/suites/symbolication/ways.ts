import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { deserialize, serialize } from 'node:v8'
import { originalPositionFor, sourceContentFor, TraceMap } from '@jridgewell/trace-mapping'
import * as z from 'zod'
import { readSourceMap } from '../../../../src/service/errors/sourcemaps/format/read.ts'
import { openScopeTable } from '../../../../src/service/errors/sourcemaps/scopes/scope-table.ts'
import { writeScopeTable } from '../../../../src/service/errors/sourcemaps/scopes/write-scope-table.ts'
import { lastAtOrBefore } from '../../../../src/service/errors/sourcemaps/table/blocks.ts'
import { openMapTable, writeMapTable } from '../../../../src/service/errors/sourcemaps/table/map-table.ts'

const LOOKUPS = 300
/** Lines of context on each side of a frame. */
const AROUND = 5

/** The lines around a generated position (0-based) in its source. */
type LookUp = (line: number, column: number) => readonly string[] | undefined

interface Way {
  /** Puts on disk what a checked map needs for lookups. */
  store(text: string, file: string): void
  open(file: string): LookUp
}

const ways: Record<string, Way> = {
  tracegate: { store: (text, file) => writeMapTable(readSourceMap(text), file), open: openTable },
  'trace-mapping': {
    store(text, file) {
      readSourceMap(text).eachMapping(() => {})
      writeFileSync(file, text)
    },
    open: openTraceMap,
  },
  'flat array': { store: storeFlat, open: openFlat },
}

/** What a step took: processor milliseconds, further lookups each, and bytes by which its memory rose and stayed. */
export const Measured = z.object({
  cpuMs: z.number(),
  peakBytes: z.number(),
  heldBytes: z.number(),
  warmMs: z.number(),
})

/** The child: one step, its CPU time (user and system), and how far its memory rose. */
async function measure(step: string, way: string, input: string, stored: string): Promise<void> {
  const isOpen = step === 'open'
  const text = isOpen ? '' : readFileSync(input, 'utf8')
  const positions = isOpen ? spreadPositions(way === 'functions' ? `${input}.map` : input) : []
  await collect()
  const [peak, held, start] = [process.resourceUsage().maxRSS, memory(), cpu()]
  const lookUp = isOpen ? open(way, stored) : store(way, text, stored)
  for (const position of positions.slice(0, 1)) lookUp(...position)
  const cpuMs = cpu() - start
  const peakBytes = (process.resourceUsage().maxRSS - peak) * 1_024
  await collect()
  const heldBytes = memory() - held
  const warm = cpu()
  for (const position of positions) lookUp(...position)
  const warmMs = (cpu() - warm) / Math.max(1, positions.length)
  console.log(JSON.stringify({ cpuMs, peakBytes, heldBytes, warmMs } satisfies z.infer<typeof Measured>))
}

function open(way: string, stored: string): LookUp {
  return way === 'functions' ? openFunctions(stored) : ways[way]!.open(stored)
}

function store(way: string, text: string, stored: string): LookUp {
  if (way === 'functions') writeScopeTable(text, stored)
  else ways[way]!.store(text, stored)
  return () => undefined
}

/** Positions across the mappings, the same in every run. */
function spreadPositions(mapFile: string): [line: number, column: number][] {
  const all: number[] = []
  readSourceMap(readFileSync(mapFile, 'utf8')).eachMapping((line, column) => all.push(line, column))
  const at = (index: number) => 2 * ((index * 104_729 + 7_919) % (all.length / 2))
  return Array.from({ length: LOOKUPS }, (_, index) => [all[at(index)]!, all[at(index) + 1]!])
}

function openTable(file: string): LookUp {
  const table = openMapTable(file)
  return (line, column) => {
    const found = table.find(line, column)
    return found && table.lines(found.source, Math.max(0, found.line - AROUND), found.line + AROUND + 1)
  }
}

function openTraceMap(file: string): LookUp {
  const trace = new TraceMap(readFileSync(file, 'utf8'))
  return (line, column) => {
    const found = originalPositionFor(trace, { line: line + 1, column })
    return found.source === null ? undefined : around(sourceContentFor(trace, found.source), found.line - 1)
  }
}

/** All segments as numbers of 32 bits, in memory as a whole. */
function storeFlat(text: string, file: string): void {
  const map = readSourceMap(text)
  const rows: number[] = []
  map.eachMapping((...row) => rows.push(...row))
  const fields = Array.from({ length: 6 }, (_, at) =>
    Int32Array.from({ length: rows.length / 6 }, (__, n) => rows[6 * n + at]!),
  )
  writeFileSync(file, serialize({ fields, names: map.names, sources: map.sources, texts: map.sourcesContent }))
}

function openFlat(file: string): LookUp {
  const { fields, texts } = deserialize(readFileSync(file)) as { fields: Int32Array[]; texts: (string | null)[] }
  const [lines, columns, sources, originalLines] = fields as [Int32Array, Int32Array, Int32Array, Int32Array]
  return (line, column) => {
    const found = lastAtOrBefore({ lines, columns }, line, column)
    return lines[found] === line ? around(texts[sources[found] ?? -1], originalLines[found] ?? 0) : undefined
  }
}

function openFunctions(file: string): LookUp {
  const table = openScopeTable(file)
  return (line, column) => table.innermost(line, column)?.path.map(({ text }) => text)
}

function around(text: string | null | undefined, line: number): string[] | undefined {
  return text?.split('\n').slice(Math.max(0, line - AROUND), line + AROUND + 1)
}

/** Buffers are freed in the background, after the collection that finds them. */
async function collect(): Promise<void> {
  for (let times = 0; times < 3; times++) {
    gc?.()
    await sleep(20)
  }
}

function cpu(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

function memory(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

// A process of its own for each step: `node --expose-gc ways.ts STEP WAY INPUT STORED`.
if (import.meta.main) {
  const [step = '', way = '', input = '', stored = ''] = process.argv.slice(2)
  await measure(step, way, input, stored)
}
