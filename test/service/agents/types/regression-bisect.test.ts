import { expect, test } from 'vitest'
import type * as z from 'zod'
import type { output } from '../../../../src/service/agents/types/regression-bisect/schema.ts'
import { OUTPUT_BYTES } from '../../../../src/service/agents/output-size.ts'
import { runRetention } from '../../../../src/service/errors/issues/retention.ts'
import { sampleReleases } from '../../../../src/service/sample/load.ts'
import { startApp, type App } from '../../../app.ts'
import { startSampleApp } from '../../../sample-app.ts'
import { copyIssue } from '../copy-issue.ts'
import { runType } from '../run-type.ts'

const day = 86_400_000
const now = Date.now()

async function bisect(app: App, input: Record<string, unknown> = {}) {
  const run = await runType(app, 'regression_bisect', input, { now })
  const { issues, ...rest } = run.output as z.output<typeof output>
  return { ...run, ...rest, issues, only: issues[0] }
}

/** A release, live since `daysAgo`. */
async function release(app: App, version: string, daysAgo: number, more: Record<string, unknown> = {}) {
  const reply = await app.request('POST', `/v1/products/${app.productId}/releases`, {
    version,
    environment: 'production',
    released_at: new Date(now - daysAgo * day).toISOString(),
    ...more,
  })
  expect(reply.status).toBe(200)
}

/** An event of the issue that is named by the type of its error. */
async function crash(app: App, type: string, version: string | undefined, daysAgo: number, environment = 'production') {
  const frame = { function: type, filename: `src/${type}.ts`, lineno: 7, colno: 3, in_app: true }
  const timestamp = (now - daysAgo * day) / 1000
  const exception = { values: [{ type, value: 'failed', stacktrace: { frames: [frame] } }] }
  const reply = await app.ingest({
    timestamp,
    environment,
    exception,
    ...(version !== undefined && { release: version }),
  })
  expect(reply.status).toBe(200)
}

/** Key of the only issue of that type of error. */
async function issueKey(app: App, type: string): Promise<string> {
  const issue = await app.db.read
    .selectFrom('issue')
    .select(['number'])
    .where('type', '=', type)
    .executeTakeFirstOrThrow()
  const product = await app.db.read.selectFrom('product').select('key_prefix').executeTakeFirstOrThrow()
  return `${product.key_prefix}-${String(issue.number)}`
}

test('the regression of the sample came back in shop@1.4.1, after shop@1.4.0 was live without it', async () => {
  await using app = await startSampleApp()
  const { number } = await app.db.read
    .selectFrom('issue')
    .select('number')
    .where('is_regression', '=', 1)
    .executeTakeFirstOrThrow()
  const { only, summary } = await bisect(app, { issue: `shop-${String(number)}` })
  const commits = new Map(sampleReleases.map(({ version, commit_sha: commit }) => [version, commit]))
  expect(only).toMatchObject({
    kind: 'CAME_BACK',
    first_bad: { version: 'shop@1.4.1' },
    last_good: { version: 'shop@1.4.0' },
    commits: { from: commits.get('shop@1.4.0'), to: commits.get('shop@1.4.1') },
    confidence: 'HIGH',
  })
  expect(only?.releases.map(({ version, state }) => [version, state])).toEqual([
    ['shop@1.3.0', 'BAD'],
    ['shop@1.4.0', 'GOOD'],
    ['shop@1.4.1', 'BAD'],
  ])
  expect(summary).toContain(`SHOP-${String(number)}`)
  expect(summary.length).toBeLessThanOrEqual(500)
})

test('the result, the reason of its confidence and the next step are each told once', async () => {
  await using app = await startApp()
  await release(app, 'shop@1.0.0', 10, { commit_sha: 'a1b2c3d4e5f6' })
  await release(app, 'shop@1.1.0', 5, { commit_sha: 'b1b2c3d4e5f6' })
  await crash(app, 'Other', 'shop@1.0.0', 8)
  await crash(app, 'Broken', 'shop@1.1.0', 4)
  const key = await issueKey(app, 'Broken')
  const { summary, only } = await bisect(app, { issue: key })
  expect(summary).toBe(
    `${key} has 1 event in shop@1.1.0 and none in shop@1.0.0, which was live in production for 5 days. Confidence HIGH. Read git log -p a1b2c3d4e5f6..b1b2c3d4e5f6, the files of the crash first.`,
  )
  expect(only?.confidence_reason).toMatch(
    /^No known release is between the two, and shop@1\.0\.0 had 1 event of other issues\./,
  )
  expect(JSON.stringify(only)).not.toMatch(/git log|was live in production/)
})

