import { expect, test } from 'vitest'
import type { NormalEvent } from '../../../../src/service/errors/event/event.ts'
import type { JsonObject } from '../../../../src/lib/objects.ts'
import { normalise, type EventFacts } from '../../../../src/service/errors/ingest/normalise/index.ts'
import { EVENT_ID, NOW } from './harness.ts'

function read(payload: JsonObject, facts: Partial<EventFacts> = {}): NormalEvent {
  return normalise(payload, { eventId: EVENT_ID, receivedAt: NOW, sizeBytes: 2, ...facts })
}
const iso = (time: number) => new Date(time).toISOString()
const frames = (count: number) => Array.from({ length: count }, (_, place) => ({ function: `f${place}` }))

test('an empty event has every member', () => {
  expect(read({})).toMatchInlineSnapshot(`
    {
      "breadcrumbs": [],
      "contexts": {},
      "debug_images": [],
      "dist": "",
      "environment": "production",
      "exceptions": [],
      "extra": {},
      "fingerprint": [],
      "handled": true,
      "level": "error",
      "logger": "",
      "message": "",
      "message_params": [],
      "message_template": "",
      "modules": {},
      "platform": "other",
      "raw_payload": {},
      "received_at": 1795262400000,
      "release": "",
      "request": {
        "headers": {},
        "method": "",
        "query_string": "",
        "url": "",
      },
      "sdk": {
        "name": "",
        "version": "",
      },
      "sdk_event_id": "9f1c3a5e7b2d4c6a8e0f1a2b3c4d5e6f",
      "server_name": "",
      "size_bytes": 2,
      "tags": [],
      "threads": [],
      "timestamp": 1795262400000,
      "transaction": "",
      "truncation_signals": [],
      "user": {
        "email": "",
        "geo": {},
        "id": "",
        "ip_address": "",
        "username": "",
      },
      "user_hash": "",
    }
  `)
})

test('a frame has every member of the contract', () => {
  const frame = {
    function: 'pay',
    filename: 'src/pay.ts',
    abs_path: 'app:///src/pay.ts',
    lineno: 3,
    colno: 7,
    in_app: true,
  }
  const event = read({ exception: { values: [{ type: 'E', stacktrace: { frames: [frame] } }] } })
  expect(event.exceptions[0]?.frames[0]).toMatchInlineSnapshot(`
    {
      "abs_path": "app:///src/pay.ts",
      "colno": 7,
      "component": null,
      "context_line": "",
      "debug_id": "",
      "exception_index": 0,
      "filename": "src/pay.ts",
      "function": "pay",
      "grouping_role": "ignored",
      "ignored_reason": "",
      "in_app": true,
      "index": 0,
      "lineno": 3,
      "module": "",
      "original": null,
      "post_context": [],
      "pre_context": [],
      "raw_function": "",
      "repo_path": "",
      "repo_path_source": "REPO_PATH_SOURCE_NONE",
      "source_map_id": "",
      "symbolicated": false,
      "vars": {},
    }
  `)
})

test.each<[unknown, string, string[]]>([
  ['fatal', 'fatal', []],
  ['critical', 'fatal', []],
  ['WARNING', 'warning', []],
  ['log', 'info', []],
  ['debug', 'debug', []],
  [undefined, 'error', []],
  [null, 'error', []],
  ['constructor', 'error', ['level:value:0/1']],
  [40, 'error', ['level:type:0/1']],
])('the level %j is %s', (level, expected, signals) => {
  expect(read({ level })).toMatchObject({ level: expected, truncation_signals: signals })
})

test.each<[string, unknown, number]>([
  ['seconds', NOW / 1000 - 5.25, NOW - 5_250],
  ['milliseconds', NOW - 5_000, NOW - 5_000],
  ['digits', String(NOW / 1000 - 5), NOW - 5_000],
  ['ISO with zone', '2026-11-21T13:59:00.5+02:00', NOW - 59_500],
  ['ISO without zone, as UTC', '2026-11-21T11:59:00.123456', NOW - 59_877],
  ['ISO with a space', '2026-11-21 11:59:00', NOW - 60_000],
  ['nothing', undefined, NOW],
])('a timestamp of %s is read', (_name, timestamp, expected) => {
  expect(read({ timestamp })).toMatchObject({ timestamp: expected, received_at: NOW, truncation_signals: [] })
})

