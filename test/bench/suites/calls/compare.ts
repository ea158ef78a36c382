import { inTurn } from '../../harness/measure.ts'
import type { Figure, Table } from '../../harness/suite.ts'
import { httpCaller, sessionCaller, stdioServer } from './callers.ts'
import { processorMs, startServer } from './processes.ts'
import { CALLS, medianCall, ROUNDS, WARM_CALLS } from './timing.ts'

type Contestants = Record<string, () => Promise<void>>

/** Values of each contestant by round, after calls that are not counted. */
async function compared(contestants: Contestants): Promise<Record<string, number[]>> {
  for (const call of Object.values(contestants)) await medianCall(call, WARM_CALLS)
  const timed = Object.entries(contestants).map(([name, call]) => [name, () => medianCall(call)] as const)
  return inTurn(Object.fromEntries(timed), ROUNDS)
}

/** Rows of times, each of `ours` with its goal against the minimal server's row. */
function compareRows(values: Record<string, number[]>, pairs: Record<string, string>): Figure[] {
  return Object.entries(values).map(([name, times]) => ({
    name,
    unit: 'ms',
    values: times,
    ...(pairs[name] !== undefined && { against: pairs[name], goals: [{ of: 'ratio', most: 1.25 }] }),
  }))
}

/** Tracegate and the minimal server over HTTP. */
export async function overHttp(): Promise<Table[]> {
  await using program = startServer('http')
  const { minimal, ours, token } = JSON.parse(await program.next()) as Record<'minimal' | 'ours' | 'token', string>
  const bare = httpCaller({ url: `${minimal}/bare`, token }, '2026-07-28')
  const sdk = (tool: string, era: '2026-07-28' | '2025-11-25') => {
    const call = httpCaller({ url: `${minimal}/${tool}`, token }, era)
    return () => call(tool)
  }
  const modern = httpCaller({ url: `${ours}/mcp`, token }, '2026-07-28')
  const session = await sessionCaller({ url: `${ours}/mcp`, token })
  const contestants: Contestants = {
    'node:http alone': () => bare('say_nothing'),
    'SDK, 2026-07-28, no work': sdk('say_nothing', '2026-07-28'),
    'Tracegate, 2026-07-28, no work': () => modern('say_nothing'),
    'SDK, 2026-07-28, one read': sdk('read_name', '2026-07-28'),
    'Tracegate, 2026-07-28, one read': () => modern('read_name'),
    'SDK, 2025-11-25, no work': sdk('say_nothing', '2025-11-25'),
    'Tracegate, 2025-11-25, no work': () => session('say_nothing'),
    'SDK, 2025-11-25, one read': sdk('read_name', '2025-11-25'),
    'Tracegate, 2025-11-25, one read': () => session('read_name'),
  }
  const values = await compared(contestants)
  return [
    {
      title: 'A tool call over HTTP, one after the other',
      figures: compareRows(values, pairsOf(contestants)),
      notes: [
        'All servers are in one process, and the client in another. Tracegate has its whole surface and two more tools, checks host, origin and token, and writes both forms of a result. The minimal server is stateless in both revisions; Tracegate serves 2025-11-25 in a session. The read is `GET /v1/auth/me` from the embedded service.',
      ],
    },
    await processorTime(program.pid, contestants),
  ]
}

function pairsOf(contestants: Contestants): Record<string, string> {
  const ours = Object.keys(contestants).filter((name) => name.startsWith('Tracegate'))
  return Object.fromEntries(ours.map((name) => [name, name.replace('Tracegate', 'SDK')]))
}

/** What the server's process computes for a call. */
async function processorTime(pid: number, contestants: Contestants): Promise<Table> {
  const rounds = Object.entries(contestants).map(([name, call]) => {
    const measure = async () => {
      const before = processorMs(pid)
      for (let made = 0; made < CALLS; made += 1) await call()
      return (processorMs(pid) - before) / CALLS
    }
    return [name, measure] as const
  })
  const values = await inTurn(Object.fromEntries(rounds), ROUNDS)
  const pairs = pairsOf(contestants)
  const figures = Object.entries(values).map(([name, times]) => ({
    name,
    unit: 'ms' as const,
    values: times,
    ...(pairs[name] !== undefined && { against: pairs[name] }),
  }))
  return { title: "Processor time of the server's process for such a call", figures }
}

/** The same over stdio. */
export async function overStdio(): Promise<Table> {
  await using stack = new AsyncDisposableStack()
  const contestants: Contestants = {}
  for (const era of ['2026-07-28', '2025-11-25'] as const) {
    const ours = stack.use(await stdioServer(era, 'stdio-ours'))
    for (const [tool, work] of [
      ['say_nothing', 'no work'],
      ['read_name', 'one read'],
    ] as const) {
      const minimal = stack.use(await stdioServer(era, 'stdio-minimal', tool))
      contestants[`SDK, ${era}, ${work}`] = () => minimal.call(tool)
      contestants[`Tracegate, ${era}, ${work}`] = () => ours.call(tool)
    }
  }
  const figures = compareRows(await compared(contestants), pairsOf(contestants))
  return { title: 'A tool call over stdio, one after the other', figures }
}
