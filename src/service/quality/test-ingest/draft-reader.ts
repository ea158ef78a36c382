import { ServiceError, type FailureCode, type FailureDetails } from '../../../errors.ts'
import { createTurns } from '../../../lib/in-turn.ts'
import { runThread } from '../../shared/thread.ts'
import type { ReportCase } from '../reports/model/report.ts'
import { readDraft, type Draft, type ReadDraft } from './decode.ts'

/** Characters of reports that are read at once; reading more would keep everything else waiting. */
const SMALL = 100_000
/** What a compressed character may come to. */
const UNPACKED = 20
const HEAP_MB = 1024
const DEADLINE_MS = 60_000
const MOST_WAITING = 20

/** What the thread sends: the cases in parts, then the rest of the result; or why the reports cannot be read. */
export type DraftMessage =
  | { cases: ReportCase[] }
  | { rest: Omit<ReadDraft, 'cases'> }
  | { failure: { code: FailureCode; message: string; details: FailureDetails } }

export interface DraftReader {
  /**
   * Reads the reports of a request as `readDraft` does, large ones in a thread of their own, one at a time. Rejects with
   * `payload_too_large` for reports that take too much memory or time, and with `unavailable` when too many wait.
   */
  read(draft: Draft): Promise<ReadDraft>
  /** Ends the running thread. */
  close(): Promise<void>
}

/** `entry` is the module of the thread, `thread-entry.ts` in a form that Node runs without a loader. */
export function createDraftReader(entry: () => Promise<URL>): DraftReader {
  const closing = new AbortController()
  const turns = createTurns<'thread'>()
  let waiting = 0

  async function readInTurn(draft: Draft): Promise<ReadDraft> {
    if (waiting >= MOST_WAITING) {
      const message = 'too many reports are being read; repeat in a moment'
      throw new ServiceError('unavailable', message, { retryAfterSeconds: 5 })
    }
    waiting += 1
    try {
      return await turns.run('thread', async () => readInThread(await entry(), draft, closing.signal))
    } finally {
      waiting -= 1
    }
  }

  return {
    read: async (draft) => (isLarge(draft) ? readInTurn(draft) : readDraft(draft)),
    async close() {
      closing.abort()
      await turns.settled()
    },
  }
}

async function readInThread(entry: URL, draft: Draft, signal: AbortSignal): Promise<ReadDraft> {
  const cases: ReportCase[] = []
  let end: Exclude<DraftMessage, { cases: ReportCase[] }> | undefined
  const outcome = await runThread<DraftMessage>({
    entry,
    job: draft,
    heapMb: HEAP_MB,
    deadlineMs: DEADLINE_MS,
    signal,
    isLast: (message) => !('cases' in message),
    onMessage(message) {
      if ('cases' in message) cases.push(...message.cases)
      else end = message
    },
  })
  if (outcome !== 'answered' || end === undefined) throw tooMuch()
  if ('failure' in end) throw new ServiceError(end.failure.code, end.failure.message, end.failure.details)
  return { ...end.rest, cases }
}

function tooMuch(): ServiceError {
  const message =
    'reading the reports takes too much memory or time; send them in several requests with the same run_key'
  return new ServiceError('payload_too_large', message, { reason: 'PAYLOAD_TOO_LARGE' })
}

/** Looks at no more of the draft than a small one has. */
function isLarge({ files = [], ...draft }: Draft): boolean {
  let left = SMALL
  for (const { content, content_encoding } of [draft, ...files]) {
    const weight = content_encoding === 'gzip+base64' ? UNPACKED : 1
    left = spend(content, weight, left)
  }
  return spend(draft.cases, 1, left) < 0
}

/** What is left after the characters and members of a value; negative once it is too much. */
function spend(value: unknown, weight: number, left: number): number {
  const pending = [value]
  while (pending.length > 0 && left >= 0) {
    const next = pending.pop()
    left -= typeof next === 'string' ? next.length * weight : 10
    if (typeof next !== 'object' || next === null) continue
    for (const member of Object.values(next)) pending.push(member)
  }
  return left
}
