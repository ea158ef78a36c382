import { expect, test } from 'vitest'
import { startApp, type App } from '../../../app.ts'
import { fixContextOf, issuesOf } from './fix-context.ts'

const minuteMs = 60_000

/** Records a release with its commit, `ago` minutes before now. */
async function release(app: App, version: string, ago: number, commit = `sha-${version}`, environment = 'production') {
  const released_at = new Date(Date.now() - ago * minuteMs).toISOString()
  const body = { version, environment, commit_sha: commit, released_at }
  expect((await app.request('POST', `/v1/products/${app.productId}/releases`, body)).status).toBe(200)
}

/** The usual crash in a release, `ago` minutes before now. */
async function crash(app: App, version: string | undefined, ago: number, environment = 'production') {
  const timestamp = (Date.now() - ago * minuteMs) / 1000
  expect((await app.ingest({ release: version, environment, timestamp })).status).toBe(200)
}

async function resolve(app: App) {
  const { id } = (await issuesOf(app))[0]!
  expect((await app.request('POST', `/v1/issues/${id}:setStatus`, { status: 'resolved' })).status).toBe(200)
}

const versions = ({ first, last, last_good: good, commit_range: commits }: Awaited<ReturnType<typeof releasesOf>>) => ({
  first: first?.title,
  last: last?.title,
  good: good?.title,
  commits,
})
const releasesOf = async (app: App) => (await fixContextOf(app)).releases

test('the first release, the last, the one before the first, and the commits between', async () => {
  await using app = await startApp()
  for (const [version, ago] of [
    ['1.0.0', 40],
    ['1.1.0', 30],
    ['1.2.0', 20],
    ['1.3.0', 10],
  ] as const)
    await release(app, version, ago)
  await crash(app, '1.2.0', 15)
  await crash(app, '1.3.0', 5)
  const releases = await releasesOf(app)
  expect(versions(releases)).toEqual({
    first: '1.2.0',
    last: '1.3.0',
    good: '1.1.0',
    commits: { from: 'sha-1.1.0', to: 'sha-1.2.0' },
  })
  expect(releases.first).toMatchObject({ key: '', known: true })
})

test('the releases are those of the environment with the most occurrences', async () => {
  await using app = await startApp()
  for (const environment of ['production', 'staging'])
    for (const [version, ago] of [
      ['1.0.0', 40],
      ['1.1.0', 30],
      ['1.2.0', 20],
    ] as const)
      await release(app, version, ago, `${environment}-${version}`, environment)
  await crash(app, '1.1.0', 25, 'staging')
  await crash(app, '1.2.0', 15)
  await crash(app, '1.2.0', 14)
  expect(versions(await releasesOf(app))).toMatchObject({
    first: '1.2.0',
    good: '1.1.0',
    commits: { from: 'production-1.1.0', to: 'production-1.2.0' },
  })
})

test('the last good release is one of the same package', async () => {
  await using app = await startApp()
  for (const [version, ago] of [
    ['api@1.9.0', 40],
    ['web@1.4.1', 30],
    ['api@2.0.0', 20],
  ] as const)
    await release(app, version, ago)
  await crash(app, 'api@2.0.0', 15)
  expect(versions(await releasesOf(app))).toMatchObject({
    first: 'api@2.0.0',
    good: 'api@1.9.0',
    commits: { from: 'sha-api@1.9.0', to: 'sha-api@2.0.0' },
  })
})

test('the first release of a package has no last good one', async () => {
  await using app = await startApp()
  await release(app, 'web@1.4.1', 30)
  await release(app, 'api@2.0.0', 20)
  await crash(app, 'api@2.0.0', 15)
  expect(versions(await releasesOf(app))).toMatchObject({ first: 'api@2.0.0', good: undefined, commits: null })
})

test('the commit range is unknown if one of the two commits is', async () => {
  await using app = await startApp()
  await release(app, '1.0.0', 30, '')
  await release(app, '1.1.0', 20)
  await crash(app, '1.1.0', 10)
  expect(versions(await releasesOf(app))).toEqual({ first: '1.1.0', last: '1.1.0', good: '1.0.0', commits: null })
})

test('after a regression the first release is the one in which the issue came back', async () => {
  await using app = await startApp()
  for (const [version, ago] of [
    ['1.0.0', 50],
    ['1.1.0', 40],
    ['1.2.0', 30],
  ] as const)
    await release(app, version, ago)
  await crash(app, '1.1.0', 35)
  await resolve(app)
  expect((await releasesOf(app)).first?.title).toBe('1.1.0')
  await release(app, '1.3.0', 3)
  await crash(app, '1.3.0', 2)
  await crash(app, '1.3.0', 1)
  expect((await issuesOf(app))[0]?.is_regression).toBe(true)
  expect(versions(await releasesOf(app))).toEqual({
    first: '1.3.0',
    last: '1.3.0',
    good: '1.2.0',
    commits: { from: 'sha-1.2.0', to: 'sha-1.3.0' },
  })
})

test('an issue that came back elsewhere first has no first release where it has not come back', async () => {
  await using app = await startApp()
  await release(app, '1.0.0', 50)
  for (const ago of [35, 34, 33]) await crash(app, '1.0.0', ago)
  await resolve(app)
  await crash(app, '9', 2, 'staging')
  expect(versions(await releasesOf(app))).toMatchObject({ first: undefined, last: '1.0.0', good: undefined })
  await release(app, '1.1.0', 3)
  await crash(app, '1.1.0', 1)
  expect(versions(await releasesOf(app))).toMatchObject({ first: '1.1.0', last: '1.1.0', good: '1.0.0' })
})

test('a product that does not reopen issues still knows in which release one came back', async () => {
  await using app = await startApp()
  const product = Number(app.productId)
  await app.db.write((rows) =>
    rows
      .updateTable('product')
      .set({ settings: JSON.stringify({ reopen_on_regression: false }) })
      .where('id', '=', product)
      .execute(),
  )
  await release(app, '1.0.0', 50)
  await crash(app, '1.0.0', 40)
  await resolve(app)
  await release(app, '1.1.0', 3)
  await crash(app, '1.1.0', 1)
  expect(versions(await releasesOf(app))).toMatchObject({ first: '1.1.0', good: '1.0.0' })
})

test('a predecessor in which the issue occurs is not good', async () => {
  await using app = await startApp()
  await release(app, '1.0.0', 40)
  await release(app, '1.1.0', 30)
  await crash(app, '1.1.0', 20)
  await crash(app, '1.0.0', 10)
  expect(versions(await releasesOf(app))).toMatchObject({ first: '1.1.0', good: undefined, commits: null })
})

test('a first occurrence without a release leaves the first release unknown', async () => {
  await using app = await startApp()
  await release(app, '1.0.0', 40)
  await crash(app, undefined, 30)
  await crash(app, '1.0.0', 20)
  expect(versions(await releasesOf(app))).toEqual({ first: undefined, last: '1.0.0', good: undefined, commits: null })
})
