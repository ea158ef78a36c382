import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createFileStore, type FileStore } from '../../../../../src/service/errors/sourcemaps/files/file-store.ts'
import { expireUploads } from '../../../../../src/service/errors/sourcemaps/uploads/expiry.ts'
import { sourceMapFolders } from '../../../../../src/service/errors/sourcemaps/uploads/folders.ts'
import { removeUnused } from '../../../../../src/service/errors/sourcemaps/uploads/retention.ts'
import { systemPlatform } from '../../../../../src/service/shared/platform.ts'
import { startApp, type App, type AppOptions } from '../../../../app.ts'
import { usesPostgres } from '../../../../postgres/databases.ts'
import { bundle, crash, eventOf, latestEvent, uploadBuild } from '../symbolicate/shop.ts'
import { confirm, create, put, send, sha256Of, stateOf, tinyMap, upload, zipOf, type Refusal } from './rig.ts'

const address = 'https://shop.example/assets/app.js'
const input = { file_name: 'app.js.map', release: '1' }
const dayMs = 24 * 3_600_000
const signal = new AbortController().signal

/** A process with a data directory of its own, on the database of another one. */
async function beside(first: App, options: AppOptions = {}): Promise<App> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tracegate-beside-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  return startApp({ ...options, dataDir, databaseUrl: first.database })
}

function filesIn(app: App, now = Date.now): FileStore {
  const files = createFileStore({ db: app.db, platform: { ...systemPlatform, now } })
  if (files === undefined) throw new Error('the database holds no files')
  return files
}

/** Names and bytes of what the database holds, and how many parts. */
async function storedIn({ db }: App) {
  const files = await db.read.selectFrom('stored_file').select(['folder', 'name', 'bytes']).orderBy('name').execute()
  const parts = await db.read.selectFrom('stored_file_part').select('body').execute()
  return { files, parts: parts.length }
}

function localFiles({ dataDir }: App): string[] {
  const { uploads, tables } = sourceMapFolders(dataDir)
  return [uploads, tables].flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []))
}

