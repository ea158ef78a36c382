import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect, type Connected } from '../mcp/clients.ts'
import { openShop, type Shop } from './shop.ts'

type Sent = Record<string, unknown>

let shop: Shop
let agent: Connected
beforeAll(async () => {
  shop = await openShop()
  agent = await connect(shop.api)
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await shop.close()
})

let cases = 0
/** What both tools say of an event; each has an issue of its own. */
async function readAsAgent(event: Sent): Promise<{ issue: string; fix: string }> {
  cases += 1
  await shop.crash(5, { exception: undefined, fingerprint: [`language ${String(cases)}`], ...event })
  const { issues } = await shop.api.listIssues({ product_id: shop.productId, sort: 'first_seen', page_size: 1 })
  const issue = issues[0]?.short_id ?? ''
  const [inspected, fix] = await Promise.all([
    agent.call('get_error_issue', { issue }),
    agent.call('get_fix_context', { issue }),
  ])
  return { issue: inspected.text, fix: fix.text }
}

const thrown = (frames: Sent[], more: Sent = {}): Sent => ({
  values: [{ type: 'Failure', value: 'no', stacktrace: { frames }, ...more }],
})

test('the stack of a message, which SDKs attach to its thread, is shown by get_error_issue as well', async () => {
  const { issue, fix } = await readAsAgent({
    platform: 'java',
    message: { message: 'payment {} declined', params: ['17'], formatted: 'payment 17 declined' },
    threads: {
      values: [
        { id: 1, name: 'idle', stacktrace: { frames: [{ module: 'com.acme.Idle', function: 'wait', lineno: 3 }] } },
        {
          id: 2,
          name: 'main',
          current: true,
          stacktrace: {
            frames: [
              { module: 'com.acme.App', function: 'main', filename: 'App.java', lineno: 5, in_app: true },
              { module: 'com.acme.Pay', function: 'pay', filename: 'Pay.java', lineno: 17, in_app: true },
            ],
          },
        },
      ],
    },
  })
  expect(issue).toContain('frames=2')
  expect(issue).toContain('com/acme/Pay.java:17 pay [in app]')
  expect(issue).not.toContain('Idle')
  expect(fix).toContain('com/acme/Pay.java:17 pay')
})

test('native frames without symbols are shown by binary and address, not as a recursion without names', async () => {
  const { issue, fix } = await readAsAgent({
    platform: 'native',
    exception: thrown([
      { instruction_addr: '0x7f0000029d90' },
      { instruction_addr: '0x55d0c0a0b0c0' },
      { instruction_addr: '0x55d0c0a0beef', function: '<redacted>' },
    ]),
    debug_meta: {
      images: [
        {
          type: 'elf',
          code_file: '/usr/bin/shop',
          debug_id: 'a1',
          image_addr: '0x55d0c0a00000',
          image_size: 4_096_000,
        },
        {
          type: 'elf',
          code_file: '/lib/libc.so.6',
          debug_id: 'b2',
          image_addr: '0x7f0000000000',
          image_size: 2_000_000,
        },
      ],
    },
  })
  expect(issue).toContain('frames: shop+0xbeef [in app], shop+0xb0c0 [in app], libc.so.6+0x29d90')
  expect(fix).toContain('frames_crash_first: shop+0xbeef, shop+0xb0c0, … 1 library frame')
})

test('a frame says no more than the SDK did: no line 0, no colon without a file', async () => {
  const { issue, fix } = await readAsAgent({
    platform: 'java',
    exception: thrown([
      { in_app: true },
      { in_app: true },
      { function: 'main', in_app: true },
      { module: 'com.acme.Socket', function: 'read0', filename: 'Socket.java', lineno: -2, in_app: true },
    ]),
  })
  for (const text of [issue, fix]) {
    expect(text).toContain('com/acme/Socket.java read0')
    expect(text).not.toMatch(/[a-z ]:0|recursion/)
  }
})

test('a suppressed exception of Java is not taken for a cause', async () => {
  const at = (id: number, name: string, more: Sent = {}) => ({
    type: name,
    value: 'no',
    mechanism: { exception_id: id, ...(id > 0 && { parent_id: 0 }), ...more },
    stacktrace: { frames: [{ module: `com.acme.${name}`, function: 'run', filename: `${name}.java`, in_app: true }] },
  })
  const { issue, fix } = await readAsAgent({
    platform: 'java',
    exception: {
      values: [
        at(2, 'Timeout', { type: 'chained' }),
        at(1, 'CloseFailed', { type: 'suppressed' }),
        at(0, 'PaymentFailed', { type: 'UncaughtExceptionHandler', handled: false }),
      ],
    },
  })
  for (const text of [issue, fix]) expect(text).toMatch(/CloseFailed: no\n(?:\| .*\n)?\| +suppressed: true\n/)
  const found = await agent.call('find_error_issues', { query: 'PaymentFailed' })
  expect(found.text).toContain('Timeout')
  expect(found.text).not.toContain('CloseFailed')
})

