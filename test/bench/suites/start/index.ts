import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build, bundleCommand } from '../../../../src/dev/build.ts'
import { serve } from '../../../serve.ts'
import { elapsed, inTurn } from '../../harness/measure.ts'
import type { Figure, Goal, Suite, Table } from '../../harness/suite.ts'
import { firstList, type Revision } from './first-list.ts'

const root = resolve(import.meta.dirname, '../../../..')
const ROUNDS = 11
/** Of what takes longer and has no goal. */
const FEW_ROUNDS = 5
const BARE = 'node -e 0'

interface Program {
  command: readonly string[]
  /** Times a bare Node process. */
  most?: number
  /** MB. */
  mostMemory?: number
}

/** Until the first list and the first call: the bundle and the source, against bare Node and the SDK's minimal server. */
export const start: Suite = {
  about:
    'From the start of the process to the answer of the first tools/list over stdio, against an empty Node program. The SDK’s minimal server has one tool and is bundled as ours is.',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'tracegate-bench-'))
    try {
      const bundle = join(folder, 'tracegate')
      await build(bundle)
      await bundleCommand(join(folder, 'sdk'), { main: join(import.meta.dirname, 'sdk-minimal.ts') })
      const stdio = ['stdio', '--data', join(folder, 'data')]
      const programs: Record<string, Program> = {
        'SDK, bundle': { command: [join(folder, 'sdk/tracegate.js')] },
        'SDK, from source': { command: [join(import.meta.dirname, 'sdk-minimal.ts')] },
        bundle: { command: [join(bundle, 'tracegate.js'), ...stdio], most: 3.5, mostMemory: 70 },
        'from source': { command: [join(root, 'src/main.ts'), ...stdio], most: 8 },
      }
      return [
        ...(await toFirstList(programs, 2025, 'a client of 2025 (initialize first)')),
        ...(await toFirstList(programs, 2026, 'a client of 2026-07-28 (no state)')),
        await others(join(bundle, 'tracegate.js'), folder),
      ]
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

async function toFirstList(programs: Record<string, Program>, revision: Revision, client: string): Promise<Table[]> {
  const memory = Object.fromEntries(Object.keys(programs).map((name) => [name, [] as number[]]))
  const starts = Object.entries(programs).map(([name, { command }]) => {
    const run = async () => {
      const { ms, mb } = await firstList(revision, command)
      memory[name]?.push(mb)
      return ms
    }
    return [name, run] as const
  })
  // The first start of a program fills Node's compile cache.
  for (const [, run] of starts) await run()
  for (const values of Object.values(memory)) values.length = 0
  const times = await inTurn({ [BARE]: bareNode, ...Object.fromEntries(starts) }, ROUNDS)
  return [
    {
      title: `Start to the first tools/list of ${client}`,
      figures: timeFigures(times, programs).map((figure) =>
        figure.name === 'bundle' && revision === 2026
          ? { ...figure, headline: 'Start to the first list of tools' }
          : figure,
      ),
    },
    { title: `The most memory until the answer, ${client}`, figures: memoryFigures(memory, programs) },
  ]
}

function timeFigures(times: Record<string, number[]>, programs: Record<string, Program>): Figure[] {
  return Object.entries(times).map(([name, values]) => ({
    name,
    unit: 'ms',
    values,
    ...(name !== BARE && { against: BARE }),
    ...withGoal('ratio', programs[name]?.most),
  }))
}

function memoryFigures(memory: Record<string, number[]>, programs: Record<string, Program>): Figure[] {
  return Object.entries(memory).map(([name, values]) => ({
    name,
    unit: 'MB',
    values,
    ...withGoal('median', programs[name]?.mostMemory),
  }))
}

function withGoal(of: Goal['of'], most: number | undefined): Pick<Figure, 'goals'> {
  return most === undefined ? {} : { goals: [{ of, most }] }
}

/** What else is started: one call in its own process, and the server with everything. */
async function others(command: string, folder: string): Promise<Table> {
  const dataDir = join(folder, 'others')
  const call = () => exited([command, 'call', 'get_workspace_context', '--data', dataDir])
  const serving = () =>
    elapsed(async () => {
      await using _ = await serve({ main: command, dataDir })
    })
  // The first one makes the data directory.
  await call()
  const times = await inTurn(
    { [BARE]: bareNode, 'tracegate call': call, 'tracegate serve and its end': serving },
    FEW_ROUNDS,
  )
  return { title: 'Other starts of the bundle', figures: timeFigures(times, {}) }
}

function bareNode(): Promise<number> {
  return exited(['-e', '0'])
}

/** Milliseconds until a Node process has ended. */
function exited(args: readonly string[]): Promise<number> {
  return elapsed(
    () => new Promise((done) => spawn(process.execPath, args, { stdio: 'ignore' }).once('exit', () => done(undefined))),
  )
}
