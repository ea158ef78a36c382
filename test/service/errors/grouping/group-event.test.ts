import fc from 'fast-check'
import { expect, test } from 'vitest'
import { groupEvent } from '../../../../src/service/errors/grouping/index.ts'
import type { NormalEvent, NormalFrame } from '../../../../src/service/errors/event/event.ts'
import { crash, event, exception, frame, stack, thread } from './events.ts'

const name = fc.stringMatching(/^[g-z][g-z]{3,8}$/)
const frames = fc.array(
  fc.record({ function: name, file: name, in_app: fc.boolean(), lineno: fc.nat(5000), context: fc.option(name) }),
  { minLength: 1, maxLength: 8 },
)
type Drawn = typeof frames extends fc.Arbitrary<infer T> ? T : never

function built(drawn: Drawn, change: (frame: NormalFrame, index: number) => Partial<NormalFrame> = () => ({})) {
  return drawn.map(({ function: called, file, in_app, lineno, context }, index) => {
    const path = `/srv/${file}.js`
    const made = frame({
      index,
      function: called,
      filename: path,
      abs_path: path,
      in_app,
      lineno,
      context_line: context ?? '',
    })
    return { ...made, ...change(made, index) }
  })
}

function reversedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversedKeys)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, reversedKeys(inner)]),
  )
}

test('what differs between two occurrences of a crash does not change its hash', () => {
  const noise = fc.record({
    lines: fc.array(fc.nat(9000), { minLength: 8, maxLength: 8 }),
    id: fc.uuid(),
    time: fc.nat(),
    user: fc.emailAddress(),
    extra: fc.dictionary(fc.string(), fc.jsonValue()),
  })
  fc.assert(
    fc.property(frames, name, noise, (drawn, type, { lines, id, time, user, extra }) => {
      const first = crash(type, 'it broke', built(drawn))
      const moved = built(drawn, (_, index) => ({
        lineno: lines[index]!,
        colno: lines[7 - index]!,
        vars: extra,
        pre_context: [id],
      }))
      const second = crash(type, `it broke for ${id}`, moved, {
        sdk_event_id: id.replaceAll('-', ''),
        timestamp: time,
        received_at: time + 5,
        release: id,
        environment: user,
        server_name: id,
        transaction: id,
        user: { id, email: user, username: '', ip_address: '', geo: {} },
        tags: [{ key: 'request', value: id }],
        breadcrumbs: [{ timestamp: '2026-01-01T00:00:00Z', category: id, level: 'info', message: id, data: extra }],
        extra,
        contexts: { trace: { trace_id: id } },
      })
      const { hash, other_hashes } = groupEvent(first)
      expect(groupEvent(second)).toMatchObject({ hash, other_hashes })
    }),
  )
})

test('neither the order of members nor members beyond the contract change the result', () => {
  fc.assert(
    fc.property(frames, name, fc.dictionary(name, fc.jsonValue()), (drawn, type, more) => {
      const first = crash(type, 'it broke', built(drawn))
      const reordered = reversedKeys(first) as NormalEvent
      expect(groupEvent(reordered)).toEqual(groupEvent(first))
      const wider = { ...more, ...first, exceptions: first.exceptions.map((one) => ({ ...more, ...one })) }
      expect(groupEvent(wider)).toEqual(groupEvent(first))
    }),
  )
})

test('ids, numbers and uuids inside a message do not change its hash', () => {
  const id = fc.oneof(fc.nat().map(String), fc.uuid(), fc.ipV4(), fc.emailAddress({ size: '-1' }))
  fc.assert(
    fc.property(name, name, fc.uuid(), fc.uuid(), fc.nat(), fc.nat(), (before, after, u, v, n, m) => {
      const said = (uuid: string, number: number) => event({ message: `${before} ${uuid} ${after} ${String(number)}` })
      expect(groupEvent(said(u, n)).hash).toBe(groupEvent(said(v, m)).hash)
    }),
  )
  fc.assert(
    fc.property(name, id, (before, value) => {
      expect(groupEvent(event({ message: `${before} ${value}` })).hash).not.toBe(
        groupEvent(event({ message: before })).hash,
      )
    }),
  )
})

