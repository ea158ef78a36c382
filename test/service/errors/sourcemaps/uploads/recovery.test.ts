import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { expireUploads } from '../../../../../src/service/errors/sourcemaps/uploads/expiry.ts'
import { sourceMapFolders } from '../../../../../src/service/errors/sourcemaps/uploads/folders.ts'
import { usesPostgres } from '../../../../postgres/databases.ts'
import { startApp, type App } from '../../../../app.ts'
import {
  artifactsOf,
  confirm,
  create,
  minify,
  put,
  send,
  sha256Of,
  stateOf,
  tinyMap,
  upload,
  type Refusal,
} from './rig.ts'

const map = tinyMap()
const input = { file_name: 'app.js.map', release: '1' }
const minuteMs = 60 * 1000
const hourMs = 60 * minuteMs

async function changeRow(app: App, id: string, change: { state?: string; confirmed_at?: number }) {
  await app.db.write((rows) => rows.updateTable('sourcemap').set(change).where('id', '=', id).execute())
}

test('what a process that died was reading can be confirmed again after some minutes, and not before', async () => {
  let now = Date.UTC(2026, 10, 21)
  await using app = await startApp({ platform: { now: () => now } })
  const id = await send(app, input, map)
  await changeRow(app, id, { state: 'SOURCEMAP_STATE_PROCESSING', confirmed_at: now })
  await app.db.batch(async (prepare) => {
    await prepare(
      `INSERT INTO sourcemap_artifact (product_id, sourcemap_id, kind, content, path, base_name)
       VALUES (1, ?, 'map', 'half', '~/half', 'half')`,
    ).run(id)
  })
  now += minuteMs
  const early = await confirm<Refusal>(app, id)
  expect([early.status, early.body.details[0]?.reason]).toEqual([503, 'CONFIRM_UNDER_WAY'])
  now += 3 * minuteMs
  expect((await confirm(app, id)).status).toBe(200)
  expect(await artifactsOf(app, id)).toMatchObject([{ path: '~/app.js.map' }])
})

test('what a process was reading that died while its clock was ahead can be confirmed again once the clock is right', async () => {
  const now = Date.UTC(2026, 10, 21)
  await using app = await startApp({ platform: { now: () => now } })
  const id = await send(app, input, map)
  await changeRow(app, id, { state: 'SOURCEMAP_STATE_PROCESSING', confirmed_at: now + 365 * 24 * hourMs })
  expect((await confirm(app, id)).status).toBe(200)
})

test('a service that stops in the middle gives the upload back, and the next start finishes it', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tracegate-stopped-'))
  try {
    const first = await startApp({ dataDir })
    const id = await send(first, input, map)
    const broken = confirm<Refusal>(first, id)
    await expect.poll(() => stateOf(first, id)).toBe('SOURCEMAP_STATE_PROCESSING')
    await first.service.close()
    expect((await broken).status).toBe(503)
    expect(await stateOf(first, id)).toBe('SOURCEMAP_STATE_UPLOADED')
    await first.close()
    await using second = await startApp({ dataDir })
    expect((await confirm(second, id)).body.sourcemap.state).toBe('SOURCEMAP_STATE_READY')
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
})

test('a failure of the service is no failure of the upload', async () => {
  await using app = await startApp()
  const id = await send(app, input, map)
  writeFileSync(join(app.dataDir, 'sourcemaps'), 'a file where the folder should be')
  expect((await confirm<Refusal>(app, id)).status).toBe(500)
  expect(await stateOf(app, id)).toBe('SOURCEMAP_STATE_UPLOADED')
  rmSync(join(app.dataDir, 'sourcemaps'))
  expect((await confirm(app, id)).status).toBe(200)
})

test('a map that takes too much memory ends its thread and not the service', async () => {
  await using app = await startApp({ uploadLimits: { heapMb: 64 } })
  const hostile = `{"version":3,"sources":[],"mappings":"","names":[${'"a",'.repeat(6_000_000)}"a"]}`
  const { status, body } = await upload<Refusal>(app, input, hostile)
  expect(status).toBe(400)
  expect(body.details[0]?.metadata['error_code']).toBe('OUT_OF_MEMORY')
  expect(readdirSync(join(app.dataDir, 'uploads'))).toEqual([])
  expect((await upload(app, input, map)).status).toBe(200)
})

test('an upload that takes too long to read fails', async () => {
  await using app = await startApp({ uploadLimits: { deadlineMs: 1 } })
  const { status, body } = await upload<Refusal>(app, input, map)
  expect([status, body.details[0]?.metadata['error_code']]).toEqual([400, 'TOO_SLOW'])
})