test.each<[unknown, number, string]>([
  ['yesterday', NOW, 'timestamp:type:0/1'],
  [{}, NOW, 'timestamp:type:0/1'],
  [-5, NOW, 'timestamp:type:0/1'],
  [1e300, NOW, 'timestamp:type:0/1'],
  ['2026-13-45T99:99:99Z', NOW, 'timestamp:type:0/1'],
  [0, NOW - 30 * 86_400_000, 'timestamp:range:0/1'],
  ['2030-01-01T00:00:00Z', NOW + 60_000, 'timestamp:range:0/1'],
])('the timestamp %j is replaced and noted', (timestamp, expected, signal) => {
  expect(read({ timestamp })).toMatchObject({ timestamp: expected, truncation_signals: [signal] })
})

test('a sender whose clock is wrong by more than a minute is corrected by sent_at, breadcrumbs too', () => {
  const wrong = NOW - 3_600_000
  const payload = { timestamp: (wrong - 10_000) / 1000, breadcrumbs: [{ timestamp: (wrong - 20_000) / 1000 }] }
  const corrected = { timestamp: NOW - 10_000, breadcrumbs: [{ timestamp: iso(NOW - 20_000) }] }
  expect(read(payload, { sentAt: iso(wrong) })).toMatchObject(corrected)
  expect(read(payload, { sentAt: wrong / 1000 })).toMatchObject(corrected)
  expect(read(payload, { sentAt: iso(NOW - 60_000) })).toMatchObject({ timestamp: wrong - 10_000 })
  expect(read(payload, { sentAt: 'never' })).toMatchObject({ timestamp: wrong - 10_000 })
})

test.each<[string, unknown]>([
  ['an object with values', { values: [{ type: 'A', value: 'x' }] }],
  ['a bare list', [{ type: 'A', value: 'x' }]],
  ['a single object', { type: 'A', value: 'x' }],
  ['a single object as values', { values: { type: 'A', value: 'x' } }],
  ['values with holes', { values: [null, { type: 'A', value: 'x' }] }],
])('exceptions are taken as %s', (_name, exception) => {
  expect(read({ exception })).toMatchObject({
    exceptions: [{ type: 'A', value: 'x', frames: [] }],
    truncation_signals: [],
  })
})

test('a chain keeps the order of the SDK, root cause first, with its mechanisms', () => {
  const values = [
    {
      type: 'RangeError',
      value: 'root',
      mechanism: { type: 'chained', source: 'cause', exception_id: 1, parent_id: 0 },
    },
    {
      type: 'AggregateError',
      value: 'top',
      mechanism: { type: 'generic', handled: false, exception_id: 0, is_exception_group: true },
    },
  ]
  const { exceptions, handled } = read({ exception: { values } })
  expect(exceptions.map(({ value }) => value)).toEqual(['root', 'top'])
  expect(exceptions[0]?.mechanism).toEqual({
    type: 'chained',
    handled: true,
    synthetic: false,
    source: 'cause',
    exception_id: 1,
    parent_id: 0,
    is_exception_group: false,
  })
  expect(exceptions[1]?.mechanism).toMatchObject({ parent_id: null, is_exception_group: true })
  expect(handled).toBe(false)
})

test.each([null, {}, undefined])('a mechanism of %j means handled', (mechanism) => {
  expect(read({ exception: [{ type: 'A', mechanism }] })).toMatchObject({ handled: true, truncation_signals: [] })
})

test('a message with an attached stack keeps its exception without a type, marked synthetic', () => {
  const value = {
    value: 'hello',
    mechanism: { type: 'generic', synthetic: true, handled: true },
    stacktrace: { frames: frames(1) },
  }
  expect(read({ message: 'hello', exception: { values: [value] } })).toMatchObject({
    message: 'hello',
    exceptions: [{ type: '', value: 'hello', mechanism: { synthetic: true }, frames: [{ function: 'f0' }] }],
    truncation_signals: [],
  })
})

test('of more than 250 frames the oldest and the newest 125 are kept and numbered anew', () => {
  const event = read({ exception: [{ type: 'A' }, { type: 'B', stacktrace: { frames: frames(1_000) } }] })
  const kept = event.exceptions[1]?.frames ?? []
  expect(kept).toHaveLength(250)
  expect([0, 124, 125, 249].map((place) => kept[place]?.function)).toEqual(['f0', 'f124', 'f875', 'f999'])
  expect(kept.every((frame, index) => frame.index === index && frame.exception_index === 1)).toBe(true)
  expect(event.truncation_signals).toEqual(['exceptions.frames:count:250/1000'])
  expect(read({ exception: { type: 'A', stacktrace: { frames: frames(250) } } }).truncation_signals).toEqual([])
})