test('hashes that a bundler puts into file names do not change the hash', () => {
  const hex = fc.stringMatching(/^[0-9a-f]{8,20}$/)
  const base32 = fc.stringMatching(/^[A-Z2-7]{8}$/)
  const file = (stem: string, hash: string) =>
    stack('run@main.js', `load@/srv/${stem}-${hash}.js`, `start@/srv/${stem}.${hash}.mjs`)
  for (const hash of [hex, base32]) {
    fc.assert(
      fc.property(name, hash, hash, (stem, one, other) => {
        expect(groupEvent(crash('E', 'x', file(stem, one))).hash).toBe(
          groupEvent(crash('E', 'x', file(stem, other))).hash,
        )
      }),
    )
  }
})

test('names of Vite’s chunks count without their hash, words do not', () => {
  const inFile = (file: string) => groupEvent(crash('E', 'x', stack(`load@/srv/${file}`))).hash
  expect(inFile('index-DiwrgTda.js')).toBe(inFile('index-B_x9-d2K.js'))
  expect(inFile('index-DiwrgTda.js')).toBe(inFile('index-C4v2kQzP.js'))
  expect(inFile('main-settings.js')).not.toBe(inFile('main-products.js'))
})

test('another type, or another function in a frame of the team, is another issue', () => {
  fc.assert(
    fc.property(frames, name, fc.nat(7), (drawn, type, at) => {
      const first = groupEvent(crash(type, 'x', built(drawn)))
      expect(groupEvent(crash(`${type}A`, 'x', built(drawn))).hash).not.toBe(first.hash)
      const index = at % drawn.length
      const renamed = built(drawn, (made, position) => (position === index ? { function: `${made.function}A` } : {}))
      const counts = drawn[index]!.in_app || drawn.every(({ in_app }) => !in_app)
      expect(groupEvent(crash(type, 'x', renamed)).hash === first.hash).toBe(!counts)
    }),
  )
})

test('different bugs that share a wrapper stay apart', () => {
  fc.assert(
    fc.property(frames, frames, name, name, (wrapper, inner, one, other) => {
      fc.pre(one !== other)
      const wrapped = (bug: string) =>
        event({
          exceptions: [
            exception({
              type: `${bug}Error`,
              frames: stack(`${bug}@${bug}.js`, ...built(inner)),
              mechanism: { exception_id: 1, parent_id: 0 },
            }),
            exception({ type: 'HttpError', frames: built(wrapper), mechanism: { exception_id: 0 } }),
          ],
        })
      expect(groupEvent(wrapped(one)).hash).not.toBe(groupEvent(wrapped(other)).hash)
      const called = (bug: string) =>
        crash('Error', 'x', [...built(wrapper), ...stack(`${bug}@lib.js`), ...built(inner)])
      expect(groupEvent(called(one)).hash).not.toBe(groupEvent(called(other)).hash)
    }),
  )
})

test('a helper that throws for everybody keeps the bugs of its callers apart', () => {
  const helpers = fc.constantFrom(
    ['assertNever@assert.js'],
    ['handleError@errors.js', 'rethrow@errors.js'],
    ['send@http.js', 'wrapAsync@http.js', 'fail@http.js'],
    ['run@queue.js', 'reject@promise.js'],
  )
  fc.assert(
    fc.property(helpers, frames, name, name, name, (helper, outer, type, one, other) => {
      fc.pre(one !== other)
      const thrown = (caller: string) =>
        groupEvent(crash(type, 'it broke', [...built(outer), ...stack(`${caller}@cart.js`, ...helper)]))
      const [first, second] = [thrown(one), thrown(other)]
      const known = [first.hash, ...first.other_hashes, ...first.loose_hashes.map(({ hash }) => hash)]
      expect(known).not.toContain(second.hash)
      expect(second.other_hashes.filter((hash) => known.includes(hash))).toEqual([])
      const again = groupEvent(crash(type, 'it broke again', [...built(outer), ...stack(`${one}@cart.js`, ...helper)]))
      expect(again.hash).toBe(first.hash)
    }),
  )
})

