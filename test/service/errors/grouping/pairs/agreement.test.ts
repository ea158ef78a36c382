import { expect, test } from 'vitest'
import { groupEvent, readFrameRoles } from '../../../../../src/service/errors/grouping/index.ts'
import { normalise } from '../../../../../src/service/errors/ingest/normalise/index.ts'
import { IssueBook } from '../issue-book.ts'
import { exceptionPairs } from './exceptions.ts'
import { fingerprintPairs } from './fingerprints.ts'
import { framePairs } from './frames.ts'
import { inAppPairs } from './in-app.ts'
import { messagePairs } from './messages.ts'
import { nativePairs } from './native.ts'
import type { Pair, Sent } from './pair.ts'
import { platformPairs } from './platforms.ts'
import { threadPairs } from './threads.ts'

const subjects: Readonly<Record<string, readonly Pair[]>> = {
  frames: framePairs,
  platforms: platformPairs,
  native: nativePairs,
  exceptions: exceptionPairs,
  threads: threadPairs,
  messages: messagePairs,
  fingerprints: fingerprintPairs,
  'in-app': inAppPairs,
}

/** Rules that are broken on purpose: decision 025 says why. */
const different = [
  'a function that calls itself at another line counts twice',
  'two functions that call each other count each time',
  'the value of a message’s exception does not count next to frames',
  'the current thread takes precedence over the message',
  'integers of eight digits are ids count',
  'events with nothing are one issue, whatever their level',
  'when all frames are silent, all count',
]

test('pairs of events are one issue or two as Sentry’s rules say, but for the differences that were chosen', async () => {
  const all = Object.values(subjects).flat()
  const wrong: string[] = []
  for (const pair of all) if ((await isOneIssue(pair)) !== pair.same) wrong.push(pair.rule)
  const agreeing = all.length - wrong.length
  const share = ((100 * agreeing) / all.length).toFixed(1)
  console.log(`grouping pairs: ${String(agreeing)} of ${String(all.length)} as Sentry (${share} %)`)
  expect(wrong).toEqual(different)
  expect(agreeing / all.length).toBeGreaterThanOrEqual(106 / 108)
})

test.each(Object.entries(subjects))('each rule of %s is tried once', (_, pairs) => {
  const rules = pairs.map(({ rule }) => rule)
  expect(new Set(rules).size).toBe(rules.length)
})

test('the roles of frames alone are those of the whole grouping', () => {
  const events = Object.values(subjects)
    .flat()
    .flatMap(({ first, second }) => [normalised(first), normalised(second)])
  for (const event of events) expect(readFrameRoles(event)).toEqual(groupEvent(event).frames)
})

/** Whether the second event gets the issue that the first one made. */
async function isOneIssue({ first, second }: Pair): Promise<boolean> {
  const book = new IssueBook()
  return (await book.issueOf(group(first))) === (await book.issueOf(group(second)))
}

function group(sent: Sent) {
  return groupEvent(normalised(sent))
}

function normalised(sent: Sent) {
  return normalise(sent, { eventId: 'a'.repeat(32), receivedAt: 1_760_000_000_000, sizeBytes: 1_000 })
}
