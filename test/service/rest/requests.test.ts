import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { startApp } from '../../app.ts'
import { everything, reasonOf, type Failure } from '../people.ts'

const MIB = 1024 * 1024

/** For requests that are refused or only read. */
const shared = await startApp()
afterAll(() => shared.close())

test('a failure has a code, a sentence, an ErrorInfo and the fields at fault', async () => {
  const reply = await shared.request('POST', `/v1/products/${shared.productId}/environments`, { kind: 'nonsense' })
  expect(reply.status).toBe(400)
  expect(reply.body).toMatchInlineSnapshot(`
    {
      "code": 3,
      "details": [
        {
          "@type": "type.googleapis.com/google.rpc.ErrorInfo",
          "domain": "tracegate",
          "metadata": {},
          "reason": "FIELD_REQUIRED",
        },
        {
          "@type": "type.googleapis.com/google.rpc.BadRequest",
          "field_violations": [
            {
              "description": "is required",
              "field": "name",
            },
            {
              "description": "must be one of ENVIRONMENT_KIND_PRODUCTION, ENVIRONMENT_KIND_STAGING, ENVIRONMENT_KIND_TEST, ENVIRONMENT_KIND_DEVELOPMENT, ENVIRONMENT_KIND_PREVIEW, ENVIRONMENT_KIND_OTHER",
              "field": "kind",
            },
          ],
        },
      ],
      "message": "name is required",
    }
  `)
})

test.each([
  [{ name: '' }, 'name', 'must not be empty'],
  [{ name: 'a'.repeat(65) }, 'name', 'must have at most 64 characters'],
  [{ name: 'a/b' }, 'name', 'is invalid: it holds a "/"; write "-", as in the names that events give'],
  [{ name: 7 }, 'name', 'must be a string'],
  [{ name: 'qa', exposure_weight: 11 }, 'exposure_weight', 'must be at most 10'],
])('%j is refused: %s %s', async (body, field, description) => {
  const reply = await shared.request<Failure>('POST', `/v1/products/${shared.productId}/environments`, body)
  expect(reply.status).toBe(400)
  expect(reply.body.details[1]?.field_violations).toEqual([{ field, description }])
})

test('a required enum that is missing names its values', async () => {
  const reply = await shared.request<Failure>('POST', '/v1/issues/x:setStatus', {})
  expect(reply.body.message).toBe('status is required: one of unresolved, resolved, ignored')
})

test('enums are taken in any case and without their prefix; unknown body members are ignored', async () => {
  await using app = await startApp()
  const path = `/v1/products/${app.productId}/environments`
  const reply = await app.request('POST', path, { name: 'x', kind: 'staging', colour: 'blue' })
  expect(reply.body).toMatchObject({ environment: { kind: 'ENVIRONMENT_KIND_STAGING', exposure_weight: 0.4 } })
})

test('a time is refused whose year in UTC has not four digits, and the first and the last one are taken', async () => {
  await using app = await startApp()
  const at = `/v1/products/${app.productId}`
  await app.ingest({})
  const { id } = await app.db.read.selectFrom('issue').select('id').executeTakeFirstOrThrow()
  const sendings = (time: string) =>
    [
      [`${at}/releases`, { version: time, environment: 'qa', released_at: time }],
      [`${at}/tests:ingest`, { draft: { content: '1..1\nok 1 - adds up' }, run: { run_key: time, started_at: time } }],
      [`/v1/issues/${id}:setStatus`, { status: 'ignored', ignore_until: { until: time } }],
    ] as const
  const send = (time: string) =>
    Promise.all(sendings(time).map(([path, body]) => app.request<Failure>('POST', path, body)))
  for (const time of ['9999-12-31T23:59:59-14:00', '0000-12-31T23:59:59.999Z', '0001-01-01T00:00:00+00:01']) {
    for (const { status, body } of await send(time)) {
      expect([status, body.details[0]?.reason]).toEqual([400, 'FIELD_INVALID'])
      expect(JSON.stringify(body)).toContain('the years 0001 to 9999 of UTC')
    }
  }
  const last = await send('9999-12-31T23:59:59.999Z')
  expect(last.map(({ status }) => status)).toEqual([200, 200, 200])
  const written = last.flatMap(({ body }) => JSON.stringify(body).match(/9999-12-31T23:59:59\.999Z/g)?.length ?? 0)
  expect(written.every((times) => times > 0)).toBe(true)
  const first = (await send('0001-01-01T00:00:00Z')).map(({ status }) => status)
  expect(first.slice(0, 2)).toEqual([200, 200])
})

test('an unknown query parameter is refused and the known ones are named', async () => {
  const reply = await shared.request<Failure>('GET', `/v1/products/${shared.productId}/environments?knd=test`)
  expect(reply.status).toBe(400)
  expect(reply.body.message).toBe('knd: unknown query parameter; known: kind, name, page_size, page_token')
})

