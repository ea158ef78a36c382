import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ResponseOf } from '../../../../src/contract/index.ts'
import type { FixContextBody } from '../../../../src/service/agent-context/fix/bodies.ts'
import { fit } from '../../../../src/service/agent-context/fix/reduce.ts'
import { startApp, type App } from '../../../app.ts'
import { tries } from '../../../property-tries.ts'
import { fixContextOf, own, thrown } from './fix-context.ts'

const MOST_BYTES = 60_000
const PAYLOAD = 900_000

let shared: App
beforeAll(async () => {
  shared = await startApp()
})
afterAll(() => shared.close())

/** The fix context of one new issue, with every maximum asked for, and its size as sent. */
async function largest(event: Record<string, unknown>, app = shared) {
  expect((await app.ingest(event)).status).toBe(200)
  const path = `/v1/products/${app.productId}/issues?sort=first_seen&page_size=1`
  const [issue] = (await app.request<ResponseOf<'listIssues'>>('GET', path)).body.issues
  const fix = await fixContextOf(app, { max_frames: '100', max_files: '100', max_requirements: '100' }, issue?.id)
  return { fix, bytes: Buffer.byteLength(JSON.stringify({ fix_context: fix })) }
}

/** Texts that take one, two, three and six bytes a character, quotes and what looks like other members. */
const text = (maxLength: number) =>
  fc.oneof(
    fc.string({ maxLength, unit: 'binary' }),
    fc
      .tuple(fc.constantFrom('x', 'é', '漢', '😀', '\u0001', '"', '\\', '\n'), fc.nat({ max: maxLength }))
      .map(([character, times]) => character.repeat(times)),
  )

const object = (maxKeys: number, maxLength: number) =>
  fc.dictionary(text(60), fc.oneof(text(maxLength), fc.array(text(100), { maxLength: 20 }), fc.double()), { maxKeys })

const frame = fc.record(
  {
    function: text(600),
    raw_function: text(1_200),
    module: text(300),
    filename: fc.oneof(
      text(600),
      fc.nat({ max: 400 }).map((number) => `src/deep/${'folder/'.repeat(20)}f${number}.ts`),
    ),
    abs_path: text(2_100),
    lineno: fc.nat({ max: 100_000 }),
    colno: fc.nat({ max: 100_000 }),
    in_app: fc.boolean(),
    context_line: text(1_100),
    pre_context: fc.array(text(1_100), { maxLength: 8 }),
    post_context: fc.array(text(1_100), { maxLength: 8 }),
    vars: object(10, 2_000),
  },
  { requiredKeys: ['filename'] },
)

const stack = fc.record({
  type: text(300),
  value: text(9_000),
  stacktrace: fc.record({ frames: fc.array(frame, { maxLength: 60, size: 'max' }) }),
})

const hostile = fc.record(
  {
    message: text(9_000),
    transaction: text(300),
    exception: fc.record({ values: fc.array(stack, { minLength: 1, maxLength: 8, size: 'max' }) }),
    threads: fc.record({ values: fc.array(fc.record({ id: text(80), name: text(300) }), { maxLength: 100 }) }),
    breadcrumbs: fc.array(fc.record({ message: text(3_000), category: text(200), data: object(10, 5_000) }), {
      maxLength: 60,
      size: 'max',
    }),
    tags: fc.dictionary(text(250), text(250), { maxKeys: 250, size: 'max' }),
    user: fc.record({ id: text(200), email: text(200), geo: object(10, 5_000) }),
    request: fc.record({ method: text(50), url: text(3_000), headers: object(40, 3_000), query_string: text(3_000) }),
    contexts: object(40, 9_000),
    extra: object(40, 20_000),
    modules: fc.dictionary(text(250), text(250), { maxKeys: 300, size: 'max' }),
    fingerprint: fc.array(text(1_100), { minLength: 1, maxLength: 40, size: 'max' }),
    release: text(300),
    environment: text(80),
  },
  { requiredKeys: ['exception', 'fingerprint'] },
)

test('whatever an event holds, the response stays within 60 KB and says that it was cut', async () => {
  await fc.assert(
    fc.asyncProperty(hostile, fc.uuid(), async (event, kind) => {
      fc.pre(Buffer.byteLength(JSON.stringify(event)) < PAYLOAD)
      const { fix, bytes } = await largest({ ...event, fingerprint: [kind, ...event.fingerprint] })
      expect(bytes).toBeLessThanOrEqual(MOST_BYTES)
      expect(fix.truncation_signals[0]).toBe('event.raw_payload:cleared')
      for (const signal of fix.truncation_signals.slice(1)) expect(signal).toMatch(/^[a-z_.]+:[a-z_]+:\d+\/\d+$/)
    }),
    { numRuns: tries(20) },
  )
}, 120_000)