test('what one logger sends from the same place is an issue for each message, not for each id in it', () => {
  const logged = (message: string) =>
    event({
      message,
      exceptions: [
        exception({
          type: '',
          value: message,
          frames: stack('main@a.js', 'error@log.js'),
          mechanism: { synthetic: true },
        }),
      ],
    })
  fc.assert(
    fc.property(name, name, fc.nat(), fc.uuid(), (one, other, number, id) => {
      fc.pre(one !== other)
      const { hash } = groupEvent(logged(`${one} ${number} failed`))
      expect(groupEvent(logged(`${one} ${number + 1} failed`)).hash).toBe(hash)
      expect(groupEvent(logged(`${other} ${number} failed`)).hash).not.toBe(hash)
      expect(groupEvent(logged(`${one} ${id} failed`)).hash).not.toBe(hash)
    }),
  )
})

test('errors rethrown from one place stay apart by their causes', () => {
  fc.assert(
    fc.property(name, name, frames, (one, other, place) => {
      fc.pre(one !== other)
      const rethrown = (cause: string, from: string) =>
        event({
          exceptions: [
            exception({ type: cause, frames: stack(`${from}@db.js`), mechanism: { exception_id: 1, parent_id: 0 } }),
            exception({ type: 'AppError', frames: built(place), mechanism: { exception_id: 0 } }),
          ],
        })
      const { hash } = groupEvent(rethrown(one, 'query'))
      expect(groupEvent(rethrown(other, 'query')).hash).not.toBe(hash)
      expect(groupEvent(rethrown(one, other)).hash).not.toBe(hash)
    }),
  )
})

test('a function has one name in Chrome, Firefox and Safari', () => {
  const place = { filename: 'https://shop.example/a.js', abs_path: 'https://shop.example/a.js' }
  const hashOf = (called: string) =>
    groupEvent(
      crash('E', 'x', [frame({ ...place, function: called }), frame({ ...place, function: 'last' })], {
        platform: 'javascript',
      }),
    ).hash
  fc.assert(
    fc.property(name, name, (method, owner) => {
      const names = [
        method,
        `${owner}.${method}`,
        `new ${method}`,
        `async ${owner}.${method}`,
        `Object.${method} [as ${owner}]`,
        `async*${method}`,
        `setTimeout handler*${owner}.${method}`,
        `${owner}/${method}`,
        `${owner}/${method}<`,
      ]
      expect(new Set(names.map(hashOf)).size).toBe(1)
      const nameless = [
        '',
        '?',
        '<anonymous>',
        'Object.<anonymous>',
        `${owner}/<`,
        `${owner}/${method}/<`,
        'global code',
      ]
      expect(new Set(nameless.map(hashOf)).size).toBe(1)
    }),
  )
})

test('the hash over all frames is kept where it differs, and leads an event without in-app marks to the issue', () => {
  const marked = crash('E', 'x', stack({ function: 'lib', filename: 'lib.js', in_app: false }, 'pay@pay.js'))
  const unmarked = crash(
    'E',
    'x',
    marked.exceptions[0]!.frames.map((one) => ({ ...one, in_app: false })),
  )
  const result = groupEvent(marked)
  expect(result.other_hashes).toEqual([groupEvent(unmarked).hash])
  expect(groupEvent(unmarked).other_hashes).toEqual([])
})

test('every frame has its role and a reason where it is ignored', () => {
  const given = crash(
    'E',
    'x',
    stack('walk@a.js', 'walk@a.js', { function: 'read', filename: 'node:fs', in_app: true }, 'eval@a.js', {
      filename: 'native',
    }),
  )
  expect(groupEvent(given).frames.map(({ role, reason }) => [role, reason])).toEqual([
    ['contributes', ''],
    ['ignored', 'recursion: repeats the frames before it'],
    ['ignored', 'not in-app'],
    ['ignored', 'eval'],
    ['ignored', 'native code'],
  ])
  expect(groupEvent({ ...given, fingerprint: ['mine'] }).frames.every(({ role }) => role === 'ignored')).toBe(true)
})

