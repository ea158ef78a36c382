import { expect, test } from 'vitest'
import { createEventStore } from '../../../../../src/service/errors/issues/record/store.ts'
import type { Database } from '../../../../../src/service/sql/database.ts'
import { dayMs, openRig, type Crash, type Rig } from '../rig.ts'

interface Case {
  title: string
  /** Releases of production that a member recorded before the issue was resolved, and after it. */
  known?: string[]
  knownLater?: string[]
  /** Events before the issue is resolved. */
  before: Crash[]
  status?: 'resolved' | 'ignored'
  settings?: Record<string, unknown>
  after: Crash
  expected: 'reopened' | 'marked' | 'unchanged'
}

const cases: Case[] = [
  { title: 'an event without a release reopens', known: ['1.0.0'], before: [{}], after: {}, expected: 'reopened' },
  {
    title: 'an event of a newer release reopens',
    known: ['1.0.0'],
    knownLater: ['1.1.0'],
    before: [{ release: '1.0.0' }],
    after: { release: '1.1.0' },
    expected: 'reopened',
  },
  {
    title: 'an event of the newest release known then reopens',
    known: ['1.0.0'],
    before: [{ release: '1.0.0' }],
    after: { release: '1.0.0' },
    expected: 'reopened',
  },
  {
    title: 'an event of a release before the newest one known then changes nothing',
    known: ['1.0.0', '1.2.0'],
    before: [{ release: '1.0.0' }],
    after: { release: '1.0.0' },
    expected: 'unchanged',
  },
  {
    title: 'an event of a release that only events named changes nothing, however new it looks',
    known: ['1.0.0'],
    before: [{ release: '1.0.0' }],
    after: { release: '999.9.9' },
    expected: 'unchanged',
  },
  {
    title: 'a release that only events named does not count as the newest one',
    known: ['1.0.0'],
    knownLater: ['1.1.0'],
    before: [{ release: '999.9.9' }],
    after: { release: '1.1.0' },
    expected: 'reopened',
  },
  {
    title: 'a hotfix of an older line changes nothing, although it was built later',
    known: ['10.18.6', '10.24.0'],
    knownLater: ['10.18.7'],
    before: [{ release: '10.18.6' }],
    after: { release: '10.18.7' },
    expected: 'unchanged',
  },
  {
    title: 'versions of different packages are not compared with each other',
    known: ['shop@1.4.0', 'api@7.0.0'],
    knownLater: ['shop@1.4.1'],
    before: [{ release: 'shop@1.4.0' }],
    after: { release: 'shop@1.4.1' },
    expected: 'reopened',
  },
  {
    title: 'a package is compared with its own newest release, not with one of another package',
    known: ['shop@1.4.0', 'shop@1.5.0', 'api@7.0.0'],
    before: [{ release: 'shop@1.4.0' }],
    after: { release: 'shop@1.4.0' },
    expected: 'unchanged',
  },
  {
    title: 'releases that are no versions follow their creation',
    known: ['blue'],
    knownLater: ['amber'],
    before: [{ release: 'blue' }],
    after: { release: 'amber' },
    expected: 'reopened',
  },
  {
    title: 'only releases of the same environment are compared',
    before: [{ release: '2.0.0', environment: 'staging' }],
    known: ['1.0.0'],
    after: { release: '1.0.0', environment: 'production' },
    expected: 'reopened',
  },
  {
    title: 'where no release of the environment is known, every event reopens',
    before: [{ release: '2.0.0' }],
    after: { release: '1.0.0' },
    expected: 'reopened',
  },
  { title: 'an ignored issue stays ignored', before: [{}], status: 'ignored', after: {}, expected: 'unchanged' },
  {
    title: 'with reopening switched off the issue is only marked',
    known: ['1.0.0'],
    before: [{ release: '1.0.0' }],
    settings: { reopen_on_regression: false },
    after: { release: '1.0.0' },
    expected: 'marked',
  },
]