test('one event cannot grow without bound by many stacks of empty frames', () => {
  const stacktrace = { frames: Array.from({ length: 1_000 }, () => ({})) }
  const event = read({
    exception: Array.from({ length: 500 }, () => ({ stacktrace })),
    threads: Array.from({ length: 500 }, () => ({ stacktrace })),
  })
  const total = [...event.exceptions, ...event.threads].reduce((sum, stack) => sum + stack.frames.length, 0)
  expect([event.exceptions.length, event.threads.length, total]).toEqual([50, 250, 5_000])
})

test('the exception that was reported keeps its frames where a chain has too many', () => {
  const values = Array.from({ length: 25 }, () => ({ type: 'Error', stacktrace: { frames: frames(250) } }))
  const kept = read({ exception: { values } }).exceptions.map((exception) => exception.frames.length)
  expect(kept).toEqual([...Array<number>(5).fill(0), ...Array<number>(20).fill(250)])
})

test('frames may use the names of the specification; those that the SDK leaves open are not in-app next to one that is', () => {
  const sent = [
    { function: 'a', path: '/srv/app/node_modules/x/i.js', line: 3, column: 4 },
    { function: 'b', filename: '/srv/app/main.py', lineno: '12' },
    { function: 'c', filename: '/usr/lib/python3/dist-packages/x.py', in_app: true },
    { function: 'd', abs_path: 'node:internal/timers', in_app: null },
    null,
  ]
  const event = read({ exception: { type: 'A', stacktrace: { frames: sent } } })
  expect(
    event.exceptions[0]?.frames.map(({ filename, lineno, colno, in_app }) => [filename, lineno, colno, in_app]),
  ).toEqual([
    ['/srv/app/node_modules/x/i.js', 3, 4, false],
    ['/srv/app/main.py', 12, 0, false],
    ['/usr/lib/python3/dist-packages/x.py', 0, 0, true],
    ['', 0, 0, false],
  ])
  expect(event.truncation_signals).toEqual([])
})

test('a stack trace beside the exceptions belongs to the last one without frames, else it is a thread', () => {
  const stacktrace = { frames: frames(1) }
  const chained = read({ stacktrace, exception: [{ type: 'A' }, { type: 'B' }] })
  expect(chained.exceptions.map((exception) => exception.frames.length)).toEqual([0, 1])
  expect(chained.exceptions[1]?.frames).toMatchObject([{ exception_index: 1 }])
  expect(read({ stacktrace })).toMatchObject({
    threads: [{ current: true, frames: [{ function: 'f0', exception_index: -1 }] }],
  })
})

test('threads are taken as values or list, with ids of any scalar', () => {
  const thread = { id: 12, name: 'main', crashed: true, stacktrace: { frames: frames(1) } }
  const expected = {
    threads: [{ id: '12', name: 'main', crashed: true, current: false, frames: [{ function: 'f0' }] }],
  }
  expect(read({ threads: { values: [thread] } })).toMatchObject(expected)
  expect(read({ threads: [thread] })).toMatchObject(expected)
})

test('the crashed thread is among those kept', () => {
  const threads = Array.from({ length: 300 }, (_, id) => ({ id, crashed: id === 299 }))
  const event = read({ threads })
  expect([event.threads.length, event.threads.at(-1)?.id]).toEqual([250, '299'])
  expect(event.truncation_signals).toEqual(['threads:count:250/300'])
})

test.each<[string, JsonObject, Partial<NormalEvent>]>([
  ['a string', { message: 'boom' }, { message: 'boom', message_template: '' }],
  ['a string as logentry', { logentry: 'boom' }, { message: 'boom', message_template: '' }],
  [
    'an object with all three',
    { message: { message: 'user %s', formatted: 'user 42', params: [42] } },
    { message: 'user 42', message_template: 'user %s', message_params: [42] },
  ],
  [
    'a template of Python',
    { logentry: { message: 'user %s failed %.2f %% of %(x', params: [42, 'x'] } },
    { message: 'user 42 failed x % of %(x', message_template: 'user %s failed %.2f %% of %(x' },
  ],
  ['numbers asked, text given', { logentry: { message: '%d of %d', params: ['many'] } }, { message: 'many of %d' }],
  ['named parameters', { logentry: { message: '%(who)s did', params: { who: 'Eve' } } }, { message: 'Eve did' }],
  ['braces', { logentry: { message: '{} and {1} and {x}', params: ['a', 'b'] } }, { message: 'a and b and {x}' }],
  [
    'logentry beside a string',
    { message: 'user 42', logentry: { message: 'user %s', params: [42] } },
    { message: 'user 42' },
  ],
  ['a template alone', { logentry: { message: '100%' } }, { message: '100%', message_template: '100%' }],
])('a message is read from %s', (_name, payload, expected) => {
  expect(read(payload)).toMatchObject({ ...expected, truncation_signals: [] })
})

