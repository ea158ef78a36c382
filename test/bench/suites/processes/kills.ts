import { setTimeout as sleep } from 'node:timers/promises'
import type { Served } from '../../../serve.ts'
import type { Figure, Table } from '../../harness/suite.ts'
import { flood, resend } from '../../support/flood/flood.ts'
import { compare } from '../crash/stored.ts'
import type { Pair } from './pair.ts'

const ROUNDS = 50
const SHORTEST_MS = 100
const LONGEST_MS = 700
/** How long the other process is watched after a kill. */
const AFTER_MS = 300

interface Round {
  acknowledged: readonly number[]
  /** Acknowledged by the other process while the killed one was gone. */
  meanwhile: number
  /** Without an answer of the process that was killed, acknowledged when they were sent again. */
  resent: readonly number[]
  refused: number
  /** Requests of the other process that failed. */
  failed: number
}

/** One of two processes is killed under load, `ROUNDS` times; then everything is read and compared. */
export async function killRounds(open: () => Promise<Pair>): Promise<Table> {
  await using pair = await open()
  let number = 0
  const next = () => (number += 1)
  let running: [Served, Served] = [pair.one, pair.other]
  const rounds: Round[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const [victim, other] = Math.random() < 0.5 ? running : ([running[1], running[0]] as const)
    const { killed, stayed, meanwhile } = await killOne(victim, other, next)
    const restarted = await pair.restart(victim)
    running = [restarted, other]
    const refused = new Set(await resend(other.endpoints, [...killed.open, ...stayed.open]))
    rounds.push({
      acknowledged: [...killed.acknowledged, ...stayed.acknowledged],
      meanwhile,
      resent: [...killed.open, ...stayed.open].filter((one) => !refused.has(one)),
      refused: refused.size,
      failed: stayed.open.length,
    })
  }
  const acknowledged = rounds.flatMap((round) => [...round.acknowledged, ...round.resent])
  return table(rounds, await compare(running[0], acknowledged))
}

async function killOne(victim: Served, other: Served, next: () => number) {
  const stop = new AbortController()
  let answeredLater = 0
  const counting = () => {
    answeredLater += isGone ? 1 : 0
    return next()
  }
  let isGone = false
  const [killed, stayed] = await Promise.all([
    flood(victim.endpoints, next),
    flood(other.endpoints, counting, stop.signal),
    sleep(SHORTEST_MS + Math.random() * (LONGEST_MS - SHORTEST_MS)).then(async () => {
      await victim.kill()
      isGone = true
      await sleep(AFTER_MS)
      stop.abort()
    }),
  ])
  return { killed, stayed, meanwhile: answeredLater }
}

function table(rounds: readonly Round[], { lost, doubled, miscounted }: Awaited<ReturnType<typeof compare>>): Table {
  const zero = [{ of: 'median', most: 0 }] as const
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  const figures: Figure[] = [
    {
      name: 'acknowledged by both, each round',
      unit: 'events',
      values: rounds.map(({ acknowledged }) => acknowledged.length),
    },
    {
      name: `sent to the other in the ${String(AFTER_MS)} ms after a kill`,
      unit: 'events',
      values: rounds.map(({ meanwhile }) => meanwhile),
    },
    {
      name: 'requests of the other that failed',
      unit: 'events',
      values: [sum(rounds.map(({ failed }) => failed))],
      goals: zero,
    },
    {
      name: 'without an answer at the kill, each round',
      unit: 'events',
      values: rounds.map(({ resent }) => resent.length),
    },
    {
      name: 'lost',
      unit: 'events',
      values: [lost],
      goals: zero,
      headline: `Acknowledged events lost while one of two processes on PostgreSQL was killed ${String(ROUNDS)} times`,
    },
    { name: 'doubled', unit: 'events', values: [doubled], goals: zero },
    {
      name: 'refused when sent again',
      unit: 'events',
      values: [sum(rounds.map(({ refused }) => refused))],
      goals: zero,
    },
    { name: 'wrong counters of issues', unit: 'counters', values: [miscounted.length], goals: zero },
  ]
  const all = sum(rounds.map(({ acknowledged, resent }) => acknowledged.length + resent.length))
  const total = `${all.toLocaleString('en')} events were acknowledged.`
  return {
    title: `One of two processes is killed, ${String(ROUNDS)} times`,
    figures,
    notes: [total, ...miscounted.slice(0, 5)],
  }
}