test('titles and culprits are one line of at most 250 characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 600 }), fc.string({ unit: 'binary' }), (value, type) => {
      const { title, culprit } = groupEvent(crash(type, value, stack({ function: value, filename: type })))
      expect(Math.max(title.length, culprit.length)).toBeLessThanOrEqual(250)
      expect(title).not.toMatch(/[\r\n]/)
      expect(title).not.toBe('')
    }),
  )
})

test('any event gets a hash, the same each time, and nothing in it is changed', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.constantFrom('<anonymous>', 'node_modules/', '[native code]', 'https://', '{{ default }}', '*', '/<', '=', '$$'),
  )
  const id = fc.option(fc.integer({ min: -1, max: 4 }))
  const drawnFrame = fc
    .record({
      function: text,
      module: text,
      filename: text,
      abs_path: text,
      context_line: text,
      in_app: fc.boolean(),
      symbolicated: fc.boolean(),
    })
    .map(frame)
  const drawnException = fc
    .record({
      type: text,
      value: text,
      frames: fc.array(drawnFrame, { maxLength: 6 }),
      mechanism: fc.record({
        synthetic: fc.boolean(),
        exception_id: id,
        parent_id: id,
        is_exception_group: fc.boolean(),
      }),
    })
    .map(exception)
  const drawnEvent = fc
    .record({
      platform: fc.oneof(text, fc.constantFrom('javascript', 'python', 'php', 'ruby', 'java')),
      message: text,
      message_template: text,
      transaction: text,
      logger: text,
      fingerprint: fc.array(text, { maxLength: 3 }),
      sdk: fc.record({ name: text, version: text }),
      exceptions: fc.array(drawnException, { maxLength: 4 }),
      threads: fc.array(
        fc
          .record({ crashed: fc.boolean(), current: fc.boolean(), frames: fc.array(drawnFrame, { maxLength: 3 }) })
          .map(thread),
        { maxLength: 3 },
      ),
    })
    .map(event)
  fc.assert(
    fc.property(drawnEvent, (given) => {
      const before = structuredClone(given)
      const unsymbolicated = { ...given, exceptions: given.exceptions.slice(1) }
      const result = groupEvent(given, { unsymbolicated })
      expect(result).toEqual(groupEvent(before, { unsymbolicated }))
      expect(given).toEqual(before)
      const loose = result.loose_hashes.flatMap(({ hash, unless }) => [hash, ...unless])
      expect(loose.length).toBeLessThanOrEqual(20)
      expect(loose).not.toContain(result.hash)
      expect([result.hash, ...result.other_hashes, ...loose].every((hash) => /^[0-9a-f]{32}$/.test(hash))).toBe(true)
      expect(result.frames.length).toBe(given.exceptions.flatMap(({ frames: all }) => all).length)
      expect(result.explanation.length).toBeGreaterThan(0)
      expect(result.explanation.every((line) => line.length <= 300)).toBe(true)
    }),
  )
})

test('a hidden class of the JVM counts without its address, which differs in each process', () => {
  const hash = (address: string) => {
    const hidden = frame({ module: `com.shop.Cart$$InjectedInvoker/0x${address}`, function: 'reflect_invoke_V' })
    return groupEvent(event({ platform: 'java', exceptions: [exception({ frames: [hidden] })] })).hash
  }
  expect(hash('0000000800c12400')).toBe(hash('00007f3d2c00a800'))
})

test.each(['app.1700000000000.js', 'main-20240101120000.js', 'vendor.20240101.js'])(
  'the moment of a build in the name of a bundle, as in %s, does not make another issue of each build',
  (name) => {
    const hash = (file: string) => {
      const path = `app:///${file}`
      const minified = frame({ filename: path, abs_path: path, function: 'pay', lineno: 1, colno: 3_000 })
      return groupEvent(event({ platform: 'javascript', exceptions: [exception({ frames: [minified] })] })).hash
    }
    expect(hash(name)).toBe(hash(name.replace(/\d+/, (moment) => String(Number(moment) + 1))))
  },
)