test('what nobody confirms within a day expires, with its bytes and what broken uploads left', async () => {
  const start = Date.now()
  let now = start
  await using app = await startApp({ platform: { now: () => now } })
  const waiting = await send(app, input, map)
  const ready = await send(app, input, map)
  const dead = await send(app, input, map)
  const { body: unsent } = await create(app, input)
  await confirm(app, ready)
  await changeRow(app, dead, { state: 'SOURCEMAP_STATE_PROCESSING', confirmed_at: now })
  const leftover = join(app.dataDir, 'uploads', `${waiting}.0123.part`)
  writeFileSync(leftover, 'half a map')
  utimesSync(leftover, new Date(start - 26 * hourMs), new Date(start - 26 * hourMs))

  const room = { db: app.db, platform: { now: () => now, newId: () => '' }, folders: sourceMapFolders(app.dataDir) }
  const expire = () => expireUploads(room, new AbortController().signal)
  now = start + 23 * hourMs
  expect(await expire()).toBe(0)
  now = start + 24 * hourMs + 1
  expect(await expire()).toBe(3)
  expect(await Promise.all([waiting, unsent.sourcemap.id, dead, ready].map((id) => stateOf(app, id)))).toEqual([
    'SOURCEMAP_STATE_EXPIRED',
    'SOURCEMAP_STATE_EXPIRED',
    'SOURCEMAP_STATE_EXPIRED',
    'SOURCEMAP_STATE_READY',
  ])
  expect(readdirSync(join(app.dataDir, 'uploads'))).toEqual([])
  const { status, body } = await confirm<Refusal>(app, waiting)
  expect([status, body.details[0]?.reason]).toEqual([400, 'UPLOAD_MISSING'])
  expect((await put(app, unsent.upload_url, map)).status).toBe(403)
})

async function recordHalf(app: App, id: string) {
  await app.db.batch(async (prepare) => {
    await prepare(
      `INSERT INTO sourcemap_artifact (product_id, sourcemap_id, kind, content, path, base_name)
       VALUES (1, ?, 'map', 'half', '~/half', 'half')`,
    ).run(id)
    await prepare(`INSERT INTO sourcemap_source (product_id, path, sourcemap_id) VALUES (1, 'src/half.ts', ?)`).run(id)
  })
}

async function sourcesOf(app: App, id: string): Promise<string[]> {
  const rows = await app.db.read.selectFrom('sourcemap_source').select('path').where('sourcemap_id', '=', id).execute()
  return rows.map(({ path }) => path)
}

test('what a confirm that died had recorded goes when its upload expires', async () => {
  const start = Date.now()
  let now = start
  await using app = await startApp({ platform: { now: () => now } })
  const id = await send(app, input, map)
  await recordHalf(app, id)
  await changeRow(app, id, { state: 'SOURCEMAP_STATE_PROCESSING', confirmed_at: now })
  now = start + 25 * hourMs
  const room = { db: app.db, platform: { now: () => now, newId: () => '' }, folders: sourceMapFolders(app.dataDir) }
  expect(await expireUploads(room, new AbortController().signal)).toBe(1)
  expect([await artifactsOf(app, id), await sourcesOf(app, id)]).toEqual([[], []])
})

test('bytes of which nothing can be used leave nothing of those that were sent before them', async () => {
  await using app = await startApp()
  const id = await send(app, input, '{"version":2}')
  await recordHalf(app, id)
  expect((await confirm(app, id)).status).toBe(400)
  expect([await artifactsOf(app, id), await sourcesOf(app, id)]).toEqual([[], []])
})

test.each<readonly [string, (file: string) => void]>([
  // Where tables are in the database as well, it is fetched.
  ...(usesPostgres() ? [] : [['gone', (file: string) => rmSync(file)] as const]),
  ['cut off', (file: string) => truncateSync(file, 60)],
  ['damaged', (file: string) => writeFileSync(file, readFileSync(file).fill(0, 40))],
])('a table that is %s is asked for again and made anew', async (_, spoil) => {
  await using app = await startApp()
  const { code, map: itsMap } = await minify()
  for (const [file_name, bytes] of [
    ['app.js.map', itsMap],
    ['app.js', code],
  ] as const) {
    const facts = { ...input, file_name, sha256: sha256Of(bytes) }
    const [stored] = await artifactsOf(app, await send(app, facts, bytes).then((id) => confirmed(app, id)))
    expect((await create(app, facts)).body.upload_url).toBe('')
    const table = join(app.dataDir, 'sourcemaps', stored!.content)
    const whole = readFileSync(table)
    spoil(table)
    const again = (await create(app, { ...facts, release: '2' })).body
    expect(again.upload_url).not.toBe('')
    expect((await create(app, facts)).body.upload_url).not.toBe('')
    await put(app, again.upload_url, bytes)
    await confirmed(app, again.sourcemap.id)
    expect(readFileSync(table)).toEqual(whole)
    expect((await create(app, facts)).body.upload_url).toBe('')
  }
})

async function confirmed(app: App, id: string): Promise<string> {
  expect((await confirm(app, id)).status).toBe(200)
  return id
}