test('a template that names one parameter over and over does not grow without bound', () => {
  const event = read({ logentry: { message: '{0}'.repeat(2_700), params: ['x'.repeat(10_000)] } })
  expect(event.message).toHaveLength(8_192)
})

test('a message is cut at 8192 characters, and not within a character', () => {
  const event = read({ message: `${'x'.repeat(8_191)}🎉 and more` })
  expect(event.message).toBe('x'.repeat(8_191))
  expect(event.truncation_signals).toEqual(['message:length:8191/8202'])
})

test('NUL and halves of surrogate pairs become replacement characters, whole pairs stay', () => {
  const dirty = 'a\0b\ud83dc\udf89🎉'
  const stored = 'a\ufffdb\ufffdc\ufffd🎉'
  const event = read({ message: dirty, extra: { [dirty]: [dirty] }, tags: { t: dirty }, release: dirty })
  expect(event).toMatchObject({
    message: stored,
    extra: { [stored]: [stored] },
    tags: [{ key: 't', value: stored }],
    // In a name, control characters are spaces.
    release: stored.replace('\ufffd', ' '),
    truncation_signals: [],
  })
})

test('half a surrogate pair is replaced where there is no NUL', () => {
  expect(read({ message: 'a\udf89b', extra: { x: '\ud83d' } })).toMatchObject({
    message: 'a\ufffdb',
    extra: { x: '\ufffd' },
  })
})

test('a name with a NUL does not become __proto__', () => {
  const { extra } = read({ extra: { '__proto__\0': { planted: true }, deep: { '\0__proto__': { planted: true } } } })
  expect(extra).toEqual({ '__proto__\ufffd': { planted: true }, deep: { '\ufffd__proto__': { planted: true } } })
  expect(extra['planted']).toBeUndefined()
})

test.each<[string, unknown, string, string[]]>([
  ['release', ' shop@1.2 ', 'shop@1.2', []],
  ['release', 1.5, '1.5', []],
  ['release', 'a\nb\tc', 'a b c', []],
  ['release', { version: 1 }, '', ['release:type:0/1']],
  ['release', 'r'.repeat(251), 'r'.repeat(250), ['release:length:250/251']],
  ['environment', undefined, 'production', []],
  ['environment', '  ', 'production', []],
  ['environment', 'e'.repeat(65), 'e'.repeat(64), ['environment:length:64/65']],
  ['environment', 'feature/cart/2', 'feature-cart-2', ['environment:value:0/1']],
  ['dist', 7, '7', []],
  ['dist', 'd'.repeat(65), 'd'.repeat(64), ['dist:length:64/65']],
  ['transaction', 't'.repeat(201), 't'.repeat(200), ['transaction:length:200/201']],
  ['platform', '', 'other', []],
  ['platform', ['node'], 'other', ['platform:type:0/1']],
  ['logger', {}, '', ['logger:type:0/1']],
  ['server_name', null, '', []],
])('%s %j becomes %j', (member, value, expected, signals) => {
  expect(read({ [member]: value })).toMatchObject({ [member]: expected, truncation_signals: signals })
})

test.each<[string, unknown]>([
  ['an object', { shop: 'de', count: 3, flag: true, none: null }],
  [
    'pairs',
    [
      ['shop', 'de'],
      ['count', 3],
      ['flag', true],
      ['none', null],
    ],
  ],
  ['entries', [{ key: 'shop', value: 'de' }, { key: 'count', value: 3 }, { key: 'flag', value: true }, null]],
])('tags are taken as %s', (_name, tags) => {
  expect(read({ tags })).toMatchObject({
    tags: [
      { key: 'shop', value: 'de' },
      { key: 'count', value: '3' },
      { key: 'flag', value: 'true' },
    ],
    truncation_signals: [],
  })
})

