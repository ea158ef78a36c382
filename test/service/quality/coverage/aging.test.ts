import { expect, test } from 'vitest'
import type { ResponseOf } from '../../../../src/contract/index.ts'
import { setGatePolicy } from '../../../../src/service/workspace/change-product.ts'
import { startApp } from '../../../app.ts'
import { fixContextOf } from '../../agent-context/fix/fix-context.ts'
import { dayMs } from '../../errors/issues/rig.ts'

/** A requirement with a component and a passed test, and an event in its file. */
async function openVerified() {
  const time = { now: Date.now() }
  const app = await startApp({ platform: { now: () => time.now } })
  const path = `/v1/products/${app.productId}`
  const component = { name: 'Shop', path_globs: ['src/**'] }
  const { id } = (await app.request<ResponseOf<'createComponent'>>('POST', `${path}/components`, component)).body
    .component
  const { requirement } = (
    await app.request<ResponseOf<'createRequirement'>>('POST', `${path}/requirements`, {
      title: 'An order is charged once',
      code_refs: [{ path: 'src/cart.ts' }],
      component_ids: [id],
      status: 'REQUIREMENT_STATUS_APPROVED',
    })
  ).body
  const passed = {
    file_path: 'test/cart.test.ts',
    suite_path: ['cart'],
    name: '[REQ-1] charges once',
    status: 'passed',
  }
  await app.request('POST', `${path}/tests:ingest`, { draft: { cases: [passed] } })
  const frames = [{ filename: 'src/cart.ts', function: 'pay', lineno: 1, in_app: true }]
  await app.ingest({ exception: { values: [{ type: 'Error', value: 'broken', stacktrace: { frames } }] } })
  return {
    app,
    time,
    state: async () => {
      const found = await app.request<ResponseOf<'getRequirement'>>('GET', `/v1/requirements/${requirement.id}`)
      return found.body.requirement.coverage.state
    },
    inFixContext: async () => (await fixContextOf(app)).requirements.map(({ coverage_state: state }) => state),
    inComponent: async () => {
      const { components } = (await app.request<ResponseOf<'listComponents'>>('GET', `${path}/components`)).body
      return components.map(({ stats }) => stats.coverage_ratio)
    },
  }
}

test('a fix context says that a requirement is not verified once its results are too old', async () => {
  const { app, time, inFixContext } = await openVerified()
  await using _ = app
  expect(await inFixContext()).toEqual(['verified'])
  time.now += 13 * dayMs
  expect(await inFixContext()).toEqual(['verified'])
  time.now += 2 * dayMs
  expect(await inFixContext()).toEqual(['not_run'])
})

test('the coverage of a component falls once the results of its requirements are too old', async () => {
  const { app, time, inComponent } = await openVerified()
  await using _ = app
  expect(await inComponent()).toEqual([1])
  time.now += 15 * dayMs
  expect(await inComponent()).toEqual([0])
})

test('a policy with another highest age of results applies to coverage that is stored', async () => {
  const { app, time, state } = await openVerified()
  await using _ = app
  time.now += 2 * dayMs
  expect(await state()).toBe('verified')
  const setAge = (hours: number) =>
    app.db.write((rows) =>
      setGatePolicy(rows, writing(time.now), Number(app.productId), { result_max_age_hours: hours }),
    )
  await setAge(24)
  expect(await state()).toBe('not_run')
  await setAge(72)
  expect(await state()).toBe('verified')
})

function writing(now: number): Parameters<typeof setGatePolicy>[1] {
  const actor = { type: 'ACTOR_TYPE_SYSTEM', id: '', user_id: '', display_name: 'An administrator' } as const
  return { actor, byAgent: false, via: '', now: () => now, newId: () => crypto.randomUUID() }
}