test('each other issue of the sample began in the first release that its events name', async () => {
  await using app = await startSampleApp()
  const events = await app.db.read
    .selectFrom('occurrence')
    .innerJoin('place', 'place.id', 'occurrence.place_id')
    .innerJoin('release', 'release.id', 'place.release_id')
    .select(['occurrence.issue_id', 'release.version'])
    .execute()
  const { issues, counts } = await bisect(app)
  // All of the sample is new; warnings are not bisected.
  const severe = await app.db.read.selectFrom('issue').select('id').where('level', 'in', ['fatal', 'error']).execute()
  expect(counts.issues).toBe(severe.length)
  for (const { issue, kind, first_bad: firstBad } of issues) {
    const versions = events.filter((event) => event.issue_id === issue.id).map(({ version }) => version)
    if (kind === 'CAME_BACK') continue
    expect([issue.key, firstBad?.version]).toEqual([issue.key, versions.toSorted()[0]])
    expect(kind).toBe(firstBad?.version === 'shop@1.3.0' ? 'IN_OLDEST_RELEASE' : 'INTRODUCED')
  }
})

test('a run has a finding and a report of progress for each issue, and is equal on equal data', async () => {
  await using app = await startSampleApp()
  const run = await bisect(app)
  const again = await bisect(app)
  expect(again).toEqual(run)
  const found = run.events.filter(({ type }) => type === 'FINDING')
  expect(new Set(found.map(({ data }) => data['issue']))).toEqual(
    new Set(run.issues.map(({ issue: { id, key } }) => ({ id, key }))),
  )
  expect(run.events.filter(({ data }) => data['phase'] === 'issues')).toHaveLength(run.issues.length + 1)
})

test('an error of progress ends the run', async () => {
  await using app = await startSampleApp()
  const stop = new Error('cancelled')
  const run = runType(
    app,
    'regression_bisect',
    {},
    {
      onProgress: ({ done }) => {
        if (done === 2) throw stop
      },
    },
  )
  await expect(run).rejects.toBe(stop)
})

test('releases that only events name order nothing', async () => {
  await using app = await startApp()
  await release(app, 'shop@1.0.0', 10)
  await release(app, 'shop@1.1.0', 5)
  await crash(app, 'Late', 'shop@1.1.0', 4)
  await crash(app, 'Late', 'shop@0.0.1', 1)
  await crash(app, 'Late', 'shop@999.9.9', 1)
  const { only } = await bisect(app, { issue: await issueKey(app, 'Late') })
  expect(only).toMatchObject({
    first_bad: { version: 'shop@1.1.0' },
    last_good: { version: 'shop@1.0.0' },
    events_outside: 2,
    confidence: 'HIGH',
  })
  expect(only?.releases.map(({ version }) => version)).toEqual(['shop@1.0.0', 'shop@1.1.0'])
})

test('a hotfix of an older line stays older than a version that was released before it', async () => {
  await using app = await startApp()
  await release(app, 'shop@1.3.0', 10)
  await release(app, 'shop@1.4.0', 6)
  await release(app, 'shop@1.3.1', 3)
  await crash(app, 'Broken', 'shop@1.4.0', 2)
  const { only } = await bisect(app, { issue: await issueKey(app, 'Broken') })
  expect(only).toMatchObject({ first_bad: { version: 'shop@1.4.0' }, last_good: { version: 'shop@1.3.1' } })
})

test('names that are no versions are ordered by their dates', async () => {
  await using app = await startApp()
  await release(app, 'f00d', 10)
  await release(app, 'beef', 6)
  await release(app, 'cafe', 3)
  await crash(app, 'Broken', 'beef', 5)
  await crash(app, 'Broken', 'cafe', 2)
  const { only } = await bisect(app, { issue: await issueKey(app, 'Broken') })
  expect(only).toMatchObject({ first_bad: { version: 'beef' }, last_good: { version: 'f00d' } })
})

test('a release that nothing shows to have been live makes the result uncertain', async () => {
  await using app = await startApp()
  await release(app, 'shop@1.0.0', 10)
  await release(app, 'shop@1.1.0', 7, { released_at: undefined })
  await release(app, 'shop@1.2.0', 5)
  await crash(app, 'Broken', 'shop@1.2.0', 4)
  const key = await issueKey(app, 'Broken')
  expect((await bisect(app, { issue: key })).only).toMatchObject({
    last_good: { version: 'shop@1.0.0' },
    confidence: 'LOW',
    confidence_reason: expect.stringContaining('shop@1.1.0'),
  })
  await crash(app, 'Other', 'shop@1.1.0', 6)
  expect((await bisect(app, { issue: key })).only).toMatchObject({
    last_good: { version: 'shop@1.1.0' },
    confidence: 'HIGH',
  })
})

test('a release that was live in another environment only is no good release', async () => {
  await using app = await startApp()
  await release(app, 'shop@1.0.0', 10, { environment: 'staging' })
  await release(app, 'shop@1.1.0', 5)
  await crash(app, 'Broken', 'shop@1.1.0', 4)
  await crash(app, 'Other', 'shop@1.0.0', 8, 'staging')
  const { only } = await bisect(app, { issue: await issueKey(app, 'Broken') })
  expect(only).toMatchObject({ kind: 'IN_OLDEST_RELEASE', last_good: null, commits: null, confidence: 'LOW' })
})

