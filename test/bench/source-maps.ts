import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { originalPositionFor, sourceContentFor, TraceMap } from '@jridgewell/trace-mapping'
import { build } from 'esbuild'
import * as z from 'zod'
import { readSourceMap } from '../../src/service/errors/sourcemaps/format/read.ts'
import { openMapTable, writeMapTable } from '../../src/service/errors/sourcemaps/table/map-table.ts'
import { inTurn } from './median.ts'

const LOOKUPS = 10_000
const ROUNDS = 5
/** Each of them opens the table anew. */
const COLD_LOOKUPS = 200
/** Lines of context on each side of a frame. */
const AROUND = 5

interface Position {
  line: number
  column: number
}

/**
 * A map of about 14 MB: how long a confirm takes for it and how much memory, and how long a lookup, beside trace-mapping,
 * which keeps the decoded map in memory.
 */
export async function sourceMaps(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tracegate-bench-'))
  try {
    const [mapFile, tableFile] = [join(folder, 'bundle.js.map'), join(folder, 'table')]
    writeFileSync(mapFile, await largeMap())
    const positions = randomPositions(mapFile)
    confirm(mapFile, tableFile)
    await lookUp(mapFile, tableFile, positions)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function largeMap(): Promise<string> {
  const packages = ['playwright-core', 'undici']
  const { outputFiles } = await build({
    stdin: {
      contents: packages.map((name, at) => `export * as package${String(at)} from '${name}'`).join('\n'),
      resolveDir: import.meta.dirname,
    },
    outfile: 'bundle.js',
    bundle: true,
    minify: true,
    platform: 'node',
    sourcemap: 'external',
    write: false,
    logLevel: 'error',
  })
  const map = outputFiles.find(({ path }) => path.endsWith('.map'))
  if (map === undefined) throw new Error('esbuild wrote no map')
  return map.text
}

/** Positions spread evenly over the mappings, each a little after one, the same in every run. */
function randomPositions(mapFile: string): Position[] {
  const map = readSourceMap(readFileSync(mapFile, 'utf8'))
  let segments = 0
  map.eachMapping(() => segments++)
  console.log(`  map of ${megabytes(statSync(mapFile).size)}, ${String(segments)} segments`)
  const wanted = new Set<number>()
  for (let seed = 1; wanted.size < LOOKUPS; wanted.add(Math.floor((seed / 2 ** 31) * segments))) {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
  }
  const positions: Position[] = []
  let segment = 0
  map.eachMapping((line, column) => {
    if (wanted.has(segment++)) positions.push({ line, column: column + (segment % 2) })
  })
  // Across the map, not along it.
  return positions.map((position, at) => positions[(at * 7919) % positions.length] ?? position)
}

/** What a confirm does for a map, in a process of its own, so that its memory can be told. */
function confirm(mapFile: string, tableFile: string): void {
  for (const way of ['JSON.parse only', 'tracegate, confirm', 'trace-mapping, read']) {
    const runs = Array.from({ length: ROUNDS }, () => inChild(way, mapFile, tableFile)).sort((a, b) => a.ms - b.ms)
    const { ms, bytes } = runs[Math.floor(ROUNDS / 2)] ?? { ms: Number.NaN, bytes: Number.NaN }
    console.log(`  ${way.padEnd(20)} ${ms.toFixed(0).padStart(11)} ms  peak memory + ${megabytes(bytes)}`)
  }
  console.log(`  table on disk ${megabytes(statSync(tableFile).size)}`)
}

const childResult = z.object({ ms: z.number(), bytes: z.number() })

function inChild(way: string, mapFile: string, tableFile: string): z.infer<typeof childResult> {
  const { stdout, stderr } = spawnSync(process.execPath, [import.meta.filename, way, mapFile, tableFile])
  if (stdout.length === 0) throw new Error(stderr.toString())
  return childResult.parse(JSON.parse(stdout.toString()))
}

async function lookUp(mapFile: string, tableFile: string, positions: readonly Position[]): Promise<void> {
  const some = positions.slice(0, COLD_LOOKUPS)
  const cold = await inTurn(
    {
      'tracegate, cold': () => mean(some, (position) => tableLookUp(tableFile, position)),
      'trace-mapping, cold': () => mean(some.slice(0, 1), (position) => traceLookUp(mapFile, position)),
    },
    2 * ROUNDS + 1,
  )
  print(cold, 'ms')
  const table = openMapTable(tableFile)
  const trace = new TraceMap(readFileSync(mapFile, 'utf8'))
  const warm = await inTurn(
    {
      'tracegate, warm': () => mean(positions, ({ line, column }) => table.find(line, column)),
      'trace-mapping, warm': () =>
        mean(positions, ({ line, column }) => originalPositionFor(trace, { line: line + 1, column })),
    },
    ROUNDS,
  )
  print(warm, 'ms')
  console.log(`  open table in memory ${(table.bytes / 1_024).toFixed(0)} KiB`)
  table.close()
}

/** All that is between nothing of ours in memory and a frame with its context. */
function tableLookUp(file: string, { line, column }: Position): unknown {
  const table = openMapTable(file)
  const mapping = table.find(line, column)
  const lines = mapping && table.lines(mapping.source, Math.max(0, mapping.line - AROUND), mapping.line + AROUND + 1)
  table.close()
  return lines
}

function traceLookUp(file: string, { line, column }: Position): unknown {
  const trace = new TraceMap(readFileSync(file, 'utf8'))
  const { source, line: original } = originalPositionFor(trace, { line: line + 1, column })
  if (source === null) return undefined
  const lines = sourceContentFor(trace, source)?.split('\n')
  return lines?.slice(Math.max(0, original - 1 - AROUND), original + AROUND)
}

/** Milliseconds per position. */
function mean(positions: readonly Position[], lookUpOne: (position: Position) => unknown): Promise<number> {
  const start = performance.now()
  for (const position of positions) lookUpOne(position)
  return Promise.resolve((performance.now() - start) / positions.length)
}

/** Each time, and how many of the first go into it. */
function print(times: Record<string, number>, unit: string): void {
  const [first = Number.NaN] = Object.values(times)
  for (const [name, time] of Object.entries(times)) {
    console.log(`  ${name.padEnd(20)} ${time.toFixed(4).padStart(11)} ${unit}  × ${(time / first).toFixed(2)}`)
  }
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

/** The child: does one thing with the map and tells how long it took and how far memory rose above an idle process. */
function measure(way: string, mapFile: string, tableFile: string): void {
  const before = process.resourceUsage().maxRSS
  const start = performance.now()
  const text = readFileSync(mapFile, 'utf8')
  if (way.startsWith('tracegate')) writeMapTable(readSourceMap(text), tableFile)
  else if (way.startsWith('trace-mapping')) originalPositionFor(new TraceMap(text), { line: 1, column: 0 })
  else JSON.parse(text)
  const ms = performance.now() - start
  console.log(JSON.stringify({ ms, bytes: (process.resourceUsage().maxRSS - before) * 1_024 }))
}

if (import.meta.main) {
  const [way = '', mapFile = '', tableFile = ''] = process.argv.slice(2)
  measure(way, mapFile, tableFile)
}
