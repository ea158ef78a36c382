import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { App } from '../../../app.ts'
import { usesPostgres } from '../../../postgres/databases.ts'
import { reasonOf } from '../../people.ts'
import {
  cancelRun,
  configure,
  probe,
  reach,
  readEvents,
  readRun,
  start,
  startAgentApp,
  startOnClock,
  until,
  type Run,
} from '../probes.ts'

/** Turns of the event loop: the interleavings are made of these. */
async function turns(count: number) {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate)
}

/** Longer than a run takes: on a server each of its statements is a message, and many turns pass meanwhile. */
const MOST_TURNS = usesPostgres() ? 4_000 : 40

/** What a run does: turns before each of its reports, and before the last statement of its commit. */
interface Script {
  reports: number[]
  inCommit: number
}

/** An agent type whose runs follow the script of `limit`, and leave a row when their commit is kept. */
function scripted(scripts: readonly Script[]) {
  return probe(async (context, { limit }) => {
    const script = scripts[limit - 1] ?? { reports: [], inCommit: 0 }
    for (const [done, wait] of script.reports.entries()) {
      await turns(wait)
      await context.progress({ phase: 'steps', done, total: script.reports.length })
      await context.finding(`Finding ${String(done)}.`)
    }
    return {
      async commit({ rows, action }) {
        action('Left a row.')
        const row = { token_id: 'commit', key: context.call.actor.id, request_hash: '', status: 0, response: '', at: 0 }
        await rows.insertInto('idempotency').values(row).execute()
        await turns(script.inCommit)
        return { summary: 'Done.', output: { found: 1 } }
      },
    }
  })
}

const script = fc.record({
  reports: fc.array(fc.nat({ max: 3 }), { maxLength: 4 }),
  inCommit: fc.nat({ max: 4 }),
})

/** Whatever happened, the row of a run, its events and what it wrote say the same. Resolves to its state. */
async function checkConsistent(app: App, run: Run): Promise<Run['state']> {
  const events = await readEvents(app, run.id)
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))
  expect(run.last_sequence).toBe(events.length)
  expect(events.filter(({ kind }) => kind === 'COMPLETED')).toHaveLength(1)
  expect(events.at(-1)).toMatchObject({ kind: 'COMPLETED', data: { state: run.state, summary: run.summary } })
  const hasSucceeded = run.state === 'AGENT_RUN_STATE_SUCCEEDED'
  const left = await app.db.read.selectFrom('idempotency').select('key').where('key', '=', run.id).execute()
  expect(left).toHaveLength(hasSucceeded ? 1 : 0)
  expect(events.some(({ kind }) => kind === 'ACTION')).toBe(hasSucceeded)
  expect(run.output === null).toBe(!hasSucceeded)
  expect(run.error === null).toBe(hasSucceeded || run.state === 'AGENT_RUN_STATE_CANCELLED')
  return run.state
}

test('a cancellation that was accepted ends the run CANCELLED, and one that came too late is refused', async () => {
  const scripts: Script[] = []
  await using app = await startAgentApp({ agentTypes: [scripted(scripts)] })
  const configId = await configure(app)
  const ends: string[] = []
  const race = async (one: Script, wait: number) => {
    scripts[0] = one
    const id = await start(app, configId, { input: { limit: 1 } })
    await turns(wait)
    const reply = await cancelRun(app, id)
    const run = await reach(app, id)
    await checkConsistent(app, run)
    const isAccepted = reply.status === 200
    expect([run.state, reasonOf(reply)]).toEqual(
      isAccepted ? ['AGENT_RUN_STATE_CANCELLED', undefined] : ['AGENT_RUN_STATE_SUCCEEDED', 'RUN_FINISHED'],
    )
    ends.push(run.state)
  }
  await fc.assert(fc.asyncProperty(script, fc.nat({ max: MOST_TURNS }), race), { numRuns: 80 })
  expect(new Set(ends).size).toBe(2)
})