for (const { title, known = [], knownLater = [], before, status = 'resolved', settings, after, expected } of cases) {
  test(`${title}`, async () => {
    await using rig = await openRig()
    const record = async (versions: string[]) => {
      for (const version of versions) {
        await rig.release(version)
        rig.clock.now += 1000
      }
    }
    await record(known)
    if (settings !== undefined) await rig.settings(settings)
    for (const crash of before) {
      await rig.append(crash)
      rig.clock.now += 1000
    }
    const id = (await rig.issues())[0]!.id
    await rig.handlers.setIssueStatus({ id, status }, rig.call)
    rig.clock.now += 1000
    await record(knownLater)
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

test('of releases that are no versions the later date is newer; versions are compared whatever their dates say', async () => {
  await using rig = await openRig()
  const date = (daysAgo: number) => ({ released_at: new Date(rig.clock.now - daysAgo * dayMs).toISOString() })
  await rig.release('amber', 'production', date(1))
  await rig.release('blue', 'production', date(2))
  await rig.release('2.0.0', 'staging', date(2))
  await rig.release('1.0.0', 'staging', date(1))
  await rig.append({ kind: 'named', release: 'blue' })
  await rig.append({ kind: 'versioned', release: '2.0.0', environment: 'staging' })
  const [named, versioned] = (await rig.issues()).map(({ id }) => id) as [string, string]
  const issue_ids = [named, versioned]
  await rig.handlers.bulkSetIssueStatus({ product_id: rig.product_id, issue_ids, status: 'resolved' }, rig.call)
  await rig.append({ kind: 'named', release: 'blue' })
  await rig.append({ kind: 'versioned', release: '1.0.0', environment: 'staging' })
  expect((await rig.issues()).map(({ status }) => status)).toEqual(['resolved', 'resolved'])
  await rig.append({ kind: 'named', release: 'amber' })
  await rig.append({ kind: 'versioned', release: '2.0.0', environment: 'staging' })
  expect((await rig.issues()).map(({ status }) => status)).toEqual(['unresolved', 'unresolved'])
})

test('a regressed issue is listed under the release it came back in, a new one under the release it began in', async () => {
  await using rig = await openRig()
  await rig.release('1.0.0')
  await rig.release('1.1.0')
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

test('the known releases of an environment are read once for all events of a transaction', async () => {
  await using rig = await openRig()
  for (let patch = 0; patch < 3; patch += 1) await rig.release(`1.0.${patch}`)
  await rig.append({ release: '1.0.0' })
  const { id } = (await rig.issues())[0]!
  await rig.handlers.setIssueStatus({ id, status: 'resolved', fixed_in: 'next' }, rig.call)
  const { db, transactions } = countingReleases(rig.db)
  const store = createEventStore({ db, platform: rig.platform, symbolicator: rig.symbolicator })
  await Promise.all(Array.from({ length: 20 }, () => store.append(rig.productId, rig.crash({ release: '1.0.1' }))))
  // How many transactions there are depends on when the events are ready.
  expect(transactions).toEqual(transactions.map(() => [3]))
  expect(await statusOf(rig, id)).toMatchObject({ status: 'resolved' })
})

test('events of issues that are unresolved or ignored for good read no release but their own', async () => {
  await using rig = await openRig()
  await rig.append({ kind: 'open', release: '1.0.0' })
  await rig.append({ kind: 'muted', release: '1.0.0' })
  const [, muted] = await rig.issues()
  await rig.handlers.setIssueStatus({ id: muted!.id, status: 'ignored' }, rig.call)
  const statements: string[] = []
  const store = createEventStore({
    db: watchedDatabase(rig.db, (sql) => statements.push(sql)),
    platform: rig.platform,
    symbolicator: rig.symbolicator,
  })
  for (const kind of ['open', 'muted']) await store.append(rig.productId, rig.crash({ kind, release: '1.0.0' }))
  expect(statements.filter((sql) => /(?:FROM|JOIN) release\b/.test(sql))).toHaveLength(2)
  expect(statements.filter((sql) => sql.includes('held_count'))).toEqual([])
})

/** The database, with the lengths of the lists of known releases that each transaction has read. */
function countingReleases(database: Database): { db: Database; transactions: number[][] } {
  const transactions: number[][] = []
  const db = watchedDatabase(
    database,
    () => {},
    () => transactions.push([]),
    (sql, rows) => {
      if (sql.includes('FROM release WHERE environment_id')) transactions.at(-1)?.push(rows)
    },
  )
  return { db, transactions }
}

/** The database; tells of each prepared statement, each batch, and the number of rows of each list that a batch reads. */
function watchedDatabase(
  database: Database,
  onPrepare: (sql: string) => void,
  onBatch = () => {},
  onList: (sql: string, rows: number) => void = () => {},
): Database {
  return {
    read: database.read,
    write: (work) => database.write(work),
    writeInSlices: (work) => database.writeInSlices(work),
    batch: (work) =>
      database.batch((prepare) => {
        onBatch()
        const watched = (sql: string) => {
          onPrepare(sql)
          const statement = prepare(sql)
          return {
            ...statement,
            all: async <T>(...parameters: Parameters<typeof statement.all>) => {
              const rows = await statement.all<T>(...parameters)
              onList(sql, rows.length)
              return rows
            },
          }
        }
        return work(Object.assign(watched, { dialect: prepare.dialect, sent: prepare.sent }))
      }),
    close: () => database.close(),
  }
}

async function statusOf(rig: Rig, id: string) {
  return (await rig.handlers.getIssue({ id }, rig.call)).issue
}
