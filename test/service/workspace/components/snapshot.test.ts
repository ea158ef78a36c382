import { expect, test } from 'vitest'
import { readSnapshot } from '../../../../src/service/workspace/components/snapshot.ts'
import { startApp, type App } from '../../../app.ts'
import { giveSources, issuesOf, own, thrown } from '../../agent-context/fix/fix-context.ts'

const has = async (app: App, ...paths: string[]) => {
  const snapshot = await readSnapshot(app.db.read, Number(app.productId))
  return [snapshot.known, ...[...(await snapshot.has(paths))].toSorted()]
}

test('nothing is known about paths before a member has given one', async () => {
  await using app = await startApp()
  expect(await has(app, 'src/a.ts')).toEqual([false])
})

test('a path is known when it equals a source of a READY map of the product, whole', async () => {
  await using app = await startApp()
  await giveSources(app, 'src/a.ts', 'src/b.ts')
  expect(await has(app, 'src/b.ts', 'src/a.ts', 'src/b.ts', 'src/c.ts', 'a.ts', 'src/*', 'SRC/A.ts', '')).toEqual([
    true,
    'src/a.ts',
    'src/b.ts',
  ])
  expect((await readSnapshot(app.db.read, 999)).known).toBe(false)
})

test('the sources of a map that is not READY give no path', async () => {
  await using app = await startApp()
  await giveSources(app, 'src/a.ts')
  await app.db.write((rows) => rows.updateTable('sourcemap').set({ state: 'SOURCEMAP_STATE_FAILED' }).execute())
  expect(await has(app, 'src/a.ts')).toEqual([false])
})

test('files of an issue are counted when they are read, so a later upload counts at once', async () => {
  await using app = await startApp()
  const frames = [own('src/evil.ts', 'x', 1), own('src/cart/cart.ts', 'add', 4), own('src/cart/cart.ts', 'total', 9)]
  await app.ingest({ exception: thrown({ type: 'Error', frames }) })
  expect((await issuesOf(app))[0]?.corroboration).toMatchObject({ files_matched: 0, score: 0 })
  await giveSources(app, 'src/other.ts')
  expect((await issuesOf(app))[0]?.corroboration).toMatchObject({ files_matched: 0, score: 0 })
  await giveSources(app, 'src/cart/cart.ts', 'src/cart/item.ts')
  expect((await issuesOf(app))[0]?.corroboration).toMatchObject({ files_matched: 1, score: 1 })
})

test('an issue stored with a count of its own, as before, is counted anew', async () => {
  await using app = await startApp()
  await app.ingest({})
  const stored = { release_id: '', frames_total: 1, frames_symbolicated: 0, files_matched: 7, sdk_known: false }
  await app.db.write((rows) =>
    rows
      .updateTable('issue')
      .set({ corroboration: JSON.stringify(stored) })
      .execute(),
  )
  expect((await issuesOf(app))[0]?.corroboration).toMatchObject({ frames_total: 1, files_matched: 0, score: 0 })
})
