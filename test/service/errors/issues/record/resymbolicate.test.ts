import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import type { ResponseOf } from '../../../../../src/contract/index.ts'
import { createClaimCheck } from '../../../../../src/service/errors/issues/record/claims.ts'
import { createAttribution } from '../../../../../src/service/errors/issues/record/attribution.ts'
import { resymbolicate } from '../../../../../src/service/errors/issues/record/resymbolicate.ts'
import { createSymbolicator } from '../../../../../src/service/errors/sourcemaps/symbolicate/symbolicator.ts'
import type { Database } from '../../../../../src/service/sql/database.ts'
import { startApp, type App } from '../../../../app.ts'
import { countBatches } from './counted-batches.ts'
import {
  bundle,
  crash,
  eventOf,
  issuesOf,
  latestEvent,
  uploadBuild,
  type Built,
} from '../../sourcemaps/symbolicate/shop.ts'

let built: Built
let thrown: ReturnType<typeof crash>

beforeAll(async () => {
  built = await bundle('dist/assets/app.js')
  thrown = crash(built.code, 'https://shop.example/assets/app.js')
})

const files = () => ({ 'assets/app.js': built.code, 'assets/app.js.map': built.map })

/** The same as a confirm does. */
async function again(app: App, release: string, mostBytes?: number, db: Database = app.db): Promise<number> {
  const symbolicator = createSymbolicator({ db: app.db, tables: join(app.dataDir, 'sourcemaps') })
  const attribution = createAttribution({ db: app.db, symbolicator })
  const claims = createClaimCheck({ db: app.db, symbolicator })
  const tools = { db, symbolicator, claims, ...attribution, ...(mostBytes !== undefined && { mostBytes }) }
  const changed = await resymbolicate(tools, Number(app.productId), release, [])
  symbolicator.close()
  return changed
}

test('a crash before and after the upload is one issue, whose face follows and whose state stays', async () => {
  await using app = await startApp()
  await app.ingest(eventOf(thrown))
  const [before] = await issuesOf(app)
  const minified = thrown.frames.at(-1)!.function
  expect(before).toMatchObject({ culprit: `${minified} (/assets/app.js)` })
  await app.request('POST', `/v1/issues/${before!.id}:setStatus`, { status: 'ignored' })
  const [ignored] = await issuesOf(app)

  expect(await uploadBuild(app, files())).toBe(1)
  const [renewed] = await issuesOf(app)
  expect(renewed).toMatchObject({
    id: before!.id,
    culprit: 'refuse (src/cart/cart.ts)',
    title: 'RangeError: too dear: 30 EUR',
    status: 'ignored',
    times_seen: 1,
    etag: ignored!.etag,
    corroboration: { frames_total: 6, frames_symbolicated: 6 },
  })
  expect(renewed!.grouping.hash).not.toBe(before!.grouping.hash)
  expect(renewed!.grouping.explanation.join()).toContain('refuse (src/cart/cart.ts)')
  const listed = await app.request<ResponseOf<'listIssueEvents'>>('GET', `/v1/issues/${before!.id}/events`)
  expect(listed.body.events[0]!.symbolication_state).toBe('SYMBOLICATION_STATE_COMPLETE')

  await app.ingest(eventOf(thrown))
  expect((await issuesOf(app)).map(({ id, times_seen }) => [id, times_seen])).toEqual([[before!.id, 2]])
  expect(await again(app, 'shop@1.4.1')).toBe(0)
})

test('issues of other releases are left alone', async () => {
  await using app = await startApp()
  await app.ingest(eventOf(thrown, { release: 'shop@1.4.0' }))
  expect(await uploadBuild(app, files())).toBe(0)
  expect((await latestEvent(app)).symbolication.state).toBe('SYMBOLICATION_STATE_MISSING')
})

test('an issue is renewed by a debug id, without a release', async () => {
  await using app = await startApp()
  const debugId = '0f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f0'
  const images = [{ type: 'sourcemap', code_file: thrown.frames[0]!.filename, debug_id: debugId }]
  await app.ingest(eventOf(thrown, { release: undefined, debug_meta: { images } }))
  await app.ingest(eventOf(thrown, { release: undefined, fingerprint: ['no debug id'] }))
  const map = JSON.stringify({ ...(JSON.parse(built.map) as object), debugId })
  expect(await uploadBuild(app, { 'app.js': built.code, 'app.js.map': map }, {})).toBe(1)
  const issues = await issuesOf(app)
  expect(issues[0]).toMatchObject({ culprit: 'refuse (src/cart/cart.ts)' })
  expect(issues[1]!.corroboration.frames_symbolicated).toBe(0)
})

