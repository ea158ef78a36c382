import { randomUUID } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { openForReading } from '../../sql/open/index.ts'
import type { NormalEvent } from '../event/event.ts'
import { writeStacks } from '../event/mapped-stacks.ts'
import type { PreparedEvent } from '../event/prepared-event.ts'
import { packBody } from '../issues/bodies/body.ts'
import { createDictionaries } from '../issues/bodies/choose.ts'
import { dictionaryText } from '../issues/bodies/dictionary.ts'
import { createClaimCheck } from '../issues/record/claims.ts'
import { createSuspicion } from '../issues/record/corroboration.ts'
import { prepareEvent } from '../issues/record/prepare-event.ts'
import { createFileReader } from '../sourcemaps/files/file-store.ts'
import { createMaplessSymbolicator, createSymbolicator } from '../sourcemaps/symbolicate/symbolicator.ts'
import { readBatch } from './batch.ts'
import { joinBytes, splitBytes } from '../../../lib/bytes.ts'
import type { Answer, Job, JobRequest, RequestOutcome, ThreadStart, Told } from './thread-messages.ts'

/** Dictionaries of about 5,000 issues. */
const DICTIONARY_BYTES = 16 * 1024 ** 2
/** Part of the process's limits for what the thread keeps of source maps. */
const SHARE = 1 / 4
const NOTHING = new Uint8Array()

// A thread that lives while events come: event-thread.ts starts it and sends one job after the other.
const { database, tables } = workerData as ThreadStart
const read = await openForReading(database)
const chooseDictionary = createDictionaries(read, { keptBytes: DICTIONARY_BYTES })
const symbolicator = createSymbolicator({ db: { read }, tables, files: createFileReader(read), share: SHARE })
const mapless = createMaplessSymbolicator()
const claims = createClaimCheck({ db: { read }, symbolicator })
const isSuspicious = createSuspicion()
let turn = Promise.resolve()
parentPort?.on('message', (told: Told) => {
  turn = turn.then(() => ('changed' in told ? symbolicator.changed(told.changed) : answer(told)))
})

async function answer({ number, requests, bytes, maxBytes }: Job): Promise<void> {
  const lengths = requests.flatMap((request) => request.lengths)
  const payloads = splitBytes(bytes, lengths)
  const outcomes: RequestOutcome[] = []
  const parts: Uint8Array[] = []
  for (const request of requests) {
    const { events, refused } = await readRequest(request, payloads.splice(0, request.lengths.length), maxBytes)
    outcomes.push({ events: events.map(withLengths), refused })
    for (const { packed, mapped } of events) parts.push(packed.body, packed.dictionary.packed, mapped ?? NOTHING)
  }
  const joined = joinBytes(parts)
  const used = symbolicator.takeUsed()
  const message: Answer = { number, outcomes: JSON.stringify(outcomes), bytes: joined, used }
  parentPort?.postMessage(message, [joined.buffer])
}

async function readRequest(
  { productId, header, client, receivedAt }: JobRequest,
  payloads: Buffer[],
  maxBytes: number,
) {
  const reading = { maxBytes, newId: randomUUID, pace: atOnce }
  const batch = { payloads, header, client, receivedAt }
  const { taken: events, refused } = await readBatch(batch, reading, (event) => prepare(productId, event))
  return { events, refused: refused.map(({ code, message, violations }) => ({ code, message, violations })) }
}

async function prepare(productId: number, event: NormalEvent): Promise<PreparedEvent> {
  const hasMaps = await symbolicator.hasAny(productId)
  const symbolicated = await (hasMaps ? symbolicator : mapless).symbolicate(productId, event)
  // Nothing contradicts an event of a product without source maps.
  const contradicted = hasMaps && (await claims.contradicts(productId, symbolicated.event))
  const prepared = prepareEvent(event, symbolicated, isSuspicious)
  const dictionary = await chooseDictionary(productId, prepared.grouping.hash, event)
  const mapped = symbolicated.event === event ? undefined : writeStacks(symbolicated.event)
  return {
    ...prepared,
    contradicted,
    mapped,
    packed: { body: packBody(event, dictionaryText(dictionary)), dictionary },
  }
}

function withLengths({ packed, mapped = NOTHING, ...event }: PreparedEvent): RequestOutcome['events'][number] {
  const { id, madeAt, packed: bytes } = packed.dictionary
  const dictionary = { id, madeAt, bytes: bytes.length }
  return { ...event, packed: { bodyBytes: packed.body.length, mappedBytes: mapped.length, dictionary } }
}

/** Nothing else runs in this thread. */
function atOnce<T>(piece: () => T): Promise<T> {
  return Promise.resolve().then(piece)
}
