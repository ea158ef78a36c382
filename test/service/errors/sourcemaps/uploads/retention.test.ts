import { existsSync, readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readMapsWith } from '../../../../../src/service/errors/sourcemaps/symbolicate/artifact-rows.ts'
import { sourceMapFolders } from '../../../../../src/service/errors/sourcemaps/uploads/folders.ts'
import {
  keptLimits,
  noteUsed,
  removeUnused,
  type KeptLimits,
} from '../../../../../src/service/errors/sourcemaps/uploads/retention.ts'
import { readSnapshot } from '../../../../../src/service/workspace/components/snapshot.ts'
import { startApp, type App } from '../../../../app.ts'
import { create, sha256Of, tinyMap, upload } from './rig.ts'

const day = 24 * 3_600_000
const signal = new AbortController().signal

/** Uploads one map with a source of its own; the answer is its id. */
async function give(app: App, name: string): Promise<string> {
  const map = tinyMap({ sources: [`src/${name}.ts`] })
  const { status, body } = await upload(app, { file_name: `${name}.js.map`, release: 'shop@1' }, map)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.sourcemap.id
}

/** One run at a time; tables count as old at once. */
async function clean(app: App, now: number, limits: KeptLimits = keptLimits): Promise<number> {
  const { tables } = sourceMapFolders(app.dataDir)
  const long = new Date(now - 2 * day)
  for (const name of readdirSync(tables)) utimesSync(join(tables, name), long, long)
  return removeUnused({ db: app.db, now, tables, limits, onRemoved: () => {} }, signal)
}

async function statesOf(app: App, ...ids: string[]): Promise<(string | undefined)[]> {
  const found = await app.db.read.selectFrom('sourcemap').select(['id', 'state']).execute()
  return ids.map((id) => found.find((row) => row.id === id)?.state.replace('SOURCEMAP_STATE_', ''))
}

const countOf = async (app: App, table: 'sourcemap_artifact' | 'sourcemap_source') =>
  (await app.db.read.selectFrom(table).select('product_id').execute()).length

test('a map that mapped no frame for 90 days goes with its artifacts, paths and table, one in use stays', async () => {
  const start = Date.now()
  let now = start
  await using app = await startApp({ platform: { now: () => now } })
  const [unused, used] = [await give(app, 'unused'), await give(app, 'used')]
  now = start + 60 * day
  await noteUsed(app.db, [used], now)
  now = start + 91 * day
  const fresh = await give(app, 'fresh')
  expect(await clean(app, now)).toBe(1)
  expect(await statesOf(app, unused, used, fresh)).toEqual(['EXPIRED', 'READY', 'READY'])
  expect(await countOf(app, 'sourcemap_artifact')).toBe(2)
  expect(readdirSync(sourceMapFolders(app.dataDir).tables)).toHaveLength(2)
  const snapshot = await readSnapshot(app.db.read, Number(app.productId))
  expect(await snapshot.has(['src/unused.ts', 'src/used.ts'])).toEqual(new Set(['src/used.ts']))
  expect(await clean(app, now)).toBe(0)
})

test('an upload that is sent again, or maps a frame, while unused ones are removed stays', async () => {
  let now = Date.now()
  await using app = await startApp({ platform: { now: () => now } })
  const map = tinyMap({ sources: ['again'] })
  const facts = { file_name: 'again.js.map', release: 'shop@1', sha256: sha256Of(map) }
  const again = (await upload(app, facts, map)).body.sourcemap.id
  const [mapped, unused] = [await give(app, 'mapped'), await give(app, 'unused')]
  now += 91 * day
  let isChosen = false
  const slower: App['db'] = {
    ...app.db,
    read: app.db.read,
    async batch(work) {
      if (!isChosen) {
        isChosen = true
        expect((await create(app, facts)).body.upload_url).toBe('')
        await noteUsed(app.db, [mapped], now)
      }
      return app.db.batch(work)
    },
  }
  await clean({ ...app, db: slower }, now)
  expect(await statesOf(app, again, mapped, unused)).toEqual(['READY', 'READY', 'EXPIRED'])
})

test('a product that keeps its events longer keeps its maps as long', async () => {
  const now = Date.now()
  await using app = await startApp({ platform: { now: () => now } })
  await app.db.write((rows) =>
    rows
      .updateTable('product')
      .set({ settings: JSON.stringify({ retention_days: 400 }) })
      .execute(),
  )
  const id = await give(app, 'a')
  expect(await clean(app, now + 399 * day)).toBe(0)
  expect(await clean(app, now + 401 * day)).toBe(1)
  expect(await statesOf(app, id)).toEqual(['EXPIRED'])
})

test('beyond the limits of a product those go first that were not used for the longest time', async () => {
  let now = Date.now()
  await using app = await startApp({ platform: { now: () => (now += 1000) } })
  const ids = [await give(app, 'a'), await give(app, 'b'), await give(app, 'c')]
  await noteUsed(app.db, [ids[0]!], now + day)
  expect(await clean(app, now + day, { ...keptLimits, uploads: 2 })).toBe(1)
  expect(await statesOf(app, ...ids)).toEqual(['READY', 'EXPIRED', 'READY'])
  // The newest stays, even if it alone is too large.
  expect(await clean(app, now + day, { ...keptLimits, bytes: 1 })).toBe(1)
  expect(await statesOf(app, ...ids)).toEqual(['READY', 'EXPIRED', 'EXPIRED'])
})