// A database of SQLite has one data directory.
describe.skipIf(!usesPostgres())('processes with data directories of their own', () => {
  test('one gets the bytes, another confirms them, a third maps frames with them', async () => {
    const { code, map } = await bundle('dist/assets/app.js')
    await using first = await startApp()
    await using second = await beside(first)
    await using third = await beside(first)
    const zip = await zipOf({ 'assets/app.js': code, 'assets/app.js.map': map })
    const id = await send(first, { file_name: 'build.zip', release: 'shop@1.4.1' }, zip)
    expect(localFiles(first)).toEqual([])
    expect((await confirm(second, id)).body.sourcemap.state).toBe('SOURCEMAP_STATE_READY')
    const { files } = await storedIn(first)
    expect(files.map(({ folder }) => folder)).toEqual(['sourcemaps', 'sourcemaps'])
    expect(localFiles(second).toSorted()).toEqual(files.map(({ name }) => name))
    await third.ingest(eventOf(crash(code, address)))
    expect((await latestEvent(third)).symbolication).toMatchObject({
      state: 'SYMBOLICATION_STATE_COMPLETE',
      frames_mapped: 6,
    })
    expect(localFiles(third).toSorted()).toEqual(files.map(({ name }) => name))
  })

  test('sources that were uploaded beside a map give its frames their lines in every process', async () => {
    const { code, map } = await bundle('dist/assets/app.js', { sourcesContent: false })
    await using first = await startApp()
    await using second = await beside(first)
    await uploadBuild(first, { 'assets/app.js': code, 'assets/app.js.map': map })
    const { sources: paths } = JSON.parse(map) as { sources: string[] }
    const [cart] = paths.filter((path) => path.endsWith('cart.ts'))
    const name = new URL(cart!, 'file:///assets/app.js.map').pathname.slice(1)
    await upload(first, { file_name: name, artifact: 'source', release: 'shop@1.4.1' }, 'the first line\n'.repeat(20))
    await second.ingest(eventOf(crash(code, address)))
    const { exceptions } = await latestEvent(second)
    expect(exceptions[0]!.frames.at(-1)).toMatchObject({ lineno: 17, context_line: 'the first line' })
  })

  test('one that lost its folders goes on, and asks nobody to send bytes again', async () => {
    const { code, map } = await bundle('dist/assets/app.js')
    const zip = await zipOf({ 'assets/app.js': code, 'assets/app.js.map': map })
    await using app = await startApp()
    await upload(app, { file_name: 'build.zip', release: 'shop@1.4.1' }, zip)
    const waiting = await send(app, input, tinyMap())
    const { uploads, tables } = sourceMapFolders(app.dataDir)
    for (const folder of [uploads, tables]) rmSync(folder, { recursive: true, force: true })
    await using again = await startApp({ dataDir: app.dataDir, databaseUrl: app.database })
    await again.ingest(eventOf(crash(code, address)))
    expect((await latestEvent(again)).symbolication.frames_mapped).toBe(6)
    expect((await confirm(again, waiting)).status).toBe(200)
    rmSync(tables, { recursive: true })
    const described = { file_name: 'build.zip', release: '2', sha256: sha256Of(zip) }
    expect((await create(again, described)).body.upload_url).toBe('')
    expect(readdirSync(tables)).toHaveLength(2)
  })

  test('the bytes that came last are confirmed, whichever process got them', async () => {
    await using first = await startApp()
    await using second = await beside(first)
    const { body } = await create(first, input)
    await put(first, body.upload_url, '{"version":2}')
    await put(second, body.upload_url, tinyMap())
    const { sha256, state } = (await confirm(first, body.sourcemap.id)).body.sourcemap
    expect([sha256, state]).toEqual([sha256Of(tinyMap()), 'SOURCEMAP_STATE_READY'])
    expect((await put(second, body.upload_url, tinyMap())).status).toBe(409)
    // Neither the bytes that were replaced nor those that came too late are kept.
    expect(await storedIn(first)).toMatchObject({ files: [{ folder: 'sourcemaps' }], parts: 1 })
  })

  test('bytes that wait for a confirm count in all processes', async () => {
    const limits = { uploadLimits: { unconfirmedBytes: tinyMap().length } }
    await using first = await startApp(limits)
    await using second = await beside(first, limits)
    const [one, other] = [(await create(first, input)).body, (await create(second, input)).body]
    const length = { 'content-length': String(tinyMap().length) }
    expect((await put(first, one.upload_url, tinyMap(), length)).status).toBe(200)
    expect((await put(second, other.upload_url, tinyMap(), length)).status).toBe(429)
    await confirm(second, one.sourcemap.id)
    expect((await put(second, other.upload_url, tinyMap(), length)).status).toBe(200)
  })

  test('a confirm that fails leaves the bytes for another one, and no copy of its own', async () => {
    await using first = await startApp()
    await using second = await beside(first)
    const id = await send(first, input, tinyMap())
    const wrong = await confirm<Refusal>(second, id, { sha256: sha256Of('other') })
    expect([wrong.status, localFiles(second)]).toEqual([400, []])
    expect((await confirm(first, id)).status).toBe(200)
  })

  test('bytes that a confirm has overtaken leave those it reads, and nothing of their own', async () => {
    await using app = await startApp()
    const id = await send(app, input, tinyMap())
    const file = join(app.dataDir, 'late')
    writeFileSync(file, 'other bytes')
    const late = filesIn(app).replace('uploads', { name: id, file }, () => Promise.reject(new Error('confirmed')))
    await expect(late).rejects.toThrow('confirmed')
    expect(await storedIn(app)).toMatchObject({ files: [{ name: id, bytes: tinyMap().length }], parts: 1 })
  })

  test('a file of several parts comes back as it was, to several that ask for it at once', async () => {
    await using first = await startApp()
    await using second = await beside(first)
    const source = 'é'.repeat(1_400_000)
    const id = await send(first, { ...input, file_name: 'a.ts', artifact: 'source' }, source)
    expect(await storedIn(first)).toMatchObject({ files: [{ bytes: 2_800_000 }], parts: 3 })
    const { sha256 } = (await confirm(second, id)).body.sourcemap
    expect(sha256).toBe(sha256Of(source))
  })

  test('what expires is removed from the database, and so are parts of a write that was interrupted', async () => {
    const start = Date.now()
    let now = start
    await using app = await startApp({ platform: { now: () => now } })
    const id = await send(app, input, tinyMap())
    await app.db.batch(async (prepare) => {
      const part = prepare('INSERT INTO stored_file_part (body, part, bytes, made_at) VALUES (?, ?, ?, ?)')
      await part.run('interrupted', 0, new Uint8Array(3), start)
    })
    const room = {
      db: app.db,
      platform: { ...systemPlatform, now: () => now },
      folders: sourceMapFolders(app.dataDir),
      files: filesIn(app, () => now),
    }
    now = start + dayMs / 2
    expect([await expireUploads(room, signal), await storedIn(app)]).toMatchObject([0, { parts: 2 }])
    now = start + dayMs + 1
    expect([await expireUploads(room, signal), await storedIn(app)]).toMatchObject([1, { files: [], parts: 1 }])
    now = start + 2 * dayMs
    expect([await expireUploads(room, signal), await storedIn(app)]).toEqual([0, { files: [], parts: 0 }])
    expect(await stateOf(app, id)).toBe('SOURCEMAP_STATE_EXPIRED')
  })

  test('a table that no artifact needs is removed from the database, one that was added again is not', async () => {
    const start = Date.now()
    let now = start
    await using app = await startApp({ platform: { now: () => now } })
    const gone = { ...input, sha256: sha256Of(tinyMap()) }
    await upload(app, gone, tinyMap())
    const { tables } = sourceMapFolders(app.dataDir)
    const files = filesIn(app, () => now)
    const onRemoved = vi.fn<(productId: number) => void>()
    const clean = () => removeUnused({ db: app.db, now, tables, files, onRemoved }, signal)
    expect([await clean(), await storedIn(app)]).toMatchObject([0, { parts: 1 }])
    now = start + 91 * dayMs
    const [table] = (await storedIn(app)).files
    await files.add('sourcemaps', [{ name: table!.name, file: join(tables, table!.name) }])
    expect([await clean(), await storedIn(app)]).toMatchObject([1, { parts: 1 }])
    now += 2 * dayMs
    expect([await clean(), await storedIn(app)]).toEqual([0, { files: [], parts: 0 }])
  })
})

test.skipIf(usesPostgres())('a database of SQLite holds no files: one data directory has them', async () => {
  await using app = await startApp()
  expect(createFileStore({ db: app.db, platform: systemPlatform })).toBeUndefined()
})
