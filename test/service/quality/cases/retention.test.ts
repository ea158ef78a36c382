import { expect, test } from 'vitest'
import { removeOldResults } from '../../../../src/service/quality/cases/retention.ts'
import { startApp } from '../../../app.ts'

const day = 86_400_000

test('old results are removed, each test keeps its newest one, and a deleted test keeps none after a month', async () => {
  await using app = await startApp()
  const at = (days: number) => new Date(Date.now() - days * day).toISOString()
  const send = (name: string, days: number) =>
    app.request('POST', `/v1/products/${app.productId}/tests:ingest`, {
      draft: { cases: [{ file_path: 'test/a.test.ts', suite_path: [], name, status: 'passed' }] },
      run: { run_key: `${name} ${String(days)}`, started_at: at(days) },
    })
  for (const days of [200, 150, 120]) await send('kept', days)
  for (const days of [100, 10]) await send('fresh', days)
  await send('gone', 5)
  const { tests } = (
    await app.request<{ tests: { id: string; title: string }[] }>('GET', `/v1/products/${app.productId}/tests`)
  ).body
  await app.request('DELETE', `/v1/tests/${tests.find(({ title }) => title === 'gone')!.id}`)
  const left = async () => {
    const rows = await app.db.read
      .selectFrom('test_result')
      .innerJoin('test', 'test.id', 'test_result.test_id')
      .select(['test.name', 'test_result.executed_at'])
      .orderBy('executed_at')
      .execute()
    return rows.map(({ name, executed_at }) => `${name} ${String(Math.round((Date.now() - executed_at) / day))}`)
  }

  expect(await removeOldResults(app.db, Date.now())).toBe(3)
  expect(await left()).toEqual(['kept 120', 'fresh 10', 'gone 5'])
  expect(await removeOldResults(app.db, Date.now() + 31 * day)).toBe(1)
  expect(await left()).toEqual(['kept 120', 'fresh 10'])
  expect(await removeOldResults(app.db, Date.now() + 31 * day)).toBe(0)
})
