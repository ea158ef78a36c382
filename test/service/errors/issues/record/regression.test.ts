import { expect, test } from 'vitest'
import { releaseOrders } from '../../../../../src/service/errors/issues/record/release-orders.ts'
import { createEventStore } from '../../../../../src/service/errors/issues/record/store.ts'
import type { Database } from '../../../../../src/service/sql/database.ts'
import { dayMs, openRig, type Crash, type Rig } from '../rig.ts'

interface Case {
  title: string
  /** Events before the issue is resolved; each makes its release. */
  before: Crash[]
  status?: 'resolved' | 'ignored'
  settings?: Record<string, unknown>
  after: Crash
  expected: 'reopened' | 'marked' | 'unchanged'
}

const cases: Case[] = [
  { title: 'an event without a release reopens', before: [{}], after: {}, expected: 'reopened' },
  {
    title: 'an event of a newer release reopens',
    before: [{ release: '1.0.0' }],
    after: { release: '1.1.0' },
    expected: 'reopened',
  },
  {
    title: 'an event of the newest release known then reopens',
    before: [{ release: '1.0.0' }],
    after: { release: '1.0.0' },
    expected: 'reopened',
  },
  {
    title: 'an event of a release before the newest one known then changes nothing',
    before: [{ release: '1.0.0' }, { release: '1.2.0' }],
    after: { release: '1.0.0' },
    expected: 'unchanged',
  },
  {
    title: 'a release that was unknown then and is older by version changes nothing',
    before: [{ release: 'shop@2.0.0' }],
    after: { release: 'shop@1.9.9' },
    expected: 'unchanged',
  },
  {
    title: 'releases that are no versions follow their creation',
    before: [{ release: 'blue' }],
    after: { release: 'amber' },
    expected: 'reopened',
  },
  {
    title: 'only releases of the same environment are compared',
    before: [{ release: '2.0.0', environment: 'staging' }],
    after: { release: '1.0.0', environment: 'production' },
    expected: 'reopened',
  },
  { title: 'an ignored issue stays ignored', before: [{}], status: 'ignored', after: {}, expected: 'unchanged' },
  {
    title: 'with reopening switched off the issue is only marked',
    before: [{ release: '1.0.0' }],
    settings: { reopen_on_regression: false },
    after: { release: '1.1.0' },
    expected: 'marked',
  },
]

for (const { title, before, status = 'resolved', settings, after, expected } of cases) {
  test(`${title}`, async () => {
    await using rig = await openRig()
    if (settings !== undefined) await rig.settings(settings)
    for (const crash of before) {
      await rig.append(crash)
      rig.clock.now += 1000
    }
    const id = (await rig.issues())[0]!.id
    await rig.handlers.setIssueStatus({ id, status }, rig.call)
    rig.clock.now += 1000
    await rig.append(after)
    const { issue, history } = await rig.handlers.getIssue({ id }, rig.call)
    expect(issue.times_seen).toBe(before.length + 1)
    expect(issue.is_regression).toBe(expected !== 'unchanged')
    expect(issue.status).toBe(expected === 'reopened' ? 'unresolved' : status)
    expect(issue.reopened_count).toBe(expected === 'reopened' ? 1 : 0)
    expect(history.map(({ reason }) => reason)).toEqual(expected === 'reopened' ? ['regression', 'manual'] : ['manual'])
    expect(issue.status_changed_by).toEqual(history[0]!.actor)
    expect(issue.status_changed_by!.type).toBe(expected === 'reopened' ? 'ACTOR_TYPE_SYSTEM' : 'ACTOR_TYPE_USER')
    expect(issue.substatus).toBe(expected === 'unchanged' ? 'ISSUE_SUBSTATUS_NEW' : 'ISSUE_SUBSTATUS_REGRESSED')
  })
}

test('a dated release is newer than one of an earlier date, whatever their versions say', async () => {
  await using rig = await openRig()
  await rig.append({ release: '2.0.0' })
  await rig.append({ release: '1.0.0' })
  const date = (version: string, released_at: number) =>
    rig.db.write((rows) => rows.updateTable('release').set({ released_at }).where('version', '=', version).execute())
  await date('2.0.0', rig.clock.now - dayMs)
  await date('1.0.0', rig.clock.now)
  const id = (await rig.issues())[0]!.id
  await rig.handlers.setIssueStatus({ id, status: 'resolved' }, rig.call)
  await rig.append({ release: '2.0.0' })
  expect((await statusOf(rig, id)).status).toBe('resolved')
  await rig.append({ release: '1.0.0' })
  expect((await statusOf(rig, id)).status).toBe('unresolved')
})

