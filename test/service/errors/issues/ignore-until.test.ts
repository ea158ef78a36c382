import { expect, test } from 'vitest'
import type { InputOf } from '../../../../src/contract/index.ts'
import { dayMs, openRig, type Rig } from './rig.ts'

async function openIgnored(ignore_until: InputOf<'setIssueStatus'>['ignore_until']) {
  const rig = await openRig()
  await rig.release('1.0.0')
  await rig.append({ release: '1.0.0' })
  const [before] = await rig.issues()
  const { issue } = await rig.handlers.setIssueStatus({ id: before!.id, status: 'ignored', ignore_until }, rig.call)
  return { rig, issue }
}

async function read(rig: Rig, id: string) {
  return rig.handlers.getIssue({ id }, rig.call)
}

test('ignored for so many occurrences: the one beyond them reopens', async () => {
  const { rig, issue } = await openIgnored({ count: 2 })
  await using _ = rig
  expect(issue.ignore_until).toEqual({ count: 2, remaining: 2 })
  await rig.append({})
  // Saying the same again does not begin to count anew.
  await rig.handlers.setIssueStatus({ id: issue.id, status: 'ignored', ignore_until: { count: 2 } }, rig.call)
  await rig.append({})
  expect((await read(rig, issue.id)).issue).toMatchObject({
    status: 'ignored',
    ignore_until: { count: 2, remaining: 0 },
  })
  await rig.append({})
  const { issue: after, history } = await read(rig, issue.id)
  expect(after).toMatchObject({ status: 'unresolved', is_regression: false, times_seen: 4 })
  expect(after.ignore_until).toBeUndefined()
  expect(history).toMatchObject([
    { from: 'ignored', to: 'unresolved', reason: 'ignore_ended', actor: { type: 'ACTOR_TYPE_SYSTEM' } },
    { from: 'unresolved', to: 'ignored', reason: 'manual', ignore_until: { count: 2 } },
  ])
})

test('several occurrences in one transaction end the ignoring once', async () => {
  const { rig, issue } = await openIgnored({ count: 3 })
  await using _ = rig
  await Promise.all(Array.from({ length: 6 }, () => rig.append({})))
  const { history } = await read(rig, issue.id)
  expect(history.map(({ reason }) => reason)).toEqual(['ignore_ended', 'manual'])
})

test('ignored for a time: the first occurrence after it reopens', async () => {
  const { rig, issue } = await openIgnored({ until: '7d' })
  await using _ = rig
  const until = new Date(rig.clock.now + 7 * dayMs).toISOString()
  expect(issue.ignore_until).toEqual({ until })
  const again = { id: issue.id, status: 'ignored' as const, ignore_until: { until } }
  expect((await rig.handlers.setIssueStatus(again, rig.call)).issue.etag).toBe(issue.etag)
  rig.clock.now += 7 * dayMs - 1
  await rig.append({})
  expect((await read(rig, issue.id)).issue.status).toBe('ignored')
  rig.clock.now += 1
  await rig.append({})
  expect((await read(rig, issue.id)).issue.status).toBe('unresolved')
})

test('ignored until another release: only a newer known one reopens', async () => {
  const { rig, issue } = await openIgnored({ release: 'next' })
  await using _ = rig
  expect(issue).toMatchObject({
    ignore_until: { release: 'next' },
    reopening: {
      reopens: true,
      without_release: false,
      environments: [{ rule: 'after', release: { version: '1.0.0' } }],
    },
  })
  await rig.release('0.9.0')
  for (const release of ['1.0.0', '0.9.0', '999.9.9', '']) await rig.append({ release })
  expect((await read(rig, issue.id)).issue.status).toBe('ignored')
  await rig.release('1.0.1')
  await rig.append({ release: '1.0.1' })
  expect((await read(rig, issue.id)).issue.status).toBe('unresolved')
})

test('what ends the ignoring is said, also when nothing does', async () => {
  for (const ignore_until of [undefined, { count: 1 }, { until: '2w' }]) {
    const { rig, issue } = await openIgnored(ignore_until)
    await using _ = rig
    const ends = ignore_until !== undefined
    expect(issue.reopening).toEqual({ reopens: ends, without_release: ends, environments: [] })
  }
})
