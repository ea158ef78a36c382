import { parentPort, workerData } from 'node:worker_threads'
import { ServiceError } from '../../../errors.ts'
import { readDraft, type Draft } from './decode.ts'
import type { DraftMessage } from './draft-reader.ts'

/** Cases of one message: few enough that receiving it takes the other side a millisecond or two. */
const CASES = 500

// One request per thread: draft-reader.ts starts it with the draft and asks for each further message.
const messages = read(workerData as Draft)
function send(): void {
  const { value: message } = messages.next()
  if (message === undefined) return
  parentPort?.postMessage(message)
  // Without a listener the thread ends.
  if (!('cases' in message)) parentPort?.close()
}
parentPort?.on('message', send)
send()

function* read(given: Draft): Generator<DraftMessage, undefined> {
  try {
    const { cases, ...rest } = readDraft(given)
    for (let at = 0; at < cases.length; at += CASES) yield { cases: cases.slice(at, at + CASES) }
    yield { rest }
  } catch (thrown) {
    if (!(thrown instanceof ServiceError)) throw thrown
    const { code, message, reason, metadata, violations } = thrown
    yield { failure: { code, message, details: { reason, metadata, violations } } }
  }
  return undefined
}
