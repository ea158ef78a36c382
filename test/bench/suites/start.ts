import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from '../../../src/dev/build.ts'
import { bareEnvironment } from '../../serve.ts'
import { inTurn } from '../harness/measure.ts'
import type { Suite } from '../harness/suite.ts'

const root = resolve(import.meta.dirname, '../../..')
const ROUNDS = 11

/** Spawn to the answer of tools/list over stdio, against a bare Node process; the bundle too when it is built. */
export const start: Suite = {
  about:
    'From the start of the process to the answer of the first tools/list over stdio, beside an empty Node program.',
  async run() {
    const dataDir = mkdtempSync(join(tmpdir(), 'tracegate-bench-'))
    const bundle = join(root, 'dist')
    try {
      await build(bundle)
      const bare = 'node -e 0'
      const times = await inTurn(
        {
          [bare]: () => bareNode(),
          bundle: () => firstList(join(bundle, 'tracegate.js'), dataDir),
          'from source': () => firstList(join(root, 'src/main.ts'), dataDir),
        },
        ROUNDS,
      )
      const goals = { bundle: 3.5, 'from source': 8 }
      const figures = Object.entries(times).map(([name, values]) => ({
        name,
        unit: 'ms' as const,
        values,
        ...(name in goals && {
          against: bare,
          goals: [{ of: 'ratio' as const, most: goals[name as keyof typeof goals] }],
        }),
      }))
      return [{ title: 'Start to the first tools/list', figures }]
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
}

function bareNode(): Promise<number> {
  const start = performance.now()
  return new Promise((done) =>
    spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }).once('exit', () => done(performance.now() - start)),
  )
}

/** Milliseconds from spawn to the tools/list answer of a 2025-era client. */
function firstList(entry: string, dataDir: string): Promise<number> {
  const start = performance.now()
  const child = spawn(process.execPath, [entry, 'stdio', '--data', dataDir], {
    env: bareEnvironment(),
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const say = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  say({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
  })
  say({ method: 'notifications/initialized' })
  say({ id: 2, method: 'tools/list' })
  return new Promise((done, fail) => {
    let seen = ''
    child.once('exit', () => fail(new Error('the server ended before it answered')))
    child.stdout.on('data', (chunk: Buffer) => {
      seen += chunk.toString()
      if (!seen.includes('"id":2')) return
      const taken = performance.now() - start
      child.removeAllListeners('exit')
      child.once('exit', () => done(taken))
      child.stdin.end()
    })
  })
}
