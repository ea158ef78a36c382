import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Api } from '../../../src/client/api.ts'
import { createApi } from '../../../src/client/client.ts'
import { createLocalFiles } from '../../../src/mcp/files/local-files.ts'
import { origin } from '../../app.ts'
import { connect, type Called } from '../../mcp/clients.ts'
import { sayYes } from '../../mcp/say-yes.ts'
import { rememberedReads } from '../remembered.ts'
import { inVirtualTime } from './cell-clock.ts'
import { tryCell, type Cell, type Tried, type Worker } from './cell.ts'
import type { Fault, Place } from './fault.ts'
import { inTheMiddle, likeTheirNeighbours, representatives } from './faults.ts'
import { openFaultShop, subjects, type Subject, type Things } from './subjects.ts'
import { isWrite, startUpstream, type Upstream } from './upstream.ts'

/** The deployments, and the agents that make the calls. */
export interface Matrix extends AsyncDisposable {
  subjects: readonly Subject[]
  upstream: Upstream
  /** The answers without a fault, by subject. */
  baseline: ReadonlyMap<string, Cell>
  /** Makes every call, several at a time. */
  run(tried: readonly Tried[]): Promise<Cell[]>
}

/** Opens everything once; `workers` is how many calls are made at a time, each on a clock of its own. */
export async function openMatrix(workers: number, clock = inVirtualTime): Promise<Matrix> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'tracegate-faults-')))
  const upstream = await startUpstream()
  const { shop: readShop, things: shared } = await openFaultShop(1, join(root, 'read'))
  const { shop: writeShop, things } = await openFaultShop(workers, join(root, 'written'))
  const team = await Promise.all(things.map((mine, index) => hire({ ...mine, root: join(root, String(index)) }, index)))
  // The matrix reads the same thousands of times. Nothing changes in the first shop.
  const read = { shop: readShop, service: rememberedReads(readShop.service.direct, { until: 'the end' }) }
  const service = rememberedReads(writeShop.service.direct, { until: 'a write' })
  // What is put back is a write too, which makes remembered answers untrue.
  const written = {
    shop: { ...writeShop, api: createApi({ send: service, baseUrl: origin, token: writeShop.token }) },
    service,
  }
  const expected = new Map<string, Called>()
  let calls = 0

  async function tryOne(tried: Tried, worker: Worker): Promise<Cell> {
    const isWrite = tried.subject.kind === 'write'
    const mine = isWrite ? worker.things : (shared[0] ?? worker.things)
    const things = { ...mine, root: worker.things.root, mark: `call${String((calls += 1))}` }
    return tryCell(tried, worker, { ...(isWrite ? written : read), things, upstream, clock, baseline: expected })
  }

  async function run(tried: readonly Tried[]): Promise<Cell[]> {
    const cells: Cell[] = []
    const rest = [...tried].entries()
    const work = async (worker: Worker) => {
      for (const [index, one] of rest) cells[index] = await tryOne(one, worker)
    }
    await Promise.all(team.map(({ worker }) => work(worker)))
    return cells
  }

  const all = subjects(readShop, shared[0] ?? { config: '', run: '' })
  const first = await run(all.map((subject) => ({ subject, fault: undefined, place: 'first' })))
  for (const { subject, result } of first) expected.set(subject.name, result)
  return {
    subjects: all,
    upstream,
    baseline: new Map(first.map((cell) => [cell.subject.name, cell])),
    run,
    async [Symbol.asyncDispose]() {
      await Promise.all(team.map(({ dismiss }) => dismiss()))
      await upstream[Symbol.asyncDispose]()
      await Promise.all([readShop.close(), writeShop.close()])
      rmSync(root, { recursive: true, force: true })
    },
  }
}

async function hire(things: Things, index: number): Promise<{ worker: Worker; dismiss: () => Promise<void> }> {
  mkdirSync(things.root)
  const current: Worker['current'] = {
    api: undefined as unknown as Api,
    upload: async () => {},
    clock: inVirtualTime(),
  }
  const agent = await connect(() => Promise.resolve(current.api), {
    options: { toolsets: ['all'], local: true },
    local: createLocalFiles([things.root]),
    upload: async (...given) => current.upload(...given),
    // The reads of send_test_event; its own request is in the test of `SendEvent`.
    sendEvent: () => Promise.resolve(),
    clock: { now: () => current.clock.now(), after: (...given) => current.clock.after(...given) },
    user: sayYes,
    // Changes of one call do not count for the next.
    changing: {
      caller: String(index),
      recent: { add: () => undefined },
    },
  })
  return { worker: { agent, things, current }, dismiss: async () => agent[Symbol.asyncDispose]() }
}

