import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKeys } from '../../../../src/service/errors/ingest/keys.ts'
import type { Database } from '../../../../src/service/sql/database.ts'
import { openSqlite } from '../../../../src/service/sql/sqlite/sqlite.ts'
import { KEY } from './harness.ts'

let folder: string
let db: Database
const clock = { now: 1_000_000 }
const platform = { now: () => clock.now, newId: () => 'unused' }

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'keys-'))
  db = await openSqlite(path.join(folder, 'test.db'))
  await db.write(async (rows) => {
    await rows.insertInto('workspace').values({ id: 'w', slug: 'w', name: 'W', created_at: 0, updated_at: 0 }).execute()
    const product = { workspace_id: 'w', slug: 'p', name: 'P', key_prefix: 'P', repository: '{}', gate_policy: '{}' }
    await rows
      .insertInto('product')
      .values({ ...product, settings: '{}', created_at: 0, updated_at: 0 })
      .execute()
  })
})

afterAll(async () => {
  await db.close()
  await rm(folder, { recursive: true })
})

async function addKey(
  publicKey: string,
  rate: { rate_per_second: number | null; burst: number | null },
): Promise<void> {
  const key = { public_key: publicKey, product_id: 1, ...rate, created_at: 0, revoked_at: null }
  await db.write(async (rows) => {
    await rows.insertInto('dsn_key').values(key).execute()
  })
}

test('a key is found with its product and its rate, and its revocation is noticed within seconds', async () => {
  const keys = createKeys({ db, platform })
  await addKey(KEY, { rate_per_second: 0.5, burst: 9 })
  expect(await keys.find(KEY)).toEqual({ productId: 1, ratePerSecond: 0.5, burst: 9, vouches: false })
  await db.write(async (rows) => {
    await rows.updateTable('dsn_key').set({ revoked_at: 1 }).where('public_key', '=', KEY).execute()
  })
  expect(await keys.find(KEY)).toBeDefined()
  clock.now += 2_000
  expect(await keys.find(KEY)).toBeUndefined()
})

test('a key is looked up again after the clock was set back', async () => {
  const keys = createKeys({ db, platform })
  await addKey('c'.repeat(32), { rate_per_second: null, burst: null })
  expect(await keys.find('c'.repeat(32))).toBeDefined()
  expect(await keys.find('d'.repeat(32))).toBeUndefined()
  await db.write(async (rows) => {
    await rows.updateTable('dsn_key').set({ revoked_at: 1 }).where('public_key', '=', 'c'.repeat(32)).execute()
  })
  await addKey('d'.repeat(32), { rate_per_second: null, burst: null })
  clock.now -= 3_600_000
  expect(await keys.find('c'.repeat(32))).toBeUndefined()
  expect(await keys.find('d'.repeat(32))).toBeDefined()
})

test('an unknown key stays unknown for thirty seconds, without asking for other keys less', async () => {
  const keys = createKeys({ db, platform })
  expect(await keys.find('a'.repeat(32))).toBeUndefined()
  await addKey('a'.repeat(32), { rate_per_second: null, burst: null })
  await addKey('b'.repeat(32), { rate_per_second: null, burst: null })
  expect(await keys.find('b'.repeat(32))).toEqual({ productId: 1, ratePerSecond: null, burst: null, vouches: false })
  clock.now += 29_999
  expect(await keys.find('a'.repeat(32))).toBeUndefined()
  clock.now += 1
  expect(await keys.find('a'.repeat(32))).toEqual({ productId: 1, ratePerSecond: null, burst: null, vouches: false })
})

test('what no key looks like is not looked up', async () => {
  const closed = createKeys({ db: { ...db, read: undefined as never }, platform })
  expect(await closed.find("' OR 1=1 --")).toBeUndefined()
  expect(await closed.find('a'.repeat(65))).toBeUndefined()
})