test('issues that turn out to be the same stay apart, and each keeps its hashes', async () => {
  await using app = await startApp()
  await app.ingest(eventOf(thrown))
  // Of another build, whose minifier chose other names.
  const frames = thrown.frames.map((frame) => ({ ...frame, function: frame.function === '?' ? '?' : 'q' }))
  await app.ingest(eventOf({ type: 'RangeError', value: 'quite another text', frames }, { release: 'shop@1.4.2' }))
  const before = await issuesOf(app)
  expect(before).toHaveLength(2)
  await uploadBuild(app, files())
  await uploadBuild(app, files(), { release: 'shop@1.4.2' })
  const after = await issuesOf(app)
  expect(after.map(({ id, culprit }) => [id, culprit])).toEqual(
    before.map(({ id }) => [id, 'refuse (src/cart/cart.ts)']),
  )
  expect(after[1]!.grouping.hash).toBe(before[1]!.grouping.hash)
  const hashes = await app.db.read.selectFrom('issue_hash').select(['hash', 'issue_id']).execute()
  const owners = new Map(hashes.map(({ hash, issue_id }) => [hash, issue_id]))
  for (const { id, grouping } of [...before, ...after]) expect(owners.get(grouping.hash)).toBe(id)
})

test('the component follows the source, also when components change later', async () => {
  await using app = await startApp()
  const components = `/v1/products/${app.productId}/components`
  await app.request('POST', components, { name: 'Cart', path_globs: ['src/cart/**'] })
  await app.ingest(eventOf(thrown))
  expect((await issuesOf(app))[0]!.component).toBeNull()
  await uploadBuild(app, files())
  expect((await issuesOf(app))[0]!.component?.title).toBe('Cart')

  await app.request('POST', components, { name: 'Prices', path_globs: ['src/cart/cart.ts'] })
  await app.service.close()
  await using after = await startApp({ dataDir: app.dataDir })
  expect((await issuesOf(after))[0]!.component?.title).toBe('Prices')
})

test('the places in the code that an issue goes through are those of its sources', async () => {
  await using app = await startApp()
  await app.ingest(eventOf(thrown))
  await uploadBuild(app, files())
  const frames = await app.db.read.selectFrom('issue_frame').select(['path', 'function']).orderBy('distance').execute()
  expect(frames.slice(0, 3)).toEqual([
    { path: 'src/cart/cart.ts', function: 'refuse' },
    { path: 'src/cart/cart.ts', function: '<anonymous>' },
    { path: 'src/cart/cart.ts', function: 'Cart.totalOf' },
  ])
  expect(frames.every(({ path }) => path.startsWith('src/'))).toBe(true)
})

test('many issues of a release are renewed, over several transactions', async () => {
  await using app = await startApp()
  for (let from = 0; from < 120; from += 40) {
    const batch = Array.from({ length: 40 }, (_, index) => eventOf(thrown, { fingerprint: [`kind ${from + index}`] }))
    await app.ingest(...batch)
  }
  expect(await uploadBuild(app, files())).toBe(120)
  const issues = await app.db.read.selectFrom('issue').select('culprit').distinct().execute()
  expect(issues).toEqual([{ culprit: 'refuse (src/cart/cart.ts)' }])
})

test('events over what a confirm may read are left for later, smaller ones are not', async () => {
  await using app = await startApp()
  await app.ingest(eventOf(thrown))
  await app.ingest(eventOf({ ...thrown, type: 'TypeError' }, { extra: { long: 'x'.repeat(10_000) } }))
  expect(await uploadBuild(app, files(), { release: 'another' })).toBe(0)
  await app.db.write((rows) => rows.updateTable('sourcemap_artifact').set({ release: 'shop@1.4.1' }).execute())
  expect(await again(app, 'shop@1.4.1', 9_000)).toBe(1)
  expect((await issuesOf(app)).map(({ culprit }) => culprit.includes('cart.ts'))).toEqual([true, false])
  expect(await again(app, 'shop@1.4.1')).toBe(1)
})

test('of large events a few at a time are read to renew their issues', async () => {
  await using app = await startApp()
  await uploadBuild(app, files())
  const extra = { text: 'x'.repeat(400_000) }
  for (const kind of ['a', 'b', 'c', 'd', 'e']) await app.ingest(eventOf(thrown, { fingerprint: [kind], extra }))
  const { db, made } = countBatches(app)
  await again(app, 'shop@1.4.1', undefined, db)
  expect(made()).toBe(2)
})