test('the largest event that the ingest accepts fits after the least valuable content is cut first', async () => {
  const line = '\u0001'.repeat(1_000)
  const frames = Array.from({ length: 18 }, (_, index) =>
    own(`src/f${index}.ts`, `f${index}`, index + 1, { pre_context: [line, line, line], context_line: line }),
  )
  const event = {
    exception: thrown({ type: 'Error', value: '"'.repeat(8_000), frames }),
    extra: { a: line.repeat(10) },
  }
  const { fix, bytes } = await largest({ ...event, fingerprint: ['large'], modules: { express: '5' } })
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES)
  expect(fix.frames).toHaveLength(18)
  expect(fix.files).toHaveLength(18)
  expect(fix.event).toMatchObject({ modules: {}, extra: {} })
  expect(fix.truncation_signals).toEqual(
    expect.arrayContaining([
      'event.modules:size:0/1',
      'event.extra:size:0/1',
      'event.exceptions.value:length:150/8000',
    ]),
  )
})

test('a context that fits is not cut', async () => {
  const frames = [own('src/a.ts', 'a', 1, { pre_context: ['one', 'two'], context_line: 'throw it' })]
  const event = { exception: thrown({ type: 'Error', frames }), extra: { cart: { id: 7 } }, modules: { express: '5' } }
  const { fix } = await largest({ ...event, fingerprint: ['small'] })
  expect(fix.event).toMatchObject({ extra: { cart: { id: 7 } }, modules: { express: '5' } })
  expect(fix.frames[0]).toMatchObject({ pre_context: ['one', 'two'], context_line: 'throw it' })
  expect(fix.truncation_signals).toEqual(['event.raw_payload:cleared', 'event.exceptions.frames:moved:0/1'])
})

test('frames still lead to their exception when a long chain was cut', async () => {
  const chain = Array.from({ length: 50 }, (_, index) => ({
    type: `Error${index}`,
    value: '漢'.repeat(3_000),
    frames: [own('src/a.ts', `f${index}`, 1)],
  }))
  const { fix, bytes } = await largest({ exception: thrown(...chain), fingerprint: ['chain'] })
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES)
  for (const shown of fix.frames) {
    const exception = fix.event?.exceptions[shown.exception_index]
    expect([shown.function.replace('f', 'Error'), '']).toContain(exception?.type)
  }
  expect(fix.event?.exceptions.at(0)?.type).toBe('Error0')
  expect(fix.event?.exceptions.at(-1)?.type).toBe('Error49')
})

test('a component with long lists does not make the response too large', async () => {
  const globs = Array.from({ length: 100 }, (_, index) => `src/${'f'.repeat(480)}${index}/**`)
  const body = { name: 'Wide', path_globs: [...globs.slice(1), 'src/wide/**'], exclude_globs: globs }
  expect((await shared.request('POST', `/v1/products/${shared.productId}/components`, body)).status).toBe(200)
  const frames = [own('src/wide/a.ts', 'a', 1)]
  const { fix, bytes } = await largest({ exception: thrown({ type: 'Wide', frames }), fingerprint: ['wide'] })
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES)
  expect(fix.component?.path_globs).toHaveLength(20)
  expect(fix.truncation_signals).toContain('component.path_globs:count:20/100')
})

/** Every list fifty times as long, every text that is not the service's own 500 characters long. */
function swollen(value: unknown, text: string, name = ''): unknown {
  if (typeof value === 'string') return madeByService.test(name) ? value : text
  if (Array.isArray(value))
    return Array.from({ length: 50 }, () => value).flatMap((list) => list.map((one) => swollen(one, text, name)))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, swollen(entry, text, key)]))
}
const madeByService =
  /(?:^|_)(?:id|key|slug|etag|hash|at|seen|timestamp|state|level|status|substatus|reason|order|kind|algorithm|basis|criticality|signals)$/

test.each(['x', '\u0001', '漢'])('the last step fits however much there is of everything (%j)', async (character) => {
  await using app = await startApp()
  const body = { name: 'Full', path_globs: ['src/full/**'], exclude_globs: ['a'], owners: [{ kind: 'TEAM', ref: 'a' }] }
  await app.request('POST', `/v1/products/${app.productId}/components`, { ...body, tags: ['a'] })
  const frame = own('src/full/a.ts', 'a', 1, { pre_context: ['a'], context_line: 'a', post_context: ['a'] })
  const event = {
    exception: thrown({ type: 'Full', frames: [frame] }),
    logentry: { message: 'a %s', params: ['a'] },
    threads: { values: [{ id: 1, name: 'a' }] },
    breadcrumbs: [{ message: 'a', category: 'a', data: { a: 'a' } }],
    tags: { a: 'a' },
    user: { id: 'a', geo: { city: 'a' } },
    request: { url: 'a', headers: { a: 'a' } },
    contexts: { a: { a: 'a' } },
    extra: { a: 'a' },
    modules: { a: '1' },
    debug_meta: { images: [{ type: 'sourcemap', code_file: 'a', debug_id: 'a' }] },
    release: 'full@1',
  }
  const { fix } = await largest(event, app)
  // Of the same shape, only longer.
  const whole = swollen(fix, character.repeat(500)) as FixContextBody
  const lists = [fix.frames, fix.files, fix.environments, fix.event?.threads, fix.event?.tags, fix.component?.owners]
  expect(lists.map((list) => list?.length)).toEqual([1, 1, 1, 1, 1, 1])
  const reduced = fit(whole, 100)
  expect(Buffer.byteLength(JSON.stringify({ fix_context: reduced }))).toBeLessThanOrEqual(MOST_BYTES)
  expect([reduced.frames.length, reduced.files.length, reduced.event?.exceptions.length]).toEqual([5, 5, 50])
})
