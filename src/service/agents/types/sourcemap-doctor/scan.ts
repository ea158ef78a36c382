import { sql } from 'kysely'
import type { AgentContext } from '../../define.ts'
import type { TruncationNotes } from '../../../shared/truncation-notes.ts'
import type { Rows } from '../../../sql/database.ts'

/** Events that are read, those that arrived last first. */
const MOST_EVENTS = 100_000
/** Rows of one query: a few milliseconds. */
const PAGE = 2_000
/** An event may be dated so much after its arrival, in milliseconds: ingestion limits it to that. */
const MOST_AHEAD = 60_000
/** Events of one issue and release that are looked at. */
const SAMPLES = 2
/** Events that are looked at in all: each is unpacked and symbolicated. */
const MOST_SAMPLES = 400

/** The events of an issue in one release that had minified frames without a source when they arrived. */
export interface Suspect {
  issueId: string
  releaseId: string
  events: number
  /** Ids of occurrences with a body, the newest first. */
  samples: string[]
}

interface Scan {
  events: number
  unmapped: number
  suspects: Suspect[]
}

/** Finds events without all of their sources, of issues with many such events first, and the ones to look at. */
export async function scanEvents(
  { rows, product, progress }: Pick<AgentContext, 'rows' | 'product' | 'progress'>,
  { from, to, releaseIds, notes }: Asked,
): Promise<Scan> {
  const suspects = new Map<string, Suspect>()
  let [read, events, unmapped] = [0, 0, 0]
  let before: Place = { receivedAt: to + 1, seq: 0 }
  for (;;) {
    await progress({ phase: 'events', done: read, total: 0 })
    const page = await readPage(rows, product.id, { from, before, releaseIds })
    const last = page.at(-1)
    if (last === undefined) break
    read += page.length
    for (const row of page) {
      if (row.timestamp < from) continue
      events += 1
      if (row.is_unmapped === 0) continue
      unmapped += 1
      addSuspect(suspects, row)
    }
    before = { receivedAt: last.received_at, seq: last.seq }
    if (read >= MOST_EVENTS) {
      notes.noteCut('counts.events', 'max_items', events, await countEvents(rows, product.id, { from, to, releaseIds }))
      break
    }
  }
  return { events, unmapped, suspects: limitSamples(suspects, notes) }
}

interface Asked {
  /** Epoch milliseconds: events that happened since, as the lists of issues count their periods. */
  from: number
  /** Epoch milliseconds: events that had arrived by then. */
  to: number
  /** Undefined: events of all releases and of none. */
  releaseIds: readonly string[] | undefined
  notes: TruncationNotes
}

interface Place {
  receivedAt: number
  seq: number
}

type EventRow = Awaited<ReturnType<typeof readPage>>[number]

/** A state in the JSON of a summary. Texts of events are escaped there, so that none can look like it. */
const inState = ({ dialect }: Rows, state: string) =>
  dialect.anyContains(['summary'], `"symbolication_state":"SYMBOLICATION_STATE_${state}"`)

function readPage(
  rows: Rows,
  productId: number,
  { from, before, releaseIds }: Pick<Asked, 'from' | 'releaseIds'> & { before: Place },
) {
  const states = ['MISSING', 'PARTIAL', 'FAILED'].map((state) => inState(rows, state))
  const isUnmapped = sql<boolean>`(${sql.join(states, sql` OR `)})`
  return rows
    .selectFrom('occurrence')
    .innerJoin('place', 'place.id', 'place_id')
    .select(['occurrence.id', 'seq', 'timestamp', 'received_at', 'issue_id', 'release_id'])
    .select(sql<number>`CASE WHEN ${isUnmapped} THEN 1 ELSE 0 END`.as('is_unmapped'))
    .select(sql<number>`CASE WHEN body IS NULL THEN 0 ELSE 1 END`.as('has_body'))
    .where('product_id', '=', productId)
    .where('received_at', '>=', from - MOST_AHEAD)
    .where(sql<boolean>`(received_at, seq) < (${before.receivedAt}, ${before.seq})`)
    .$if(releaseIds !== undefined, (some) => some.where(rows.dialect.isOneOf('release_id', releaseIds ?? [])))
    .orderBy('received_at', 'desc')
    .orderBy('seq', 'desc')
    .limit(PAGE)
    .execute()
}

async function countEvents(rows: Rows, productId: number, { from, to, releaseIds }: Omit<Asked, 'notes'>) {
  const { count } = await rows
    .selectFrom('occurrence')
    .innerJoin('place', 'place.id', 'place_id')
    .select((of) => of.fn.countAll<number>().as('count'))
    .where('product_id', '=', productId)
    .where('received_at', '>=', from - MOST_AHEAD)
    .where('received_at', '<=', to)
    .where('timestamp', '>=', from)
    .$if(releaseIds !== undefined, (some) => some.where(rows.dialect.isOneOf('release_id', releaseIds ?? [])))
    .executeTakeFirstOrThrow()
  return count
}

function addSuspect(suspects: Map<string, Suspect>, row: EventRow): void {
  const key = `${row.issue_id} ${row.release_id}`
  const known = suspects.get(key) ?? { issueId: row.issue_id, releaseId: row.release_id, events: 0, samples: [] }
  known.events += 1
  if (row.has_body === 1 && known.samples.length < SAMPLES) known.samples.push(row.id)
  suspects.set(key, known)
}

/** The suspects with the most events keep their samples. */
function limitSamples(suspects: ReadonlyMap<string, Suspect>, notes: TruncationNotes): Suspect[] {
  const sorted = [...suspects].toSorted(
    ([leftKey, left], [rightKey, right]) => right.events - left.events || (leftKey < rightKey ? -1 : 1),
  )
  let room = MOST_SAMPLES
  const all = sorted.reduce((sum, [, { samples }]) => sum + samples.length, 0)
  notes.noteCut('groups', 'max_samples', Math.min(MOST_SAMPLES, all), all)
  const limited = sorted.map(([, suspect]) => {
    const samples = suspect.samples.slice(0, room)
    room -= samples.length
    return { ...suspect, samples }
  })
  return limited.filter(({ samples }) => samples.length > 0)
}
