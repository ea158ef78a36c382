import { randomUUID } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { openForReading } from '../../sql/open/index.ts'
import type { NormalEvent } from '../event/event.ts'
import type { PreparedEvent } from '../event/prepared-event.ts'
import { packBody } from '../issues/bodies/body.ts'
import { createDictionaries } from '../issues/bodies/choose.ts'
import { dictionaryText } from '../issues/bodies/dictionary.ts'
import { createSuspicion } from '../issues/record/corroboration.ts'
import { prepareEvent } from '../issues/record/prepare-event.ts'
import { createMaplessSymbolicator } from '../sourcemaps/symbolicate/symbolicator.ts'
import { readBatch } from './batch.ts'
import { joinBytes, splitBytes } from '../../../lib/bytes.ts'
import type { Answer, Job, JobRequest, RequestOutcome, ThreadStart } from './thread-messages.ts'

/** Dictionaries of about 5,000 issues. */
const DICTIONARY_BYTES = 16 * 1024 ** 2

// A thread that lives while events come: event-thread.ts starts it and sends one job after the other.
const { database } = workerData as ThreadStart
const chooseDictionary = createDictionaries(await openForReading(database), { keptBytes: DICTIONARY_BYTES })
const symbolicator = createMaplessSymbolicator()
const isSuspicious = createSuspicion()
let turn = Promise.resolve()
parentPort?.on('message', (job: Job) => {
  turn = turn.then(() => answer(job))
})

async function answer({ requests, bytes, maxBytes }: Job): Promise<void> {
  const lengths = requests.flatMap((request) => request.lengths)
  const payloads = splitBytes(bytes, lengths)
  const outcomes: RequestOutcome[] = []
  const parts: Uint8Array[] = []
  for (const request of requests) {
    const { events, refused } = await readRequest(request, payloads.splice(0, request.lengths.length), maxBytes)
    outcomes.push({ events: events.map(withLengths), refused })
    for (const { packed } of events) parts.push(packed.body, packed.dictionary.packed)
  }
  const joined = joinBytes(parts)
  parentPort?.postMessage({ outcomes: JSON.stringify(outcomes), bytes: joined } satisfies Answer, [joined.buffer])
}

async function readRequest(
  { productId, header, client, receivedAt }: JobRequest,
  payloads: Buffer[],
  maxBytes: number,
) {
  const reading = { maxBytes, newId: randomUUID, pace: atOnce }
  const read = await readBatch({ payloads, header, client, receivedAt }, reading)
  const events: PreparedEvent[] = []
  for (const event of read.events) events.push(await prepareMapless(productId, event))
  return { events, refused: read.refused.map(({ code, message, violations }) => ({ code, message, violations })) }
}

async function prepareMapless(productId: number, event: NormalEvent): Promise<PreparedEvent> {
  const prepared = prepareEvent(event, await symbolicator.symbolicate(productId, event), isSuspicious)
  const dictionary = await chooseDictionary(productId, prepared.grouping.hash, event)
  return { ...prepared, packed: { body: packBody(event, dictionaryText(dictionary)), dictionary } }
}

function withLengths({ packed: { body, dictionary }, ...event }: PreparedEvent): RequestOutcome['events'][number] {
  const { id, madeAt, packed } = dictionary
  return { ...event, packed: { bodyBytes: body.length, dictionary: { id, madeAt, bytes: packed.length } } }
}

/** Nothing else runs in this thread. */
function atOnce<T>(piece: () => T): Promise<T> {
  return Promise.resolve().then(piece)
}
