import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ResponseOf } from '../../../../../src/contract/index.ts'
import { startApp } from '../../../../app.ts'

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
