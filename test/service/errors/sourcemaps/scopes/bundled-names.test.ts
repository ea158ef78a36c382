import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundlers } from './bundlers.ts'
import { filePath, findMisses, isInApp, symbolicator } from './symbolicated.ts'
import { trueFrames, type Run, type TrueFrame } from './true-names.ts'

const entry = fileURLToPath(new URL('crashes/main.mts', import.meta.url))

let folder = ''
let truth: Record<string, TrueFrame[]> = {}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tracegate-bundles-'))
  truth = trueFrames(await run(entry))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

test('the program crashes in every scenario when it is not bundled', () => {
  const crashes = Object.entries(truth)
  expect(crashes.length).toBeGreaterThanOrEqual(25)
  expect(crashes.filter(([, frames]) => frames.length === 0)).toEqual([])
})

test.each(Object.entries(bundlers))(
  'of 100 frames of a bundle by %s at least 95 have the function, file and line of the original program',
  async (name, bundle) => {
    const output = join(folder, name)
    const { crashes } = await run(await bundle(entry, output))
    expect(Object.keys(crashes)).toEqual(Object.keys(truth))
    const { resolve, close } = symbolicator()
    const misses: string[] = []
    const counts: Record<string, number> = {}
    for (const [scenario, raw] of Object.entries(crashes)) {
      const ours = raw.filter((frame) => filePath(frame).startsWith(output))
      const frames = (await Promise.all(ours.map((frame) => resolve(frame)))).filter(isInApp)
      counts[scenario] = frames.length
      misses.push(...findMisses(frames, truth[scenario] ?? []).map((miss) => `${scenario}: ${miss}`))
    }
    close()
    expect(Object.keys(counts).filter((scenario) => counts[scenario] === 0)).toEqual([])
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
    const share = (100 * (total - misses.length)) / total
    console.log(`${name}: ${share.toFixed(1)} % of ${total} frames`)
    expect({ enough: share >= 95, misses }).toEqual({ enough: true, misses })
  },
)

async function run(file: string): Promise<Run> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', file], { timeout: 20_000 })
  return JSON.parse(stdout) as Run
}