test.each([
  'page_size=',
  'page_size=1000',
  'page_size=5&pagination.page_size=5',
  'is_regression=false',
  'status=',
  'status=Resolved',
  'levels=error&levels=FATAL',
  'period=3m&sort=times_seen',
])('the query ?%s is taken', async (query) => {
  const reply = await shared.request('GET', `/v1/products/${shared.productId}/issues?${query}`)
  expect(reply.status).toBe(200)
})

test.each([
  ['page_size=1e2', 'page_size', 'must be a whole number'],
  ['page_size=0', 'page_size', 'must be at least 1'],
  ['page_size=5&pagination.page_size=6', 'page_size', 'must be given only once'],
  ['is_regression=yes', 'is_regression', 'must be true or false'],
  ['status=open', 'status', 'must be one of unresolved, resolved, ignored'],
  ['status=resolved&status=ignored', 'status', 'must be given only once'],
  ['levels=error&levels=loud', 'levels.1', 'must be one of fatal, error, warning, info, debug'],
  ['period=2h', 'period', 'must be one of 3m, 1h, 12h, 1d, 7d, 30d'],
])('the query ?%s is refused: %s %s', async (query, field, description) => {
  const reply = await shared.request<Failure>('GET', `/v1/products/${shared.productId}/issues?${query}`)
  expect(reply.status).toBe(400)
  expect(reply.body.details[1]?.field_violations).toEqual([{ field, description }])
})

test('a page is clamped to 200 rows', async () => {
  const reply = await shared.request('GET', `/v1/products/${shared.productId}/issues?pagination.page_size=1000`)
  expect(reply.body).toMatchObject({ pagination: { page_size: 200 } })
})

test.each([
  ['not JSON', '{"name":', 'the body is not valid JSON'],
  ['a list', '[]', 'the body must be a JSON object'],
  ['null', 'null', 'the body must be a JSON object'],
])('a body that is %s is answered 400', async (_case, body, message) => {
  const reply = await shared.request<Failure>('POST', `/v1/products/${shared.productId}/environments`, body)
  expect([reply.status, reply.body.message]).toEqual([400, message])
})

test('a body may begin with a byte order mark', async () => {
  await using app = await startApp()
  const path = `/v1/products/${app.productId}/environments`
  expect((await app.request('POST', path, '\ufeff{"name":"qa"}')).body).toMatchObject({ environment: { name: 'qa' } })
  const empty = await app.request<Failure>('POST', path, '\ufeff')
  expect(empty.body.message).toBe('name is required')
})

test('a body whose sender hangs up is answered 400 and is nothing for the log', async () => {
  async function* cutOff() {
    yield Buffer.from('{"name":')
    throw new Error('aborted')
  }
  const { service, token, productId, logged } = shared
  const reply = await service.handle({
    method: 'POST',
    url: `http://127.0.0.1/v1/products/${productId}/environments`,
    headers: { authorization: `Bearer ${token}` },
    body: cutOff(),
  })
  expect(reply.status).toBe(400)
  expect(logged).toEqual([])
})

