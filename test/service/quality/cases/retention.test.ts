import { expect, test } from 'vitest'
import { removeOldResults } from '../../../../src/service/quality/cases/retention.ts'
import { startApp } from '../../../app.ts'
import { tokenHeaders } from '../../people.ts'

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

test('a test keeps its newest result of each branch, environment, release and sender, so that no failure is forgotten', async () => {
  await using app = await startApp()
  const ci = await tokenHeaders(app, { kind: 'ci' })
  const path = `/v1/products/${app.productId}`
  let number = 0
  const send = (status: string, days: number, run: object = {}, headers: object = {}) =>
    app.request(
      'POST',
      `${path}/tests:ingest`,
      {
        draft: { cases: [{ file_path: 'test/a.test.ts', suite_path: [], name: 'adds', status }] },
        run: {
          run_key: String((number += 1)),
          started_at: new Date(Date.now() - days * day).toISOString(),
          git_branch: 'main',
          ...run,
        },
      },
      { ...headers },
    )
  await send('passed', 200)
  await send('failed', 180)
  for (const days of [170, 160]) await send('failed', days, { environment: 'staging' })
  await send('failed', 150, { release: '1.0.0' })
  await send('failed', 140, {}, ci)
  await send('passed', 120, { git_branch: 'feature' })
  await send('passed', 1, { git_branch: 'feature' })
  const failing = async () => {
    const { verdict } = (
      await app.request<{ verdict: { conditions: { id: string; message: string }[] } }>(
        'POST',
        `${path}/quality-gate:compute`,
      )
    ).body
    return verdict.conditions.find(({ id }) => id === 'failing_tests')
  }
  const before = await failing()
  expect(before?.message).toContain('1 of 1 test fails')
  expect(await removeOldResults(app.db, Date.now())).toBe(3)
  expect(await failing()).toEqual(before)
  const kept = await app.db.read.selectFrom('test_result').select(['executed_at']).orderBy('executed_at').execute()
  expect(kept.map(({ executed_at }) => Math.round((Date.now() - executed_at) / day))).toEqual([180, 160, 150, 140, 1])
})
