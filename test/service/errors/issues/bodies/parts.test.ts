import { expect, test } from 'vitest'
import { normalise } from '../../../../../src/service/errors/ingest/normalise/index.ts'
import { packBody } from '../../../../../src/service/errors/issues/bodies/body.ts'
import { createIssuePartsReader, type EventParts } from '../../../../../src/service/errors/issues/bodies/parts.ts'
import { openRig, type Rig } from '../rig.ts'

/** Characters of payloads that fit into what is kept, 4 MB at 4 bytes each. */
const MOST_KEPT = 1_000_000
const LARGE = 50_000

interface Sent {
  issue: string
  id: string
  characters: number
  /** How late the clock of the sender is. */
  lateMs?: number
  /** A member that nothing compares. */
  other?: string
}

async function read({ db }: Rig, { issue, id, characters, lateMs = 0, other = 'other' }: Sent): Promise<EventParts> {
  const receivedAt = Date.parse('2026-11-21T12:00:00Z')
  const payload = { extra: { text: 'x'.repeat(characters) }, [other]: 'y'.repeat(characters) }
  const facts = { eventId: 'a'.repeat(32), receivedAt, sizeBytes: characters, sentAt: receivedAt - lateMs }
  const body = packBody(normalise(payload, facts))
  const parts = await createIssuePartsReader(db.read, issue)({ id, body, dictionary_id: null })
  if (parts === undefined) throw new Error('an event with its dictionary can be read')
  return parts
}

/** Characters of the occurrences that are still known, the newest first: those that are not displace others. */
async function charactersKept(rig: Rig, known: readonly { sent: Sent; parts: EventParts }[]): Promise<number> {
  let kept = 0
  for (const { sent, parts } of known.toReversed()) if ((await read(rig, sent)) === parts) kept += sent.characters
  return kept
}

test.for<[string, (nr: number) => Partial<Sent>]>([
  ['later occurrences of many issues are larger than the first', (nr) => ({ issue: `issue ${String(nr)}` })],
  ['one issue has the same texts from clocks that differ', (nr) => ({ lateMs: 3_600_000 + nr })],
  ['members that nothing compares have ever other names', (nr) => ({ other: `other ${String(nr)}` })],
])('what is kept of occurrences that were compared stays within its bound where %s', async ([, vary]) => {
  await using rig = await openRig()
  const known: { sent: Sent; parts: EventParts }[] = []
  for (let nr = 0; nr < 50; nr += 1) {
    const first = { issue: 'issue', ...vary(nr), id: `first ${String(nr)}`, characters: 1 }
    if (first.issue !== 'issue') await read(rig, first)
    const sent = { ...first, id: `second ${String(nr)}`, characters: LARGE }
    known.push({ sent, parts: await read(rig, sent) })
  }
  const kept = await charactersKept(rig, known)
  expect(kept).toBeLessThanOrEqual(MOST_KEPT)
})
