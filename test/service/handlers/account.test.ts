import { expect, test } from 'vitest'
import { startApp } from '../../app.ts'

interface Me {
  onboarding: { completed_steps: string[]; pending_steps: string[]; dismissed: boolean; updated_at: string | null }
}

test('auth/me tells who asks, with what token, where and of which server', async () => {
  await using app = await startApp({ version: '9.9.9' })
  const { body } = await app.request('GET', '/v1/auth/me')
  expect(body).toMatchObject({
    user: { display_name: 'Owner', workspaces: [{ slug: 'workspace', role: 'WORKSPACE_ROLE_OWNER' }] },
    token: { name: 'Embedded', expires_at: null, workspace_ids: [expect.any(String)] },
    server: { name: 'tracegate', version: '9.9.9', mode: 'embedded', api_version: 'v1' },
  })
})

test('onboarding steps that the data show are done are added by themselves', async () => {
  await using app = await startApp()
  const stepsOf = async () => (await app.request<Me>('GET', '/v1/auth/me')).body.onboarding.completed_steps
  expect(await stepsOf()).toEqual(['ONBOARDING_STEP_CREATE_PRODUCT'])
  await app.ingest({})
  expect(await stepsOf()).toEqual(['ONBOARDING_STEP_CREATE_PRODUCT', 'ONBOARDING_STEP_SEND_EVENT'])
})

test('onboarding steps are added and never removed, and dismissing stays until it is taken back', async () => {
  let now = Date.UTC(2026, 0, 1)
  await using app = await startApp({ platform: { now: () => now } })
  const put = async (onboarding: object) => {
    now += 1000
    return (await app.request<Me>('PUT', '/v1/auth/onboarding', { onboarding })).body.onboarding
  }
  expect((await app.request<Me>('GET', '/v1/auth/me')).body.onboarding.updated_at).toBeNull()
  const one = await put({ completed_steps: ['link_test'] })
  expect(one.completed_steps).toEqual(['ONBOARDING_STEP_CREATE_PRODUCT', 'ONBOARDING_STEP_LINK_TEST'])
  expect(one.updated_at).toBe('2026-01-01T00:00:01.000Z')
  const two = await put({ completed_steps: [], dismissed: true })
  expect(two).toMatchObject({ completed_steps: one.completed_steps, dismissed: true })
  expect(await put({ completed_steps: ['COMPUTE_GATE'] })).toMatchObject({ dismissed: true })
  expect(await put({ dismissed: false })).toMatchObject({ dismissed: false })
  const all = (await app.request<Me>('GET', '/v1/auth/me')).body.onboarding
  expect([...all.completed_steps, ...all.pending_steps]).toHaveLength(6)
})

test('an unknown onboarding step is refused', async () => {
  await using app = await startApp()
  const reply = await app.request('PUT', '/v1/auth/onboarding', { onboarding: { completed_steps: ['FLY'] } })
  expect(reply.status).toBe(400)
})