test('a table that another upload refers to stays, and so does one that was written just now', async () => {
  const now = Date.now()
  await using app = await startApp({ platform: { now: () => now } })
  const map = tinyMap()
  await upload(app, { file_name: 'a.js.map', release: 'shop@1' }, map)
  await app.request('POST', `/v1/products/${app.productId}/sourcemaps`, {
    file_name: 'a.js.map',
    release: 'shop@2',
    sha256: sha256Of(map),
  })
  const { tables } = sourceMapFolders(app.dataDir)
  const files = readdirSync(tables)
  expect(await clean(app, now, { ...keptLimits, uploads: 1 })).toBe(1)
  expect(readdirSync(tables)).toEqual(files)
  await removeUnused({ db: app.db, now: now + 91 * day, tables, onRemoved: () => {} }, signal)
  // Its last artifact is gone; the file is younger than a day only for a clock that runs as fast as the disk's.
  expect(existsSync(join(tables, files[0]!))).toBe(false)
})

test('bytes that were used again name their sources for the second build, also when the first one is gone', async () => {
  const now = Date.now()
  await using app = await startApp({ platform: { now: () => now } })
  const map = tinyMap({ sources: ['src/a.ts'] })
  const input = { file_name: 'a.js.map', release: 'shop@1', sha256: sha256Of(map) }
  await upload(app, input, map)
  expect((await create(app, { ...input, release: 'shop@2' })).body.upload_url).toBe('')
  const wanted = { productId: Number(app.productId), release: 'shop@2', path: 'src/a.ts' }
  expect(await readMapsWith(app.db.read, wanted)).toHaveLength(1)
  expect(await clean(app, now, { ...keptLimits, uploads: 1 })).toBe(1)
  const snapshot = await readSnapshot(app.db.read, Number(app.productId))
  expect(await snapshot.has(['src/a.ts'])).toEqual(new Set(['src/a.ts']))
})

test('bytes that were used again name their sources where the newest upload of them names none', async () => {
  await using app = await startApp()
  const map = tinyMap({ sources: ['src/a.ts', 'src/b.ts'] })
  const input = { file_name: 'a.js.map', release: 'shop@1', sha256: sha256Of(map) }
  await upload(app, input, map)
  // As an earlier version has left it.
  const { body } = await create(app, { ...input, release: 'shop@2' })
  await app.db.write((rows) =>
    rows.deleteFrom('sourcemap_source').where('sourcemap_id', '=', body.sourcemap.id).execute(),
  )
  for (const release of ['shop@3', 'shop@4']) {
    await create(app, { ...input, release })
    const wanted = { productId: Number(app.productId), release, path: 'src/b.ts' }
    expect(await readMapsWith(app.db.read, wanted)).toHaveLength(1)
  }
  expect(await countOf(app, 'sourcemap_source')).toBe(6)
})

test('an upload that was removed is sent and read again', async () => {
  const now = Date.now()
  await using app = await startApp({ platform: { now: () => now } })
  const map = tinyMap()
  const described = { file_name: 'a.js.map', release: 'shop@1', sha256: sha256Of(map) }
  await upload(app, described, map)
  expect((await create(app, described)).body.upload_url).toBe('')
  await clean(app, now + 91 * day)
  expect((await create(app, described)).body.upload_url).not.toBe('')
  expect((await upload(app, described, map)).body.sourcemap.state).toBe('SOURCEMAP_STATE_READY')
})

test('a frame that a map leads to keeps it, noted with the next run', async () => {
  const start = Date.now()
  let now = start
  await using app = await startApp({ platform: { now: () => now } })
  const id = await give(app, 'app')
  now = start + 80 * day
  const frame = { function: 't', filename: 'https://shop.example/app.js', lineno: 1, colno: 1, in_app: true }
  const exception = { values: [{ type: 'Error', value: 'x', stacktrace: { frames: [frame] } }] }
  await app.ingest({ platform: 'javascript', release: 'shop@1', exception })
  await app.service.close()
  const row = await app.db.read.selectFrom('sourcemap').select('used_at').where('id', '=', id).executeTakeFirst()
  expect(row?.used_at).toBe(now)
  expect(await clean(app, start + 100 * day)).toBe(0)
})

test('a map that is there when it is sent again counts as used from then on, in a dry run it does not', async () => {
  const start = Date.now()
  let now = start
  await using app = await startApp({ platform: { now: () => now } })
  const [again, asked] = await Promise.all(
    ['again', 'asked'].map(async (name) => {
      const map = tinyMap({ sources: [name] })
      const facts = { file_name: `${name}.js.map`, release: 'shop@1', sha256: sha256Of(map) }
      const { body } = await upload(app, facts, map)
      return { facts, id: body.sourcemap.id }
    }),
  )
  now = start + 89 * day
  expect((await create(app, again!.facts)).body.upload_url).toBe('')
  expect((await create(app, { ...asked!.facts, validate_only: true })).body.upload_url).toBe('')
  expect(await clean(app, start + 91 * day)).toBe(1)
  expect(await statesOf(app, again!.id, asked!.id)).toEqual(['READY', 'EXPIRED'])
  expect(await clean(app, start + 180 * day)).toBe(1)
})

test('the answer of an upload says when a limit is near', async () => {
  await using app = await startApp({ uploadLimits: { kept: { ...keptLimits, uploads: 2 } } })
  const send = (name: string) =>
    upload(app, { file_name: `${name}.js.map`, release: 'shop@1' }, tinyMap({ sources: [name] }))
  expect((await send('a')).body.limits_warning).toBe('')
  expect((await send('b')).body.limits_warning).toMatch(/^The product keeps 2 of 2 uploads, 0 MB of 10737 MB: beyond/)
})