test('a cancellation ends a run within 1.5 seconds at any moment, also one that never reaches a checkpoint again', async () => {
  const script: Script & { hangsAfter: number } = { reports: [], inCommit: 0, hangsAfter: 0 }
  const type = probe(async (context) => {
    for (const [done, wait] of script.reports.entries()) {
      if (done === script.hangsAfter) await new Promise(() => {})
      await turns(wait)
      await context.progress({ phase: 'steps', done, total: 0 })
    }
    return new Promise<never>(() => {})
  })
  const { app, clock } = await startOnClock([type])
  await using _ = app
  const configId = await configure(app)
  const cancel = async (reports: number[], hangsAfter: number, wait: number) => {
    Object.assign(script, { reports, hangsAfter })
    const id = await start(app, configId)
    await turns(wait)
    expect((await cancelRun(app, id)).status).toBe(200)
    clock.pass(1500)
    expect(await checkConsistent(app, await reach(app, id))).toBe('AGENT_RUN_STATE_CANCELLED')
  }
  const reports = fc.array(fc.nat({ max: 3 }), { maxLength: 4 })
  await fc.assert(fc.asyncProperty(reports, fc.nat({ max: 5 }), fc.nat({ max: 30 }), cancel), { numRuns: 60 })
})

test('a run ends once, whichever of two services finishes, cancels, times out or takes it over first', async () => {
  const scripts: Script[] = []
  const type = scripted(scripts)
  const { app, clock } = await startOnClock([type])
  await using _ = app
  const other = await startOnClock([type], { dataDir: app.dataDir })
  await using __ = other.app
  const configId = await configure(app, { timeout_seconds: 10 })
  const ends: string[] = []
  const event = fc.record({
    wait: fc.nat({ max: Math.floor(MOST_TURNS / 3) }),
    what: fc.constantFrom('cancel', 'time out', 'take over', 'look'),
  })
  const race = async (one: Script, happens: { wait: number; what: string }[]) => {
    scripts[0] = one
    const id = await start(app, configId, { input: { limit: 1 } })
    for (const { wait, what } of happens) {
      await turns(wait)
      if (what === 'cancel') void cancelRun(other.app, id)
      if (what === 'time out') clock.pass(10_000)
      // The other service sees an expired lease, because only its time passes.
      if (what === 'take over') other.clock.pass(16_000)
      if (what === 'look') clock.pass(500)
    }
    const run = await until(async () => {
      clock.pass(10)
      const now = await readRun(app, id)
      return now.finished_at === null ? undefined : now
    })
    await turns(20)
    expect(await readRun(app, id)).toEqual(run)
    await checkConsistent(app, run)
    ends.push(run.state)
  }
  await fc.assert(fc.asyncProperty(script, fc.array(event, { maxLength: 4 }), race), { numRuns: 80 })
  // A few tries of random races need not reach several ends.
  expect(new Set(ends).size).toBeGreaterThan(usesPostgres() ? 0 : 2)
})

test('three services that execute many runs and cancel some of them end every run', async () => {
  const scripts = Array.from({ length: 10 }, (_, index) => ({ reports: [index % 3, index % 4], inCommit: index % 2 }))
  const type = scripted(scripts)
  await using one = await startAgentApp({ agentTypes: [type] })
  await using two = await startAgentApp({ agentTypes: [type], dataDir: one.dataDir })
  await using three = await startAgentApp({ agentTypes: [type], dataDir: one.dataDir })
  const apps = [one, two, three]
  const configs: string[] = []
  for (let count = 0; count < 40; count += 1) configs.push(await configure(one))
  const ids = await Promise.all(
    configs.map((configId, index) => start(apps[index % 3]!, configId, { input: { limit: (index % 10) + 1 } })),
  )
  await Promise.all(
    ids.map(async (id, index) => {
      await turns(index % 17)
      if (index % 3 === 0) await cancelRun(apps[(index + 1) % 3]!, id)
    }),
  )
  const runs = await Promise.all(ids.map((id) => reach(one, id)))
  for (const run of runs) await checkConsistent(one, run)
  expect(runs).toHaveLength(40)
})
