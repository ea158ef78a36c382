import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ResponseOf } from '../../../../../src/contract/index.ts'
import { createAttribution } from '../../../../../src/service/errors/issues/record/attribution.ts'
import { createMaplessSymbolicator } from '../../../../../src/service/errors/sourcemaps/symbolicate/symbolicator.ts'
import { startApp } from '../../../../app.ts'
import { countBatches } from './counted-batches.ts'

test('a component that another process has made owns the next new issue of this one', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tracegate-attribution-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  await using here = await startApp({ dataDir })
  await using there = await startApp({ dataDir })
  const components = `/v1/products/${here.productId}/components`
  const owners = async () => {
    const { body } = await here.request<ResponseOf<'listIssues'>>('GET', `/v1/products/${here.productId}/issues`)
    const oldestFirst = body.issues.toSorted((left, right) => left.short_id.localeCompare(right.short_id))
    return oldestFirst.map(({ component }) => component?.title)
  }

  await here.ingest({ fingerprint: ['before'] })
  await there.request('POST', components, { name: 'Shop', path_globs: ['src/**'] })
  await there.service.close()
  await here.ingest({ fingerprint: ['between'] })
  expect((await owners())[1]).toBe('Shop')

  await using third = await startApp({ dataDir })
  await third.request('POST', components, { name: 'Cart', path_globs: ['src/cart/**'] })
  await third.service.close()
  await here.ingest({ fingerprint: ['after'] })
  expect((await owners())[2]).toBe('Cart')
})

test('an issue that was closed while components changed has its component when it comes back', async () => {
  await using app = await startApp()
  const product = `/v1/products/${app.productId}`
  const frames = [{ filename: 'src/cart.ts', function: 'pay', lineno: 1, in_app: true }]
  const event = { exception: { values: [{ type: 'Error', value: 'broken', stacktrace: { frames } }] } }
  await app.ingest(event)
  const issue = async () => (await app.request<ResponseOf<'listIssues'>>('GET', `${product}/issues`)).body.issues[0]!
  await app.request('POST', `/v1/issues/${(await issue()).id}:setStatus`, { status: 'resolved' })
  await app.request('POST', `${product}/components`, { name: 'Shop', path_globs: ['src/**'] })
  await expect.poll(async () => (await issue()).component?.title).toBe('Shop')
  await app.ingest(event)
  expect(await issue()).toMatchObject({ status: 'unresolved', component: { title: 'Shop' } })
})

test('of large events a few at a time are read to attribute their issues again', async () => {
  await using app = await startApp()
  const extra = { text: 'x'.repeat(400_000) }
  for (const kind of ['a', 'b', 'c', 'd', 'e']) await app.ingest({ fingerprint: [kind], extra })
  const { db, made } = countBatches(app)
  await createAttribution({ db, symbolicator: createMaplessSymbolicator() }).reattribute(Number(app.productId))
  expect(made()).toBe(2)
})