test('a tag is cut at 200 characters and dropped when it is no scalar', () => {
  const event = read({ tags: { long: 'x'.repeat(201), bad: { a: 1 }, worse: [] } })
  expect(event.tags).toEqual([{ key: 'long', value: 'x'.repeat(200) }])
  expect(event.truncation_signals).toEqual(['tags:length:200/201', 'tags:type:0/2'])
})

test('the newest hundred breadcrumbs are kept, from values or a list', () => {
  const crumbs = Array.from({ length: 130 }, (_, place) => ({
    timestamp: NOW / 1000,
    message: `m${place}`,
    category: 'ui',
  }))
  for (const breadcrumbs of [crumbs, { values: crumbs }]) {
    const event = read({ breadcrumbs })
    expect(event.breadcrumbs).toHaveLength(100)
    expect(event.breadcrumbs[0]).toEqual({ timestamp: iso(NOW), category: 'ui', level: '', message: 'm30', data: {} })
    expect(event.truncation_signals).toEqual(['breadcrumbs:count:100/130'])
  }
})

test('extra keeps 16 KiB of an entry and 256 KiB in all', () => {
  const one = read({ extra: { large: 'x'.repeat(20_000), small: { list: [1, 'two', null, true] } } })
  expect(one.extra).toEqual({ large: 'x'.repeat(16_384), small: { list: [1, 'two', null, true] } })
  expect(one.truncation_signals).toEqual(['extra:size:1/2'])
  const many = read({
    extra: Object.fromEntries(Array.from({ length: 40 }, (_, key) => [`k${key}`, 'x'.repeat(16_000)])),
  })
  expect(JSON.stringify(many.extra).length).toBeLessThan(257 * 1024)
  expect(many.truncation_signals).toEqual(['extra:size:16/40'])
})

test('a context keeps 8 KiB, and lists and objects within are cut, not broken', () => {
  const event = read({ contexts: { state: { list: Array.from({ length: 9_000 }, () => 1) }, os: { name: 'linux' } } })
  expect(event.contexts).toMatchObject({ os: { name: 'linux' } })
  expect(JSON.stringify(event.contexts).length).toBeLessThan(9 * 1024)
  expect(event.truncation_signals).toEqual(['contexts:size:1/2'])
})

test('a key named __proto__ changes no prototype', () => {
  const event = read(
    JSON.parse('{"extra":{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1}}}}') as JsonObject,
  )
  expect(event.extra).toEqual({ a: {} })
  expect(Object.getPrototypeOf(event.extra)).toBe(Object.prototype)
  expect(event.extra).not.toHaveProperty('a.polluted')
})

test('a payload nested beyond what can be written is cut', () => {
  const deep = JSON.parse(`${'{"extra":'.repeat(100_000)}1${'}'.repeat(100_000)}`) as JsonObject
  const event = read(deep)
  expect(JSON.stringify(event).length).toBeLessThan(5_000)
  expect(event.truncation_signals).toEqual(['extra:size:0/1', 'raw_payload:depth:0/1'])
})

test('the user is hashed by the strongest identity, the address {{auto}} is none', () => {
  const hashOf = (user: unknown) => read({ user }).user_hash
  expect(hashOf({ id: 42, email: 'a@b.c' })).toMatch(/^[\da-f]{32}$/)
  expect(hashOf({ id: 42, email: 'a@b.c' })).toBe(hashOf({ id: '42', email: 'other' }))
  expect(hashOf({ email: 'x' })).not.toBe(hashOf({ username: 'x' }))
  expect(hashOf({ ip_address: '{{auto}}' })).toBe('')
  expect(hashOf({ ip_address: '10.0.0.1' })).not.toBe('')
  expect(hashOf(null)).toBe('')
  expect(read({ user: { id: 42, ip_address: null } }).user).toEqual({
    id: '42',
    email: '',
    username: '',
    ip_address: '',
    geo: {},
  })
})

test.each<[string, JsonObject]>([
  ['objects', { headers: { host: 'x' }, query_string: { a: '1', b: 2 } }],
  [
    'pairs',
    {
      headers: [['host', 'x']],
      query_string: [
        ['a', '1'],
        ['b', 2],
      ],
    },
  ],
  ['text', { headers: { host: 'x' }, query_string: 'a=1&b=2' }],
])('the request is taken with its headers and query as %s', (_name, request) => {
  expect(read({ request: { ...request, method: 'GET', url: 'http://x/', env: { REMOTE_ADDR: null } } })).toMatchObject({
    request: { method: 'GET', url: 'http://x/', headers: { host: 'x' }, query_string: 'a=1&b=2' },
    truncation_signals: [],
  })
})

