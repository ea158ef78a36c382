import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { bareEnvironment } from '../serve.ts'
import { inTurn } from './median.ts'

const root = resolve(import.meta.dirname, '../..')
const ROUNDS = 11

/** Spawn to the answer of tools/list over stdio, against a bare Node process; the bundle too when it is built. */
export async function coldStart(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tracegate-bench-'))
  const bundle = join(root, 'dist/main.js')
  try {
    const contestants: Record<string, () => Promise<number>> = {
      'node -e 0': () => elapsed(['-e', '0']),
      'from source': () => firstList(join(root, 'src/main.ts'), dataDir),
    }
    if (existsSync(bundle)) contestants['bundle'] = () => firstList(bundle, dataDir)
    const times = await inTurn(contestants, ROUNDS)
    const floor = times['node -e 0'] ?? Number.NaN
    for (const [name, ms] of Object.entries(times)) {
      console.log(`  ${name.padEnd(12)} ${ms.toFixed(0).padStart(6)} ms  × ${(ms / floor).toFixed(1)}`)
    }
    if (!existsSync(bundle)) console.log('  (npm run build adds the bundle to the comparison)')
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function elapsed(args: string[]): Promise<number> {
  const start = performance.now()
  return new Promise((done) =>
    spawn(process.execPath, args, { stdio: 'ignore' }).once('exit', () => done(performance.now() - start)),
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