/** The calls of a fault: each place that the call without a fault has, in each subject. */
export function planned(fault: Fault, { subjects: all, baseline }: Pick<Matrix, 'subjects' | 'baseline'>): Tried[] {
  return all.flatMap((subject) => {
    const log = baseline.get(subject.name)?.log ?? []
    return fault.places
      .filter((place) => hasPlace(place, subject, log) && isTold(fault, place, subject))
      .map((place) => ({ subject, fault, place }))
  })
}

/**
 * Whether the outcome says more than that of another call. A read that is repeated with success is the same in every
 * call after the first read; a preview has the reads of its tool, and an address is its tool.
 */
function isTold(fault: Fault, place: Place, { name, kind }: Subject): boolean {
  if (representatives.has(name) || process.env['TRACEGATE_TEST_FAULTS'] === 'all') return true
  if (likeTheirNeighbours.has(fault.name)) return false
  if (place === 'always') return true
  if ((place === 'second' || place === 'after') && !inTheMiddle.has(fault.name)) return false
  if (kind === 'preview') return place === 'write'
  const recovers = fault.right.read[0] === 'ok'
  return recovers ? (kind === 'read' || kind === 'write') && place !== 'second' : kind !== 'template'
}

function hasPlace(place: Place, { kind }: Subject, log: Cell['log']): boolean {
  if (kind === 'template' || kind === 'completion') return place === 'first' || place === 'always'
  const firstWrite = log.findIndex(isWrite)
  if (place === 'write') return firstWrite >= 0
  if (place === 'after') return firstWrite >= 0 && firstWrite < log.length - 1
  if (place === 'second') return log.length > 1
  return true
}

const letters: Readonly<Record<Cell['outcome'], string>> = {
  ok: '.',
  partial: '~',
  upstream_unavailable: 'U',
  outcome_unknown: '?',
  upstream_shape_unknown: 'S',
  unauthenticated: 'A',
  permission_denied: 'P',
  web_only: 'W',
  not_found: 'N',
  feature_disabled: 'F',
  state_changed: 'C',
  already_exists: 'E',
  failed_precondition: 'X',
  too_large: 'L',
  rate_limited: 'R',
  invalid_argument: 'I',
  internal: 'B',
  ambiguous_name: 'M',
  wrong_id_kind: 'K',
  misconfigured: 'T',
  confirmation_required: 'Q',
  confirmation_expired: 'O',
  declined: 'D',
}

/** What the letters of the table mean. */
export const legend = `A letter for each place that a fault strikes: the first request, the second, the first write, what follows it; or all.
${Object.entries(letters)
  .map(([outcome, letter]) => `${letter} ${outcome}`)
  .join('  ')}  ! wrong`

const order: readonly Place[] = ['first', 'second', 'write', 'after', 'always']

/** Faults down, calls across; in a field a letter for each place that was struck, with `!` for what is wrong. */
export function table(cells: readonly Cell[], all: readonly Subject[]): string {
  const rows = Map.groupBy(cells, ({ fault }) => fault?.name ?? '')
  const width = Math.max(...[...rows.keys()].map(({ length }) => length))
  const columns = all.map((subject) => {
    const fields = [...rows.values()].map((row) => field(row.filter((cell) => cell.subject === subject)))
    const size = Math.max(2, ...fields.map(({ length }) => length))
    return fields.map((text) => text.padEnd(size))
  })
  const lines = [...rows.keys()].map((name, index) =>
    `${name.padEnd(width)}  ${columns.map((column) => column[index]).join(' ')}`.trimEnd(),
  )
  const heads = all.map(({ name }, index) => `${' '.repeat(width + 2)}${columnStart(columns, index)}${name}`)
  return [...heads.toReversed(), ...lines].join('\n')
}

function columnStart(columns: readonly (readonly string[])[], index: number): string {
  return columns
    .slice(0, index)
    .map(([field = '']) => `│${' '.repeat(field.length)}`)
    .join('')
}

function field(cells: readonly Cell[]): string {
  const sorted = cells.toSorted((a, b) => order.indexOf(a.place) - order.indexOf(b.place))
  return sorted.map(({ outcome, wrong }) => letters[outcome] + (wrong.length > 0 ? '!' : '')).join('')
}
