import { expect, test } from 'vitest'
import { knownIssues } from '../../../src/service/errors/issues/read/gate-known.ts'
import type { Rows } from '../../../src/service/sql/database.ts'
import { openRig, type Rig } from '../errors/issues/rig.ts'

/** Three times as many, at 1,000 bytes each, do not fit into 32 MB. */
const ISSUES = 11_000
const AT_ONCE = 250

/** Gives a product as many issues like the one of the rig. */
async function addIssues({ db }: Rig, productId: number): Promise<string[]> {
  const like = await db.read.selectFrom('issue').selectAll().executeTakeFirstOrThrow()
  const ids = Array.from({ length: ISSUES }, (_, nr) => `${String(productId)}-${String(nr)}`)
  await db.write(async (rows) => {
    for (let from = 0; from < ISSUES; from += AT_ONCE) {
      const some = ids.slice(from, from + AT_ONCE)
      const copies = some.map((id, at) => ({ ...like, id, number: from + at + 1, product_id: productId }))
      await rows.insertInto('issue').values(copies).execute()
    }
  })
  return ids
}

async function readAll(rows: Rows, productId: number, ids: readonly string[]) {
  const known = await knownIssues(rows, productId)
  return (await known(ids)).get(ids[0]!)!
}

test('issues that the gates of several products have read once are kept only as far as they fit', async () => {
  await using rig = await openRig()
  await rig.append()
  const products: { id: number; ids: string[] }[] = []
  for (const prefix of ['ONE', 'TWO', 'THREE']) {
    const id = await rig.newProduct(prefix)
    products.push({ id, ids: await addIssues(rig, id) })
  }
  const first = []
  for (const { id, ids } of products) first.push(await readAll(rig.db.read, id, ids))
  const isKept = []
  for (const [nr, { id, ids }] of products.entries()) {
    isKept.push((await readAll(rig.db.read, id, ids.slice(0, 1))) === first[nr])
  }
  expect(isKept).toEqual([false, true, true])
})