test('a regressed issue is listed under the release it came back in, a new one under the release it began in', async () => {
  await using rig = await openRig()
  await rig.append({ kind: 'old', release: '1.0.0' })
  const id = (await rig.issues())[0]!.id
  await rig.handlers.setIssueStatus({ id, status: 'resolved' }, rig.call)
  await rig.append({ kind: 'old', release: '1.1.0' })
  await rig.append({ kind: 'new', release: '1.1.0', level: 'fatal' })
  const releases = await rig.db.read.selectFrom('release').select(['id', 'version']).execute()
  const idOf = (version: string) => releases.find((release) => release.version === version)!.id
  const titles = async (input: { release_id: string; include?: 'new' | 'regressed'; levels?: ['error'] }) =>
    (await rig.handlers.listReleaseIssues(input, rig.call)).issues.map(({ title }) => title)
  expect(await titles({ release_id: idOf('1.0.0') })).toEqual(['Error: old failed'])
  expect(await titles({ release_id: idOf('1.1.0') })).toEqual(['Error: new failed'])
  expect(await titles({ release_id: idOf('1.1.0'), levels: ['error'] })).toEqual([])
  expect(await titles({ release_id: idOf('1.1.0'), include: 'regressed' })).toEqual(['Error: old failed'])
  expect(await titles({ release_id: idOf('1.0.0'), include: 'regressed' })).toEqual([])
  await expect(titles({ release_id: 'none' })).rejects.toMatchObject({ reason: 'RELEASE_NOT_FOUND' })
})

test('resolving settles a regression; a second one counts again', async () => {
  await using rig = await openRig()
  await rig.append({})
  const id = (await rig.issues())[0]!.id
  for (const round of [1, 2]) {
    await rig.handlers.setIssueStatus({ id, status: 'resolved' }, rig.call)
    expect((await statusOf(rig, id)).is_regression).toBe(false)
    await rig.append({})
    expect(await statusOf(rig, id)).toMatchObject({ is_regression: true, reopened_count: round })
  }
})

test('the releases of an environment are read once for all events of a transaction', async () => {
  await using rig = await openRig()
  for (let patch = 0; patch < 30; patch += 1) await rig.append({ release: `1.0.${patch}` })
  const { id } = (await rig.issues())[0]!
  await rig.handlers.setIssueStatus({ id, status: 'resolved' }, rig.call)
  const { db, transactions } = countingReleases(rig.db)
  const store = createEventStore({ db, platform: rig.platform, symbolicator: rig.symbolicator })
  await Promise.all(Array.from({ length: 20 }, () => store.append(rig.productId, rig.crash({ release: '1.0.3' }))))
  // How many transactions there are depends on when the events are ready.
  const read = transactions.map((lists) => ({ lists: lists.length, rows: lists[0] }))
  expect(read).toEqual(transactions.map(() => ({ lists: 1, rows: 30 })))
  expect((await statusOf(rig, id)).status).toBe('resolved')
})

test('all comparisons of one transaction share the list of releases of their environment', async () => {
  await using rig = await openRig()
  for (let patch = 0; patch < 5; patch += 1) await rig.append({ release: `1.0.${patch}` })
  const releases = await rig.db.read.selectFrom('release').select(['id', 'environment_id']).execute()
  const { db, transactions } = countingReleases(rig.db)
  await db.batch((prepare) => {
    const orders = releaseOrders(prepare)
    for (const one of releases) for (const other of releases) orders.isOlder(one.environment_id, one.id, other.id)
  })
  expect(transactions).toEqual([[5]])
})

test('a release that an event of the same transaction made is compared like any other', async () => {
  await using rig = await openRig()
  await rig.append({ release: '2.0.0' })
  const { id } = (await rig.issues())[0]!
  await rig.handlers.setIssueStatus({ id, status: 'resolved' }, rig.call)
  await Promise.all(['2.0.0-rc.1', '1.5.0', '1.9.0'].map((release) => rig.append({ release })))
  expect((await statusOf(rig, id)).status).toBe('resolved')
  await Promise.all(['1.6.0', '2.1.0'].map((release) => rig.append({ release })))
  expect(await statusOf(rig, id)).toMatchObject({ status: 'unresolved', reopened_count: 1 })
})

test('a release whose event could not be stored is not compared with', async () => {
  await using rig = await openRig()
  await rig.append({ release: '2.0.0' })
  const { id } = (await rig.issues())[0]!
  await rig.handlers.setIssueStatus({ id, status: 'resolved' }, rig.call)
  const broken = { ...rig.crash({ release: '1.5.0' }), size_bytes: Number.NaN }
  const outcomes = await Promise.allSettled([
    rig.append({ release: '1.4.0' }),
    rig.store.append(rig.productId, broken),
    rig.append({ release: '1.5.0' }),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect((await statusOf(rig, id)).status).toBe('resolved')
})

/** The database, with the lengths of the whole lists of releases that each transaction has read. */
function countingReleases(database: Database): { db: Database; transactions: number[][] } {
  const transactions: number[][] = []
  const db: Database = {
    read: database.read,
    write: (work) => database.write(work),
    writeInSlices: (work) => database.writeInSlices(work),
    batch: (work) =>
      database.batch((prepare) => {
        const lists: number[] = []
        transactions.push(lists)
        const counting = (sql: string) => {
          const statement = prepare(sql)
          if (!/FROM release WHERE environment_id/.test(sql)) return statement
          return {
            ...statement,
            all: <T>(...parameters: Parameters<typeof statement.all>) => {
              const rows = statement.all<T>(...parameters)
              lists.push(rows.length)
              return rows
            },
          }
        }
        return work(Object.assign(counting, { dialect: prepare.dialect }))
      }),
    close: () => database.close(),
  }
  return { db, transactions }
}

async function statusOf(rig: Rig, id: string) {
  return (await rig.handlers.getIssue({ id }, rig.call)).issue
}
