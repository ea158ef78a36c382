import { expect, test } from 'vitest'
import { startApp, type App } from '../../app.ts'
import { reasonOf } from '../people.ts'

interface One {
  release: {
    id: string
    version: string
    sequence: number
    predecessor_id: string
    environment_id: string
    etag: string
    counts: object
  }
  created: boolean
}
interface Many {
  releases: One['release'][]
}

const path = (app: App) => `/v1/products/${app.productId}/releases`
const post = async (app: App, body: object) => (await app.request<One>('POST', path(app), body)).body
const list = async (app: App, query = '') => (await app.request<Many>('GET', `${path(app)}${query}`)).body.releases

test('the same product, version and environment is the same release: what is left out stays, what is said changes', async () => {
  await using app = await startApp()
  const first = await post(app, { version: ' 1.0.0 ', environment: 'production', commit_sha: 'abc', notes: 'first' })
  expect(first).toMatchObject({ created: true, release: { version: '1.0.0', commit_sha: 'abc', known: true } })
  const second = await post(app, { version: '1.0.0', environment: 'Production', notes: '', git_branch: 'main' })
  expect(second).toMatchObject({
    created: false,
    release: { id: first.release.id, commit_sha: 'abc', notes: '', git_branch: 'main' },
  })
  expect(second.release.etag).not.toBe(first.release.etag)
  const same = await post(app, { version: '1.0.0', environment: 'production' })
  expect(same.release.etag).toBe(second.release.etag)
  expect(await list(app)).toHaveLength(1)
  expect((await post(app, { version: '1.0.0', environment: 'qa' })).created).toBe(true)
})

test('of many equal posts at once one creates the release and the others find it', async () => {
  await using app = await startApp()
  const body = { version: '1.0.0', environment: 'qa' }
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => post(app, { ...body, notes: `${index}` })))
  expect(answers.filter(({ created }) => created)).toHaveLength(1)
  expect(new Set(answers.map(({ release }) => release.id)).size).toBe(1)
  expect(await list(app)).toHaveLength(1)
})

test('a release that only events named is adopted by posting it, with its events', async () => {
  await using app = await startApp()
  await app.ingest({ environment: 'warehouse', release: '1.0.0' })
  const [before] = await list(app)
  expect(before).toMatchObject({ known: false, environment_known: false, origin: 'ORIGIN_EVENT' })
  const { release, created } = await post(app, { version: '1.0.0', environment: 'warehouse' })
  expect(created).toBe(false)
  expect(release).toMatchObject({
    id: before?.id,
    known: true,
    environment_known: true,
    origin: 'ORIGIN_MANUAL',
    counts: { events: 1, new_issues: 1, regressed_issues: 0 },
    first_event_at: expect.any(String),
  })
})

test('branch and commit of a recorded release are what a member said, whatever runs of tests say', async () => {
  await using app = await startApp()
  const run = (release: string) =>
    app.request('POST', `/v1/products/${app.productId}/tests:ingest`, {
      draft: { cases: [{ file_path: 'a.test.ts', suite_path: [], name: 'adds up', status: 'passed' }] },
      run: { run_key: release, release, environment: 'production', git_branch: 'feature', commit_sha: 'fea' },
    })
  await post(app, { version: '1.0.0', environment: 'production', git_branch: 'release/1' })
  await run('1.0.0')
  expect(await list(app, '?version=1.0.0')).toMatchObject([{ git_branch: 'release/1', commit_sha: '' }])

  await run('2.0.0')
  expect(await list(app, '?version=2.0.0')).toMatchObject([{ known: false, git_branch: 'feature', commit_sha: 'fea' }])
  const { release } = await post(app, { version: '2.0.0', environment: 'production', commit_sha: 'abc' })
  expect(release).toMatchObject({ known: true, git_branch: '', commit_sha: 'abc' })
})

test('a release is newest by its time, then by its version, and knows the one before it in its environment', async () => {
  await using app = await startApp()
  await post(app, { version: '1.2.0', environment: 'qa', released_at: '2026-01-02T00:00:00Z' })
  await post(app, { version: '1.10.0', environment: 'production' })
  await post(app, { version: '1.9.0', environment: 'production' })
  const older = await post(app, { version: '2.0.0', environment: 'qa', released_at: '2026-01-01T00:00:00+01:00' })
  expect(older.release).toMatchObject({ sequence: 1, predecessor_id: '', released_at: '2025-12-31T23:00:00.000Z' })
  const [newest, before] = (await list(app, '?environment=QA')).map(({ id }) => id)
  expect(before).toBe(older.release.id)
  const got = await app.request('GET', `/v1/releases/${newest}`)
  expect(got.body).toMatchObject({
    release: { version: '1.2.0', sequence: 2, predecessor_id: before },
    previous: { id: before, title: '2.0.0', known: true },
    verdict: null,
  })
  const production = await list(app, '?environment=production')
  expect(Object.fromEntries(production.map(({ version, sequence }) => [version, sequence]))).toEqual({
    '1.9.0': 1,
    '1.10.0': 2,
  })
})