test.each([
  ['java', 'Put [KEY] in the @DisplayName of the regression test'],
  ['csharp', 'Give the regression test the category KEY,'],
  ['go', 'as a subtest, t.Run("[KEY] …")'],
  ['python', 'record_property("issue", "KEY")'],
  ['native', 'with record_tests, issue KEY'],
  ['ruby', 'Put [KEY] in the name of the regression test'],
])('the fix context for %s says how a regression test in that language names its issue', async (platform, words) => {
  const { fix } = await readAsAgent({ platform, exception: thrown([{ function: 'pay', in_app: true }]) })
  const key = /^APP-\d+/.exec(fix)?.[0] ?? ''
  expect(fix).toContain(words.replace('KEY', key))
})

test('lines of Ruby, which the SDK sends with their ends, are shown once each, and none before the first of the file', async () => {
  const frame = {
    function: 'total',
    filename: 'app/models/cart.rb',
    lineno: 2,
    in_app: true,
    pre_context: [null, null, 'def total\n'],
    context_line: '  items.total\n',
    post_context: ['end\n', null, null],
  }
  const { issue, fix } = await readAsAgent({ platform: 'ruby', exception: thrown([frame]) })
  expect(fix).toMatch(/code:\n\|\s+1 {2}def total\n\|\s+2> {3}items\.total\n\|\s+3 {2}end\n/)
  expect(issue).toContain('cart.rb:2 total [in app] > items.total')
})

test('what R8 writes in place of a file is no file, so the class is shown and no other issue shares code with it', async () => {
  const event = (module: string) => ({
    platform: 'java',
    exception: thrown([{ module, function: 'a', filename: 'SourceFile', lineno: 5, in_app: true }], { type: 'c' }),
  })
  await readAsAgent(event('a.b.c'))
  const { issue, fix } = await readAsAgent(event('x.y.z'))
  expect(issue).toContain('culprit: a (x.y.z)')
  expect(fix).toContain('x.y.z:5 a')
  expect(fix).toContain('no in-app frame names a file')
  expect(fix).not.toContain('related_issues')
})

test('functions of Hermes that are bytecode themselves are not the team’s and need no source map', async () => {
  const bundle = { filename: 'app:///index.android.bundle', abs_path: 'app:///index.android.bundle', lineno: 1 }
  const { issue, fix } = await readAsAgent({
    platform: 'javascript',
    exception: thrown([
      { ...bundle, function: 'onPress', colno: 731_224, in_app: true },
      { filename: 'app:///InternalBytecode.js', function: 'next', lineno: 1, colno: 1_222, in_app: true },
    ]),
  })
  expect(issue).toContain('culprit: onPress')
  expect(fix).toContain('0 of 1 frames mapped')
  expect(fix).toContain('InternalBytecode.js:1:1222 next (library)')
})

test.each(['20240101120000-create-user.js', '1700000000000-add-carts.js', '20240101_init.js'])(
  'a migration of Node.js that is named %s is a source, not the output of a bundler',
  async (name) => {
    const path = `/srv/app/migrations/${name}`
    const { issue, fix } = await readAsAgent({
      platform: 'node',
      exception: thrown([{ function: 'up', filename: path, abs_path: path, lineno: 12, colno: 5, in_app: true }]),
    })
    expect(issue).not.toContain('symbolication')
    expect(fix).not.toContain('source_maps')
    expect(fix).toContain('1 file of the frames not matched')
  },
)

test('a bundle of React Native is the output of a build also where its first bytes crashed', async () => {
  const path = 'app:///main.jsbundle'
  const { fix } = await readAsAgent({
    platform: 'javascript',
    exception: thrown([{ function: 'global', filename: path, abs_path: path, lineno: 1, colno: 57, in_app: true }]),
  })
  expect(fix).toContain('source_maps: 0 of 1 frames mapped')
  expect(fix).not.toContain('files_note')
})

test('a breadcrumb without a category begins with its level, if that is unusual, or its message', async () => {
  const { issue } = await readAsAgent({
    platform: 'go',
    message: 'no stock',
    timestamp: '2026-11-21T11:55:00Z',
    breadcrumbs: [
      { timestamp: '2026-11-21T11:54:58Z', message: 'cart loaded' },
      { timestamp: '2026-11-21T11:54:59Z', level: 'warning', message: 'slow' },
    ],
  })
  expect(issue).toContain('breadcrumbs: -2s cart loaded, -1s warning: slow')
})
