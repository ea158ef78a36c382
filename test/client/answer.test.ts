import { expect, test } from 'vitest'
import { createApi } from '../../src/client/client.ts'
import { ServiceError } from '../../src/errors.ts'

/** A deployment that gives these answers in order and repeats the last one. */
function answering(...replies: (readonly [status: number, body: string | AsyncIterable<Uint8Array>])[]) {
  let sent = 0
  const api = createApi({
    send() {
      const [status, body] = replies[Math.min(sent++, replies.length - 1)] ?? [500, '']
      return Promise.resolve({ status, headers: {}, body })
    },
    baseUrl: 'https://quality.example',
    token: 't',
    sleep: () => Promise.resolve(),
  })
  return { api, sent: () => sent }
}

async function failure(call: Promise<unknown>) {
  const error = await call.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ServiceError)
  return error as ServiceError
}

const unusable = [
  ['an empty body', 204, ''],
  ['an HTML page', 200, '<!doctype html><form>Sign in</form>'],
  ['JSON that is cut off', 200, '{"requirement":{"id":"r1"'],
  ['something else', 200, 'OK'],
] as const

test.each(unusable)('a read that is answered with %s says so, and names what to check', async (_, status, body) => {
  const fresh = await failure(answering([status, body]).api.getRequirement({ id: 'r1' }))
  expect(fresh.code).toBe('upstream_shape_unknown')
  expect(fresh.message).toContain('check TRACEGATE_BASE_URL')
  const { api } = answering([200, '{"requirement":{"id":"r1"}}'], [status, body])
  await api.getRequirement({ id: 'r1' })
  const later = await failure(api.getRequirement({ id: 'r1' }))
  expect(later.message).toContain('a proxy may have replied')
  expect(later.message).not.toContain('TRACEGATE_BASE_URL')
})

test.each([...unusable, ['another object', 200, '{"ok":true}'] as const])(
  'a write that is answered 2xx with %s may have been done, and is not sent again',
  async (_, status, body) => {
    const { api, sent } = answering([status, body])
    for (const call of [
      () => api.createRequirement({ product_id: '1', title: 'x' }),
      () => api.setIssueStatus({ id: 'i', status: 'resolved' }),
    ]) {
      const before = sent()
      expect(await failure(call())).toMatchObject({ code: 'outcome_unknown', reason: 'ANSWER_UNREADABLE' })
      expect(sent() - before).toBe(1)
    }
  },
)

test('a preview that fails has changed nothing', async () => {
  for (const reply of unusable) {
    const [, status, body] = reply
    const { api } = answering([status, body])
    const call = api.createRequirement({ product_id: '1', title: 'x', validate_only: true })
    expect(await failure(call)).toMatchObject({ code: 'upstream_shape_unknown' })
  }
  const { api } = answering([503, ''])
  const call = api.createRequirement({ product_id: '1', title: 'x', validate_only: true })
  expect((await failure(call)).code).toBe('unavailable')
})

test('JSON is read whatever its content type, and with a byte order mark', async () => {
  // oxlint-disable-next-line typescript/require-await -- an async source that never waits
  async function* body() {
    yield Buffer.from('\uFEFF{"requirement":{"id":"r1"}}')
  }
  const { api } = answering([200, body()])
  expect((await api.getRequirement({ id: 'r1' })).requirement.id).toBe('r1')
})

test('a delete needs no body', async () => {
  const { api } = answering([204, ''])
  await expect(api.deleteRequirement({ id: 'r1' })).resolves.toEqual({})
})

// oxlint-disable-next-line typescript/require-await -- breaks in the middle
async function* broken(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{"co')
  throw Object.assign(new Error('closed'), { code: 'ECONNRESET' })
}

test('a failure whose body is lost is judged by its status, but not a 404', async () => {
  const { api, sent } = answering([401, broken()])
  expect((await failure(api.getRequirement({ id: 'r1' }))).code).toBe('unauthenticated')
  expect(sent()).toBe(1)
  const missing = answering([404, broken()], [200, '{"requirement":{"id":"r1"}}'])
  expect((await missing.api.getRequirement({ id: 'r1' })).requirement.id).toBe('r1')
})

test('a write that was done is not called failed when its answer breaks off', async () => {
  const create = answering([201, broken()])
  const call = create.api.createRequirement({ product_id: '1', title: 'x' })
  expect(await failure(call)).toMatchObject({ code: 'outcome_unknown', reason: 'ANSWER_UNREADABLE' })
  expect(create.sent()).toBe(1)
  const status = answering([200, broken()], [200, '{"issue":{"id":"i"}}'])
  expect((await status.api.setIssueStatus({ id: 'i', status: 'resolved' })).issue.id).toBe('i')
})