test('only the environment that is asked for counts', async () => {
  await using app = await startApp()
  for (const environment of ['production', 'staging']) {
    await release(app, 'shop@1.0.0', 10, { environment })
    await release(app, 'shop@1.1.0', 5, { environment })
  }
  await crash(app, 'Broken', 'shop@1.0.0', 8, 'staging')
  await crash(app, 'Broken', 'shop@1.1.0', 4)
  const key = await issueKey(app, 'Broken')
  expect((await bisect(app, { issue: key })).only).toMatchObject({ first_bad: { version: 'shop@1.0.0' } })
  const { only, environment } = await bisect(app, { issue: key, environment: 'Production' })
  expect(environment).toMatchObject({ name: 'production' })
  expect(only).toMatchObject({ first_bad: { version: 'shop@1.1.0' }, last_good: { version: 'shop@1.0.0' } })
})

test('events without a known release leave the first bad release open', async () => {
  await using app = await startApp()
  await release(app, 'shop@1.0.0', 10)
  await crash(app, 'Nameless', undefined, 1)
  const { only } = await bisect(app, { issue: await issueKey(app, 'Nameless') })
  expect(only).toMatchObject({
    kind: 'UNKNOWN',
    first_bad: null,
    last_good: null,
    confidence: 'LOW',
    events_outside: 1,
  })
})

test('what retention removed still counts', async () => {
  await using app = await startSampleApp()
  const before = await bisect(app)
  const { occurrences } = await runRetention(app.db, now + 365 * day)
  expect(occurrences).toBeGreaterThan(0)
  expect(await bisect(app)).toEqual(before)
})

test('events per day are the events of a release in its time in use', async () => {
  await using app = await startApp()
  await release(app, 'shop@1.0.0', 10)
  await release(app, 'shop@1.1.0', 4)
  for (const daysAgo of [9, 8, 7]) await crash(app, 'Broken', 'shop@1.0.0', daysAgo)
  await crash(app, 'Broken', 'shop@1.1.0', 1)
  const { only } = await bisect(app, { issue: await issueKey(app, 'Broken') })
  expect(only?.releases.map(({ live_days: days, events_per_day: rate }) => [days, rate])).toEqual([
    [6, 0.5],
    [4, 0.25],
  ])
})

test('an issue or environment that the product does not have is named with what to do', async () => {
  await using app = await startApp()
  await expect(bisect(app, { issue: 'SHOP-999' })).rejects.toThrow(/no issue SHOP-999; /)
  await expect(bisect(app, { environment: 'mars' })).rejects.toThrow(/no environment mars; /)
})

test('with an environment, only issues that occurred there are bisected', async () => {
  await using app = await startApp()
  await release(app, 'shop@1.0.0', 10)
  await crash(app, 'Often', 'shop@1.0.0', 3, 'staging')
  await crash(app, 'Often', 'shop@1.0.0', 2, 'staging')
  await crash(app, 'Rare', 'shop@1.0.0', 1)
  const { issues } = await bisect(app, { environment: 'production', limit: 1 })
  expect(issues.map(({ issue }) => issue.key)).toEqual([await issueKey(app, 'Rare')])
})

test('the issue that collects unrelated events is not bisected', async () => {
  await using app = await startApp({ newIssuesPerHour: 1 })
  await release(app, 'shop@1.0.0', 10)
  for (const type of ['First', 'Second', 'Third']) await crash(app, type, 'shop@1.0.0', 1)
  expect(await app.db.read.selectFrom('issue').select('id').execute()).toHaveLength(2)
  const { issues } = await bisect(app)
  expect(issues.map(({ issue }) => issue.key)).toEqual([await issueKey(app, 'First')])
})

test('an abbreviated commit and the whole one are the same', async () => {
  await using app = await startApp()
  const commit = 'a1b2c3d4e5f60718293a4b5c6d7e8f9001122334'
  await release(app, 'shop@1.0.0', 10, { commit_sha: commit })
  await release(app, 'shop@1.1.0', 5, { commit_sha: commit.slice(0, 8) })
  await crash(app, 'Broken', 'shop@1.1.0', 4)
  const { summary } = await bisect(app, { issue: await issueKey(app, 'Broken') })
  expect(summary).toContain('Both releases name the same commit')
})

test('the largest output fits into a run, and the issues that were left out for it are noted', async () => {
  await using app = await startApp()
  const versions = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => name.repeat(250))
  for (const [index, version] of versions.entries()) await release(app, version, 10 - index)
  await crash(app, 'Broken', versions[5], 1)
  const presence = await app.db.read.selectFrom('issue_presence').selectAll().executeTakeFirstOrThrow()
  await copyIssue(app, {
    copies: 120,
    paths: ['a', 'b', 'c'].map((name) => name.repeat(500)),
    also: (rows, id) =>
      rows
        .insertInto('issue_presence')
        .values({ ...presence, issue_id: id })
        .execute(),
  })
  const { output, issues, truncationSignals } = await bisect(app, { limit: 100 })
  expect(Buffer.byteLength(JSON.stringify(output))).toBeLessThanOrEqual(OUTPUT_BYTES)
  expect(truncationSignals).toEqual(['issues:max_items:100/121', `issues:max_bytes:${String(issues.length)}/100`])
})
