import { expect, test } from 'vitest'
import type { ResponseOf } from '../../../../src/contract/index.ts'
import type { App } from '../../../app.ts'
import { startTree } from '../../branches/branch-tree.ts'
import { reasonOf, type Failure } from '../../people.ts'

const prepare = (app: App, body: object) =>
  app.request<ResponseOf<'prepareTestContext'> & Failure>(
    'POST',
    `/v1/products/${app.productId}/test-generation-context:prepare`,
    body,
  )

const repository = (...paths: string[]) => ({ repository: { files: paths.map((path) => ({ path })) } })

async function storedPaths(app: App): Promise<string[]> {
  const rows = await app.db.read.selectFrom('repository_path').select('path').orderBy('path').execute()
  return rows.map(({ path }) => path)
}

test('a request that fails leaves the stored paths as they are, and its id can be used again', async () => {
  await using app = await startTree()
  const cart = await app.tree.requirement({ title: 'Cart' })
  const good = { requirement_ids: [cart.id], ...repository('src/good.ts') }
  expect((await prepare(app, { ...good, request_id: 'first' })).status).toBe(200)
  for (const [asked, status, reason] of [
    [{ requirement_ids: ['nope'] }, 404, 'REQUIREMENT_NOT_FOUND'],
    [{}, 400, 'FIELD_INVALID'],
  ] as const) {
    for (let time = 0; time < 2; time += 1) {
      const failed = await prepare(app, { ...asked, ...repository('src/bad.ts'), request_id: reason })
      expect([failed.status, reasonOf(failed)]).toEqual([status, reason])
    }
    expect(await storedPaths(app)).toEqual(['src/good.ts'])
  }
})

test('with a branch its requirements are read with the files that are sent, whose paths are stored', async () => {
  await using app = await startTree()
  const branch = await app.tree.branch()
  const code_refs = [{ path: 'src/cart/**' }]
  const { id } = await app.tree.requirement({ title: 'Guest', code_refs, branch_id: branch })
  const asked = { requirement_ids: [id], branch_id: branch, ...repository('./src/cart/cart.ts', 'README.md') }
  const { body } = await prepare(app, { ...asked, request_id: 'once' })
  const [context] = body.test_generation_context.contexts
  expect(context).toMatchObject({ requirement: { key: 'REQ-?1' }, code_files: [{ path: 'src/cart/cart.ts' }] })
  expect(await storedPaths(app)).toEqual(['README.md', 'src/cart/cart.ts'])
  expect((await prepare(app, { ...asked, request_id: 'once' })).body).toEqual(body)
  const failed = await prepare(app, { requirement_ids: ['nope'], branch_id: branch, ...repository('src/bad.ts') })
  expect([failed.status, await storedPaths(app)]).toEqual([404, ['README.md', 'src/cart/cart.ts']])
})