test('the release before one is of its package, or of none where it is the first that names its package', async () => {
  await using app = await startApp()
  const ids: Record<string, string> = {}
  for (const version of ['1.3.0', 'web@1.4.0', 'api@7.0.0', 'web@1.5.0', 'api@7.1.0']) {
    const { release } = await post(app, { version, environment: 'production' })
    ids[version] = release.id
  }
  const before = (await list(app, '?environment=production')).map((one) => [one.version, one.predecessor_id])
  expect(Object.fromEntries(before)).toEqual({
    '1.3.0': '',
    'web@1.4.0': ids['1.3.0'],
    'web@1.5.0': ids['web@1.4.0'],
    'api@7.0.0': ids['1.3.0'],
    'api@7.1.0': ids['api@7.0.0'],
  })
})

test('releases of other packages do not change which one of its package is before a release', async () => {
  await using app = await startApp()
  const ids: Record<string, string> = {}
  const released = ['web@5.0.0', 'api@1.9.0', 'web@6.0.0', 'web@7.0.0', 'api@1.9.5']
  for (const [day, version] of released.entries()) {
    const body = { version, environment: 'production', released_at: `2026-01-0${String(day + 1)}T00:00:00Z` }
    ids[version] = (await post(app, body)).release.id
  }
  // Without a time, as events name it.
  const { release } = await post(app, { version: 'api@2.0.0', environment: 'production' })
  expect(release.predecessor_id).toBe(ids['api@1.9.5'])
})

test('the first of the releases that name no package has none before it, wherever other packages put it', async () => {
  await using app = await startApp()
  const production = { environment: 'production' }
  await post(app, { ...production, version: '4.0.0', released_at: '2026-01-01T00:00:00Z' })
  await post(app, { ...production, version: 'api@2.0.0', released_at: '2026-01-05T00:00:00Z' })
  const { release } = await post(app, { ...production, version: '2.0.0' })
  const before = (await list(app, '?environment=production')).map((one) => [one.version, one.predecessor_id])
  expect(Object.fromEntries(before)).toMatchObject({ '2.0.0': '', '4.0.0': release.id })
})

test('releases are filtered by environment, its id and version', async () => {
  await using app = await startApp()
  const { release } = await post(app, { version: '1', environment: 'qa' })
  await post(app, { version: '1', environment: 'production' })
  await post(app, { version: '2', environment: 'production' })
  expect(await list(app, '?version=1')).toHaveLength(2)
  expect(await list(app, '?version=1&environment=production')).toHaveLength(1)
  expect((await list(app, `?environment_id=${release.environment_id}`)).map(({ id }) => id)).toEqual([release.id])
})

test('a regression is counted for the release that brought it back', async () => {
  await using app = await startApp()
  await app.ingest({ release: '1.0.0' })
  const { body } = await app.request<{ issues: { id: string }[] }>('GET', `/v1/products/${app.productId}/issues`)
  await app.request('POST', `/v1/issues/${body.issues[0]?.id}:setStatus`, { status: 'resolved' })
  await app.ingest({ release: '1.1.0' })
  const counts = Object.fromEntries((await list(app)).map(({ version, counts: of }) => [version, of]))
  expect(counts).toEqual({
    '1.0.0': { new_issues: 1, regressed_issues: 0, events: 1, source_maps: 0 },
    '1.1.0': { new_issues: 0, regressed_issues: 1, events: 1, source_maps: 0 },
  })
})

test('a release needs a version and an environment; a name with line breaks is refused', async () => {
  await using app = await startApp()
  for (const body of [
    { version: '1' },
    { environment: 'qa' },
    { version: 'a\nb', environment: 'qa' },
    { version: '1', environment: 'q\u0007a' },
  ])
    expect((await app.request('POST', path(app), body)).status).toBe(400)
  expect(await list(app)).toEqual([])
  expect((await app.request('GET', `/v1/products/${app.productId}/environments`)).body).toMatchObject({
    environments: [],
  })
})

test('an unknown release is not found', async () => {
  await using app = await startApp()
  expect(reasonOf(await app.request('GET', '/v1/releases/nope'))).toBe('RELEASE_NOT_FOUND')
})
