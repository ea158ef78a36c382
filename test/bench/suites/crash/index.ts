import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { build } from '../../../../src/dev/build.ts'
import { serve, type Served } from '../../../serve.ts'
import type { Figure, Suite, Table } from '../../harness/suite.ts'
import { flood, resend, unlimit } from '../../support/flood/flood.ts'
import { compare, damage } from './stored.ts'

const ROUNDS = 20
const SHORTEST_MS = 200
const LONGEST_MS = 1_500

/** What a round did, in events. */
interface Round {
  acknowledged: readonly number[]
  /** Those acknowledged only when they were sent again. */
  resent: readonly number[]
  refused: number
  perSecond: number
  restartMs: number
}

/** The process is killed at full load, `ROUNDS` times on the same data; then everything is read and compared. */
export const crash: Suite = {
  about: `${String(ROUNDS)} rounds of kill -9 while 64 connections send events of 8 KB as fast as they are answered; each round restarts on the same data and sends again what had no answer. At the end everything is read by REST.`,
  async run() {
    const dataDir = mkdtempSync(join(tmpdir(), 'tracegate-bench-'))
    const dist = resolve(import.meta.dirname, '../../../../dist')
    const start = () => serve({ dataDir, main: join(dist, 'tracegate.js'), env: { TRACEGATE_LOG_LEVEL: 'error' } })
    try {
      await build(dist)
      {
        await using _creates = await start()
      }
      unlimit(dataDir)
      return [await killRounds(start, dataDir)]
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
}

async function killRounds(start: () => Promise<Served>, dataDir: string): Promise<Table> {
  let number = 0
  const next = () => (number += 1)
  const rounds: Round[] = []
  let served = await start()
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { killed, openNumbers } = await killAtFullRate(served, next)
      const restart = performance.now()
      served = await start()
      const restartMs = performance.now() - restart
      const refused = new Set(await resend(served.endpoints, openNumbers))
      const resent = openNumbers.filter((one) => !refused.has(one))
      rounds.push({ ...killed, resent, refused: refused.size, restartMs })
    }
    const acknowledged = rounds.flatMap((round) => [...round.acknowledged, ...round.resent])
    const found = await compare(served, acknowledged)
    return table(rounds, { ...found, damage: damage(dataDir) })
  } finally {
    await served[Symbol.asyncDispose]()
  }
}

async function killAtFullRate(served: Served, next: () => number) {
  const ms = SHORTEST_MS + Math.random() * (LONGEST_MS - SHORTEST_MS)
  const [{ acknowledged, open }] = await Promise.all([
    flood(served.endpoints, next),
    sleep(ms).then(() => served.kill()),
  ])
  return { killed: { acknowledged, perSecond: acknowledged.length / (ms / 1_000) }, openNumbers: open }
}

type Found = Awaited<ReturnType<typeof compare>> & { damage: readonly string[] }

function table(rounds: readonly Round[], { lost, doubled, miscounted, damage: damaged }: Found): Table {
  const all = (name: 'acknowledged' | 'resent') => rounds.map((round) => round[name].length)
  const zero = [{ of: 'median', most: 0 }] as const
  const figures: Figure[] = [
    { name: 'acknowledged until the kill, each round', unit: 'events', values: all('acknowledged') },
    { name: 'rate until the kill', unit: 'events/s', values: rounds.map(({ perSecond }) => perSecond) },
    { name: 'without an answer at the kill, each round', unit: 'events', values: all('resent') },
    { name: 'restart', unit: 'ms', values: rounds.map(({ restartMs }) => restartMs) },
    {
      name: 'lost',
      unit: 'events',
      values: [lost],
      goals: zero,
      headline: 'Acknowledged events lost in 20 rounds of kill -9',
    },
    { name: 'doubled', unit: 'events', values: [doubled], goals: zero },
    {
      name: 'refused when sent again',
      unit: 'events',
      values: [sum(rounds.map(({ refused }) => refused))],
      goals: zero,
    },
    { name: 'wrong counters of issues', unit: 'counters', values: [miscounted.length], goals: zero },
    { name: 'damage that integrity_check finds', unit: 'rows', values: [damaged.length], goals: zero },
  ]
  const total = `${sum(all('acknowledged')).toLocaleString('en')} events were acknowledged, ${sum(all('resent')).toLocaleString('en')} of them had no answer when the process was killed and were sent again.`
  return { title: 'kill -9 at full rate', figures, notes: [total, ...miscounted.slice(0, 5), ...damaged.slice(0, 5)] }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
