import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { enclosingName } from '../../../../src/service/errors/sourcemaps/scopes/enclosing-name.ts'
import { functionName } from '../../../../src/service/errors/sourcemaps/scopes/function-name.ts'
import { bundlers } from '../../../service/errors/sourcemaps/scopes/bundlers.ts'
import {
  filePath,
  findMisses,
  isInApp,
  symbolicator,
  type NameFunction,
} from '../../../service/errors/sourcemaps/scopes/symbolicated.ts'
import { trueFrames, type Run } from '../../../service/errors/sourcemaps/scopes/true-names.ts'
import type { Figure, Table } from '../../harness/suite.ts'

/** Ways to name the function of a minified frame, from what the product does to what costs least. */
const ways: Record<string, NameFunction> = {
  tracegate: functionName,
  'name of the innermost function, mapped': (position, { map, scopes }) => {
    const found = scopes.innermost(position.line, position.column)
    const token = found?.path.at(-1)
    return (token && (map.find(token.line, token.column)?.name || token.text)) ?? ''
  },
  'indentation of the original text': ({ line, column }, { map }) => {
    const found = map.find(line, column)
    return found === undefined ? '' : enclosingName(map.lines(found.source, 0, found.line + 1) ?? [])
  },
  'call in the frame of the caller': (position, tables, caller) =>
    functionName(position, { ...tables, scopes: undefined }, caller),
  'name at the position': ({ line, column }, { map }) => map.find(line, column)?.name ?? '',
}

/** How many frames of minified bundles get the name that V8 prints for the original program, in percent. */
export async function functionNames(): Promise<Table[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tracegate-bench-'))
  const entry = fileURLToPath(import.meta.resolve('../../../service/errors/sourcemaps/scopes/crashes/main.mts'))
  try {
    const truth = trueFrames(await run(entry))
    const tables: Table[] = []
    for (const [name, bundle] of Object.entries(bundlers)) {
      const output = join(folder, name)
      const { crashes } = await run(await bundle(entry, output))
      const figures: Figure[] = []
      for (const [way, nameFunction] of Object.entries(ways))
        figures.push({ name: way, unit: '%', values: [await rightNames(nameFunction, { crashes, truth, output })] })
      tables.push({ title: `Frames of a bundle of ${name} with their true name`, figures })
    }
    return tables
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function rightNames(
  nameFunction: NameFunction,
  { crashes, truth, output }: { crashes: Run['crashes']; truth: ReturnType<typeof trueFrames>; output: string },
): Promise<number> {
  const { resolve, close } = symbolicator(nameFunction)
  let frames = 0
  let right = 0
  for (const [scenario, raw] of Object.entries(crashes)) {
    const ours = raw.filter((frame) => filePath(frame).startsWith(output))
    const resolved = await Promise.all(ours.map((frame, at) => resolve(frame, ours[at + 1])))
    const inApp = resolved.filter(isInApp)
    frames += inApp.length
    right += inApp.length - findMisses(inApp, truth[scenario] ?? []).length
  }
  close()
  return (100 * right) / frames
}

async function run(file: string): Promise<Run> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', file])
  return JSON.parse(stdout) as Run
}
