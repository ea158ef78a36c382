import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { enclosingName } from '../../src/service/errors/sourcemaps/scopes/enclosing-name.ts'
import { functionName } from '../../src/service/errors/sourcemaps/scopes/function-name.ts'
import { bundlers } from '../service/errors/sourcemaps/scopes/bundlers.ts'
import {
  filePath,
  findMisses,
  isInApp,
  symbolicator,
  type NameFunction,
} from '../service/errors/sourcemaps/scopes/symbolicated.ts'
import { trueFrames, type Run } from '../service/errors/sourcemaps/scopes/true-names.ts'

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

/** How many frames of minified bundles get the name that V8 prints for the original program. */
export async function functionNames(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tracegate-bench-'))
  const entry = fileURLToPath(import.meta.resolve('../service/errors/sourcemaps/scopes/crashes/main.mts'))
  try {
    const truth = trueFrames(await run(entry))
    for (const [name, bundle] of Object.entries(bundlers)) {
      const output = join(folder, name)
      const { crashes } = await run(await bundle(entry, output))
      for (const [way, nameFunction] of Object.entries(ways)) {
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
        console.log(
          `  ${name.padEnd(8)} ${way.padEnd(40)} ${((100 * right) / frames).toFixed(1).padStart(5)} % of ${frames}`,
        )
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function run(file: string): Promise<Run> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', file])
  return JSON.parse(stdout) as Run
}
