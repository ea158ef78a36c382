import { existsSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSqlite } from '../../../src/service/sql/sqlite/sqlite.ts'
import { startApp } from '../../app.ts'

async function opened(sync?: Parameters<typeof openSqlite>[1]) {
  const folder = await mkdtemp(join(tmpdir(), 'tracegate-lost-'))
  const file = join(folder, 'tracegate.db')
  const db = await openSqlite(file, sync)
  onTestFinished(async () => {
    await db.close()
    await rm(folder, { recursive: true })
  })
  const workspace = { slug: 'a', name: 'a', created_at: 1, updated_at: 1 }
  const add = (id: string) =>
    db.write((rows) =>
      rows
        .insertInto('workspace')
        .values({ ...workspace, id })
        .execute(),
    )
  return { db, file, add }
}

test.each(['', '-wal'])('a write is refused once tracegate.db%s is deleted, because it would be lost', async (end) => {
  const { db, file, add } = await opened()
  expect(db.problem?.()).toBeUndefined()
  rmSync(file + end)
  const refusal = {
    code: 'unavailable',
    message: 'the file of the database was deleted or replaced; restore it, then start the service again',
  }
  await expect(add('a')).rejects.toMatchObject(refusal)
  await expect(db.batch(() => Promise.resolve())).rejects.toMatchObject(refusal)
  expect(db.problem?.()).toBe(refusal.message)
})

test('a write is not acknowledged when the file was deleted while it was flushed', async () => {
  const begun = Promise.withResolvers<() => void>()
  const { file, add } = await opened({ sync: (_, done) => begun.resolve(() => done(null)) })
  const written = add('a')
  const flushed = await begun.promise
  rmSync(file)
  flushed()
  await expect(written).rejects.toMatchObject({ code: 'unavailable' })
})

test('a write is refused once another file has the name of the database', async () => {
  const { file, add } = await opened()
  const other = await opened()
  renameSync(other.file, file)
  await expect(add('a')).rejects.toMatchObject({ code: 'unavailable' })
})

test('a file that the system lets nobody look at refuses the write that was flushed meanwhile, and others until it does', async () => {
  const begun = Promise.withResolvers<() => void>()
  const { db, file, add } = await opened({ sync: (_, done) => begun.resolve(() => done(null)) })
  const written = add('a')
  const flushed = await begun.promise
  const aside = `${file}-aside`
  renameSync(file, aside)
  // A loop of links, which root may not pass either.
  symlinkSync(file, file)
  flushed()
  const message = 'the file of the database cannot be reached; see the log of the service'
  await expect(written).rejects.toMatchObject({ code: 'unavailable', message })
  await expect(add('b')).rejects.toMatchObject({ code: 'unavailable', message })
  expect(db.problem?.()).toBe(message)
  renameSync(aside, file)
  expect(db.problem?.()).toBeUndefined()
})

test('a database that can no longer be flushed says so', async () => {
  const { db, add } = await opened({ sync: (_, done) => done(new Error('EIO')) })
  expect(db.problem?.()).toBeUndefined()
  await expect(add('a')).rejects.toMatchObject({ code: 'unavailable' })
  expect(db.problem?.()).toBe(
    'the disk under the database cannot be written; see the log of the service, then start it again',
  )
})

test('a service whose database file was deleted is not ready, and acknowledges no event', async () => {
  await using app = await startApp()
  expect((await app.ingest({ message: 'before' })).status).toBe(200)
  rmSync(join(app.dataDir, 'tracegate.db'))
  expect(await app.service.readinessProblem()).toContain('was deleted or replaced')
  expect((await app.ingest({ message: 'after' })).status).toBe(503)
})

test('a database whose file is a link to another disk works, and is missed there', async () => {
  const { db, file, add } = await opened()
  await add('a')
  await db.close()
  const target = `${file}-elsewhere`
  renameSync(file, target)
  symlinkSync(target, file)
  const linked = await openSqlite(file)
  onTestFinished(() => linked.close())
  const write = (id: string) => linked.write((rows) => rows.updateTable('workspace').set({ slug: id }).execute())
  await write('b')
  expect(existsSync(`${file}-wal`)).toBe(false)
  expect(linked.problem?.()).toBeUndefined()
  rmSync(target)
  await expect(write('c')).rejects.toMatchObject({ code: 'unavailable' })
})