test('a body over the limit is answered 413, whether it is sent so or unpacks to it', async () => {
  const path = `/v1/products/${shared.productId}/environments`
  const large = JSON.stringify({ name: 'qa', description: 'x'.repeat(4 * MIB) })
  const bomb = gzipSync(Buffer.alloc(100 * MIB, ' '))
  expect(bomb.length).toBeLessThan(MIB)
  for (const reply of [
    await shared.request('POST', path, large),
    await shared.request('POST', path, '{}', { 'content-length': String(5 * MIB) }),
    await shared.request('POST', path, bomb, { 'content-encoding': 'gzip' }),
  ]) {
    expect([reply.status, reasonOf(reply)]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    expect(reply.body).toMatchObject({ code: 3 })
  }
})

test('a gzip body is accepted, a broken or an unknown encoding refused', async () => {
  await using app = await startApp()
  const path = `/v1/products/${app.productId}/environments`
  const zipped = gzipSync('{"name":"qa"}')
  expect((await app.request('POST', path, zipped, { 'content-encoding': 'gzip' })).status).toBe(200)
  expect((await app.request('POST', path, '{"name":"qb"}', { 'content-encoding': 'gzip' })).status).toBe(400)
  expect((await app.request('POST', path, zipped, { 'content-encoding': 'br' })).status).toBe(400)
})

test('validate_only gives the full answer and writes nothing, asked for in the body or in the header', async () => {
  await using app = await startApp()
  const before = await everything(app)
  const { id: workspace } = await app.db.read.selectFrom('workspace').select('id').executeTakeFirstOrThrow()
  const product = `/v1/products/${app.productId}`
  for (const [path, body, member] of [
    [`/v1/workspaces/${workspace}/products`, { name: 'Shop' }, 'product'],
    [`${product}/environments`, { name: 'qa' }, 'environment'],
    [`${product}/releases`, { version: '1', environment: 'qa' }, 'release'],
    [`${product}/components`, { name: 'Cart', path_globs: ['src/**'] }, 'component'],
  ] as const) {
    const byBody = await app.request('POST', path, { ...body, validate_only: true, request_id: 'dry' })
    const byHeader = await app.request('POST', path, body, { 'x-svc-validate-only': 'true' })
    for (const reply of [byBody, byHeader]) {
      expect([path, reply.status]).toEqual([path, 200])
      expect(reply.headers['x-svc-validate-only']).toBe('true')
      expect(reply.body).toHaveProperty(`${member}.id`)
    }
  }
  expect(await everything(app)).toEqual(before)
  const invalid = await app.request('POST', `${product}/environments`, { name: '', validate_only: true })
  expect(invalid.status).toBe(400)
})

test('a wish for a dry run that an endpoint does not know is refused instead of writing', async () => {
  await using app = await startApp()
  const before = await app.db.read.selectFrom('user').selectAll().execute()
  const body = { onboarding: { dismissed: true }, validate_only: true }
  const reply = await app.request<Failure>('PUT', '/v1/auth/onboarding', body)
  expect(reply.status).toBe(400)
  expect(reply.body.details[1]?.field_violations?.[0]?.field).toBe('validate_only')
  expect(await app.db.read.selectFrom('user').selectAll().execute()).toEqual(before)
})

test('a wish for a dry run in another spelling is refused, whether an endpoint offers one or not', async () => {
  await using app = await startApp()
  const tests = `/v1/products/${app.productId}/tests`
  const made = await app.request<{ test: { id: string } }>('POST', tests, { kind: 'case', title: 'adds up' })
  const path = `/v1/tests/${made.body.test.id}`
  const titles = async () => await app.db.read.selectFrom('test').select('title').execute()
  for (const wish of ['true', '1', 1, 'yes', '', null]) {
    for (const [method, at] of [
      ['PUT', path],
      ['DELETE', path],
      ['POST', tests],
    ] as const) {
      const body = { kind: 'case', title: 'rounds' }
      const replies = [await app.request<Failure>(method, at, { ...body, validate_only: wish })]
      const header = { 'x-svc-validate-only': String(wish) }
      if (wish !== 'true') replies.push(await app.request<Failure>(method, at, body, header))
      for (const reply of replies) {
        expect([method, wish, reply.status]).toEqual([method, wish, 400])
        expect(reply.body.details[1]?.field_violations?.[0]?.field).toBe('validate_only')
      }
    }
  }
  expect(await titles()).toEqual([{ title: 'adds up' }])
  const off = { title: 'rounds', validate_only: false }
  expect((await app.request('PUT', path, off, { 'x-svc-validate-only': 'False' })).status).toBe(200)
  expect(await titles()).toEqual([{ title: 'rounds' }])
})

test('a stale etag is refused wherever it is given, a right one and * are taken', async () => {
  await using app = await startApp()
  const create = async () => {
    const path = `/v1/products/${app.productId}/environments`
    const { body } = await app.request<{ environment: { id: string; etag: string } }>('POST', path, { name: 'qa' })
    return body.environment
  }
  const { id, etag } = await create()
  const path = `/v1/environments/${id}`
  for (const stale of [
    await app.request('DELETE', `${path}?etag=old`),
    await app.request('DELETE', path, undefined, { 'if-match': '"old"' }),
    await app.request('DELETE', path, { etag: 'old' }),
  ]) {
    expect([stale.status, reasonOf(stale)]).toEqual([409, 'ETAG_MISMATCH'])
    expect(stale.body).toMatchObject({ code: 10 })
  }
  expect((await app.request('DELETE', path, undefined, { 'if-match': `W/"${etag}"` })).body).toEqual({})
  const second = await create()
  const any = await app.request('DELETE', `/v1/environments/${second.id}`, undefined, { 'if-match': '*' })
  expect(any.status).toBe(200)
})

test('a sane request id is echoed, any other replaced, on failures too', async () => {
  const idOf = async (given: string | undefined, path: string) =>
    (await shared.request('GET', path, undefined, { 'x-request-id': given })).headers['x-request-id'] ?? ''
  expect(await idOf('trace-42', '/v1/auth/me')).toBe('trace-42')
  expect(await idOf('trace-42', '/v1/nowhere')).toBe('trace-42')
  const made = [await idOf(undefined, '/v1/auth/me'), await idOf('a b\r\nx: y', '/v1/auth/me')]
  for (const id of made) expect(id).toMatch(/^[0-9a-f-]{36}$/)
  expect(made[0]).not.toBe(made[1])
})