test('fingerprints are texts; other members and shapes are dropped', () => {
  expect(read({ fingerprint: ['{{ default }}', 5] }).fingerprint).toEqual(['{{ default }}', '5'])
  expect(read({ fingerprint: ['a', {}, null] })).toMatchObject({
    fingerprint: ['a'],
    truncation_signals: ['fingerprint:type:1/3'],
  })
  expect(read({ fingerprint: 'a' })).toMatchObject({ fingerprint: [], truncation_signals: ['fingerprint:type:0/1'] })
})

test('the debug id of an image reaches the frames of its file', () => {
  const images = [{ type: 'sourcemap', code_file: 'app:///main.js', debug_id: 'AAAA-BBBB' }, { type: 'elf' }]
  const event = read({
    debug_meta: { images },
    exception: { type: 'A', stacktrace: { frames: [{ abs_path: 'app:///main.js' }, { abs_path: 'app:///other.js' }] } },
  })
  expect(event.debug_images[0]).toEqual({ type: 'sourcemap', code_file: 'app:///main.js', debug_id: 'aaaa-bbbb' })
  expect(event.exceptions[0]?.frames.map((frame) => frame.debug_id)).toEqual(['aaaa-bbbb', ''])
})

test('the SDK comes from the payload, else from the envelope; sdk.packages may be anything', () => {
  const sdk = { name: 'sentry.javascript.node', version: '11.11.0', packages: {} }
  expect(read({ sdk }, { sdk: { name: 'other' } }).sdk).toEqual({ name: 'sentry.javascript.node', version: '11.11.0' })
  expect(read({}, { sdk }).sdk).toEqual({ name: 'sentry.javascript.node', version: '11.11.0' })
  expect(read({ sdk: null }, { sdk: 7 }).sdk).toEqual({ name: '', version: '' })
})

test('dropped members of many frames are summed in one signal', () => {
  const sent = Array.from({ length: 30 }, () => ({ function: {}, lineno: 'x', vars: [1] }))
  expect(read({ exception: { type: 'A', stacktrace: { frames: sent } } }).truncation_signals).toEqual([
    'exceptions.frames.function:type:0/30',
    'exceptions.frames.lineno:type:0/30',
    'exceptions.frames.vars:type:0/30',
  ])
})

test.each([
  'exception',
  'threads',
  'breadcrumbs',
  'tags',
  'user',
  'request',
  'contexts',
  'extra',
  'modules',
  'sdk',
  'message',
])('a member %s of a wrong type is dropped and noted, the rest stays', (member) => {
  const wrong = member === 'message' ? ['x'] : 'x'
  const event = read({ transaction: 'GET /cart', [member]: wrong })
  const name = member === 'exception' ? 'exceptions' : member
  expect(event).toMatchObject({ transaction: 'GET /cart', truncation_signals: [`${name}:type:0/1`] })
})

test('an empty object that PHP wrote as a list lost nothing', () => {
  const frame = { function: 'pay', vars: [] }
  const event = read({
    extra: [],
    contexts: [],
    user: [],
    breadcrumbs: { values: [{ message: 'low', data: [] }] },
    exception: { values: [{ type: 'E', mechanism: [], stacktrace: { frames: [frame] } }] },
  })
  expect(event.truncation_signals).toEqual([])
})

test('members with the names of SDKs before 2019 are read', () => {
  const frame = { module: 'com.acme.Pay', function: 'pay' }
  const event = read({
    culprit: 'com.acme.Pay in pay',
    'sentry.interfaces.Exception': { values: [{ type: 'Declined', value: 'no', stacktrace: { frames: [frame] } }] },
    'sentry.interfaces.Message': { message: 'payment %s declined', params: ['17'] },
    'sentry.interfaces.Http': { method: 'POST', url: 'https://shop.example/pay' },
    'sentry.interfaces.User': { id: '7' },
    user: null,
  })
  expect(event).toMatchObject({
    transaction: 'com.acme.Pay in pay',
    exceptions: [{ type: 'Declined', frames: [frame] }],
    message: 'payment 17 declined',
    request: { method: 'POST' },
    user: { id: '7' },
  })
  expect(read({ user: { id: '8' }, 'sentry.interfaces.User': { id: '7' } }).user.id).toBe('8')
})
