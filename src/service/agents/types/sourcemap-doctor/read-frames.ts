import type { UnmappedCause } from '../../../shared/event-symbolicator.ts'
import type { AgentContext } from '../../define.ts'
import type { StoredEvent } from '../../../errors/issues/bodies/body.ts'
import { createBodyReader } from '../../../errors/issues/bodies/read.ts'
import { chunks } from '../../../sql/chunks.ts'
import type { Rows } from '../../../sql/database.ts'
import type { Suspect } from './scan.ts'

/** Events between two reports of progress. */
const STEP = 10

/** Frames of one file of a build that have no source for one reason. */
export interface FrameGroup {
  cause: UnmappedCause | 'late'
  release: string
  dist: string
  /** The path without its host and query. */
  file: string
  debugId: string
  /** Of the upload whose map was found; '' without one. */
  uploadId: string
  /** Different positions, as `line:column`. */
  places: Set<string>
  suspects: Set<Suspect>
}

/**
 * Reads the samples with the maps of today. Frames that have a source by now count as `late` when its map came after the
 * event.
 */
export async function readFrames(
  { rows, product, call, progress }: Pick<AgentContext, 'rows' | 'product' | 'call' | 'progress'>,
  suspects: readonly Suspect[],
): Promise<{ groups: FrameGroup[]; sampled: number }> {
  const groups = new Map<string, FrameGroup>()
  const samples = suspects.flatMap((suspect) => suspect.samples.map((id) => ({ id, suspect })))
  const confirmed = createConfirmTimes(rows)
  const readBody = createBodyReader(rows)
  for (const [done, { id, suspect }] of samples.entries()) {
    if (done % STEP === 0) await progress({ phase: 'samples', done, total: samples.length })
    const row = await rows
      .selectFrom('occurrence')
      .select(['body', 'dictionary_id'])
      .where('id', '=', id)
      .executeTakeFirst()
    if (!row?.body) continue
    const sent = (await readBody({ ...row, body: row.body }))?.event
    if (sent === undefined) continue
    const { event, unmapped } = await call.symbolicator.symbolicate(product.id, sent)
    for (const { frame, cause, uploadId } of unmapped) {
      // A limit of one event says nothing about the file.
      if (cause !== 'limit') add(groups, suspect, sent, { frame, cause, uploadId })
    }
    for (const frame of listFrames(event)) {
      if (!frame.symbolicated || !frame.in_app || frame.original === null) continue
      const since = await confirmed(frame.source_map_id)
      if (since <= sent.received_at) continue
      const original = { ...frame, ...frame.original }
      add(groups, suspect, sent, { frame: original, cause: 'late', uploadId: frame.source_map_id })
    }
  }
  await progress({ phase: 'samples', done: samples.length, total: samples.length })
  return { groups: [...groups.values()], sampled: samples.length }
}

type Frame = ReturnType<typeof listFrames>[number]

function listFrames({ exceptions, threads }: StoredEvent) {
  return [...exceptions, ...threads].flatMap(({ frames }) => frames)
}

function add(
  groups: Map<string, FrameGroup>,
  suspect: Suspect,
  { release, dist }: StoredEvent,
  found: { frame: Frame; cause: FrameGroup['cause']; uploadId: string },
): void {
  const { frame, cause, uploadId } = found
  const facts = { cause, release, dist, file: filePath(frame), debugId: frame.debug_id, uploadId }
  const key = JSON.stringify(Object.values(facts))
  const group = groups.get(key) ?? { ...facts, places: new Set(), suspects: new Set() }
  group.places.add(`${frame.lineno}:${frame.colno}`)
  group.suspects.add(suspect)
  groups.set(key, group)
}

/** `~/assets/app.js` of `https://shop.example/assets/app.js?v=1`: hosts that serve the same file count once. */
function filePath({ abs_path: path, filename }: Frame): string {
  const whole = (path === '' ? filename : path).replace(/[?#].*$/s, '')
  return whole.replace(/^[a-z][\w+.-]*:\/\/[^/]*\//i, '~/')
}

/** By upload: when it was confirmed, in epoch milliseconds; 0 for one that is gone. */
function createConfirmTimes(rows: Rows): (id: string) => Promise<number> {
  const known = new Map<string, number>()
  return async (id) => {
    const before = known.get(id)
    if (before !== undefined) return before
    const found = await rows.selectFrom('sourcemap').select('confirmed_at').where('id', '=', id).executeTakeFirst()
    const time = found?.confirmed_at ?? 0
    known.set(id, time)
    return time
  }
}

/** By issue id: its number. */
export async function readNumbers(rows: Rows, suspects: readonly Suspect[]): Promise<Map<string, number>> {
  const numbers = new Map<string, number>()
  for (const ids of chunks([...new Set(suspects.map(({ issueId }) => issueId))])) {
    const found = await rows.selectFrom('issue').select(['id', 'number']).where('id', 'in', ids).execute()
    for (const { id, number } of found) numbers.set(id, number)
  }
  return numbers
}
