import { describe, expect, test } from 'vitest'
import { groupEvent } from '../../../../src/service/errors/grouping/index.ts'
import { normalise } from '../../../../src/service/errors/ingest/normalise/index.ts'

type Sent = Record<string, unknown>

function read(platform: string, frames: Sent[], members: Sent = {}) {
  return normalise(
    { platform, exception: { values: [{ type: 'E', value: 'x', stacktrace: { frames } }] }, ...members },
    { eventId: 'a'.repeat(32), receivedAt: 1_760_000_000_000, sizeBytes: 1_000 },
  )
}

const own = (platform: string, frames: Sent[], members?: Sent) =>
  read(platform, frames, members).exceptions[0]!.frames.map(({ in_app }) => in_app)

describe('a frame about which the SDK is silent', () => {
  test('is not the team’s when another frame is said to be', () => {
    const frames = [{ filename: 'shop/pay.py', in_app: true }, { filename: 'shop/lib.py' }]
    expect(own('python', frames)).toEqual([true, false])
  })

  test('is not the team’s when a frame of another thread is said to be', () => {
    const threads = [{ id: 1, stacktrace: { frames: [{ function: 'main', in_app: true }] } }]
    expect(own('native', [{ function: 'shop::pay' }], { threads })).toEqual([false])
  })

  test('is the team’s when no frame is said to be and nothing speaks against it', () => {
    expect(own('python', [{ filename: 'shop/pay.py' }, { filename: 'lib.py', in_app: false }])).toEqual([true, false])
  })

  test.each<[platform: string, team: Sent, runtime: Sent]>([
    [
      'python',
      { module: 'shop.pay', filename: 'shop/pay.py', abs_path: '/srv/shop/pay.py' },
      { module: 'json.decoder', filename: 'json/decoder.py', abs_path: '/usr/lib/python3.12/json/decoder.py' },
    ],
    ['python', { module: 'shop.json', filename: 'shop/json.py' }, { module: 'json', filename: 'json/__init__.py' }],
    [
      'python',
      { module: 'queue.consumer', filename: 'queue/consumer.py', abs_path: '/srv/app/queue/consumer.py' },
      {
        module: 'django.core',
        filename: 'django/core.py',
        abs_path: '/venv/lib/python3.12/site-packages/django/core.py',
      },
    ],
    ['java', { module: 'com.acme.pay.Gateway' }, { module: 'java.util.Optional', filename: 'Optional.java' }],
    ['java', { module: 'javaland.Cart' }, { module: 'org.springframework.web.Dispatcher' }],
    ['java', { module: 'com.acme.Main' }, { module: 'com.sun.proxy.$Proxy42' }],
    ['kotlin', { module: 'shop.CartKt' }, { module: 'kotlin.collections.CollectionsKt' }],
    ['android', { module: 'com.acme.MainActivity' }, { module: 'android.os.Handler' }],
    ['scala', { module: 'shop.Cart' }, { module: 'scala.Option' }],
    ['csharp', { module: 'Acme.Shop.Cart' }, { module: 'System.Collections.Generic.Dictionary`2' }],
    ['csharp', { module: 'Systematic.Cart' }, { module: 'Microsoft.AspNetCore.Mvc.ControllerBase' }],
    [
      'csharp',
      { function: 'Pay', package: 'Shop, Version=1.0' },
      { function: 'Parse', package: 'System.Text.Json, Version=8' },
    ],
    ['go', { module: 'github.com/acme/shop/cart' }, { module: 'net/http' }],
    [
      'go',
      { module: 'main', abs_path: '/srv/main.go' },
      { module: 'runtime', abs_path: '/usr/local/go/src/runtime/panic.go' },
    ],
    ['go', { module: 'shop/internal/cart' }, { abs_path: '/root/go/pkg/mod/github.com/gin-gonic/gin@v1.9/context.go' }],
    [
      'ruby',
      { filename: 'app/carts.rb', abs_path: '/srv/app/carts.rb' },
      { abs_path: '/usr/lib/ruby/3.3.0/json/common.rb' },
    ],
    ['ruby', { filename: 'lib/pay.rb' }, { abs_path: '/bundle/ruby/3.3.0/gems/rack-3.0.8/lib/rack/builder.rb' }],
    ['ruby', { filename: 'lib/gems.rb' }, { filename: '<internal:kernel>' }],
    ['php', { filename: '/app/src/Cart.php' }, { filename: '/app/vendor/symfony/http-kernel/Kernel.php' }],
    ['node', { filename: '/srv/internal/pay.js' }, { filename: 'node:internal/timers' }],
    ['node', { filename: '/srv/pay.js' }, { filename: 'internal/process/task_queues.js' }],
    [
      'javascript',
      { filename: 'https://shop.example/app.js' },
      { filename: 'http://localhost/node_modules/.vite/react.js' },
    ],
    ['rust', { function: 'shop::pay' }, { function: 'core::panicking::panic_fmt' }],
    [
      'native',
      { function: 'pay', package: '/srv/shop' },
      { function: 'gsignal', package: '/lib/x86_64-linux-gnu/libc.so.6' },
    ],
    ['native', { function: 'pay', package: '/srv/libcart.so' }, { package: 'libpthread-2.31.so' }],
    ['native', { function: 'main', package: 'C:\\shop\\shop.exe' }, { package: 'C:\\Windows\\System32\\ntdll.dll' }],
    [
      'cocoa',
      { function: '-[Cart pay]', package: '/var/containers/Bundle/Application/A/Shop.app/Shop' },
      { package: 'UIKitCore' },
    ],
    [
      'swift',
      { function: 'Cart.pay', package: 'Shop' },
      { package: '/System/Library/Frameworks/CoreFoundation.framework/CoreFoundation' },
    ],
    ['dart', { abs_path: 'package:shop/pay.dart' }, { abs_path: 'package:flutter/src/widgets/framework.dart' }],
    ['dart', { filename: 'lib/pay.dart' }, { filename: 'dart:async/zone.dart' }],
    ['elixir', { module: 'Elixir.Shop.Cart' }, { module: 'Elixir.Enum' }],
    ['elixir', { module: 'Shop.Cart' }, { module: ':gen_server' }],
  ])('%s: %j is the team’s, %j is not', (platform, team, runtime) => {
    expect(own(platform, [team, runtime])).toEqual([true, false])
  })

  test('has the rules of its own language in an event of several', () => {
    const frames = [
      { function: 'onPress', filename: 'app.js' },
      { module: 'java.lang.Thread', platform: 'java' },
    ]
    expect(own('javascript', frames)).toEqual([true, false])
  })

  test('has the rules of the SDK’s language in an event without a platform', () => {
    const sdk = { name: 'sentry.dart.flutter', version: '9' }
    expect(own('other', [{ abs_path: 'package:shop/a.dart' }, { abs_path: 'dart:core' }], { sdk })).toEqual([
      true,
      false,
    ])
  })
})

describe('what the SDK says', () => {
  test('counts against the list', () => {
    const frames = [
      { module: 'org.apache.shop.Cart', in_app: true },
      { module: 'com.acme.Generated', in_app: false },
    ]
    expect(own('java', frames)).toEqual([true, false])
    const included = [
      { filename: '/venv/lib/python3/site-packages/celery/app.py', in_app: false },
      { filename: '/venv/lib/python3/site-packages/acme_core/pay.py', in_app: true },
    ]
    expect(own('python', included)).toEqual([false, true])
  })

  test('does not make a package of Composer or npm the team’s, as these SDKs mark everything', () => {
    expect(
      own('php', [{ filename: '/app/vendor/acme/lib/Pay.php', in_app: true }, { filename: '/app/a.php' }]),
    ).toEqual([false, true])
    expect(own('javascript', [{ filename: 'http://localhost/node_modules/react/index.js', in_app: true }])).toEqual([
      false,
    ])
  })
})

/** Frames as the SDK for Go marks them: all but those below the folder of the toolchain. */
const goFrames = (root: string, modules: string, source: string, said: boolean[]) =>
  [
    { function: 'conn.serve', module: 'net/http', path: `${root}net/http/server.go` },
    {
      function: 'Context.Next',
      module: 'github.com/gin-gonic/gin',
      path: `${modules}github.com/gin-gonic/gin@v1.9.1/context.go`,
    },
    { function: 'pay', module: 'shop/cart', path: `${source}cart/pay.go` },
    { function: 'DB.Get', module: 'github.com/jmoiron/sqlx', path: `${modules}github.com/jmoiron/sqlx@v1.3.5/sqlx.go` },
  ].map(({ path, ...frame }, index) => ({
    ...frame,
    ...(path.startsWith('/') ? { abs_path: path } : { filename: path }),
    in_app: said[index],
  }))

test.each<[name: string, frames: Sent[]]>([
  ['all outside of the toolchain', goFrames('/usr/local/go/src/', '/go/pkg/mod/', '/src/', [false, true, true, true])],
  ['all, vendored modules too', goFrames('/usr/local/go/src/', '/src/vendor/', '/src/', [false, true, true, true])],
  [
    'all, as its toolchain is elsewhere',
    goFrames('/opt/go1.22/src/', '/go/pkg/mod/', '/src/', [true, true, true, true]),
  ],
  ['none, as -trimpath leaves no toolchain', goFrames('', '', 'shop/', [false, false, false, false])],
])('of frames of Go, where the SDK marks %s, those of other modules are not the team’s', (_, frames) => {
  expect(own('go', frames)).toEqual([false, false, true, false])
  expect(groupEvent(read('go', frames)).culprit).toMatch(/^pay /)
})

test('modules of Go are the team’s where no other code is marked, as of a program that was installed as a module', () => {
  const frames = goFrames('/usr/local/go/src/', '/go/pkg/mod/', '/go/pkg/mod/shop@v1.2.0/', [false, true, true, true])
  expect(own('go', frames)).toEqual([false, true, true, true])
})

test('code of a repository with the folder go/src is the team’s, also in a package that is called as one of Go', () => {
  const frames = ['github.com/acme/shop/internal/cart', 'github.com/acme/shop/log', 'internal/poll', 'net/http'].map(
    (module) => ({
      function: 'Run',
      module,
      abs_path: `/home/ci/shop/go/src/${module.replace(/^.*shop./, '')}/run.go`,
    }),
  )
  expect(own('go', frames)).toEqual([true, true, false, false])
})

test('a frame of Go that the SDK refuses stays so in a build that names the toolchain', () => {
  const path = '/src/third_party/go/queue/queue.go'
  const frames = [
    { function: 'goexit', module: 'runtime', abs_path: '/usr/local/go/src/runtime/asm_amd64.s', in_app: false },
    { function: 'Run', module: 'shop/third_party/go/queue', abs_path: path, in_app: false },
  ]
  expect(own('go', frames)).toEqual([false, false])
})

describe('a crate from the registry of Cargo', () => {
  const crate = (home: string) => `${home}/registry/src/index.crates.io-6f17d22bba15001f/axum-0.7.5/src/handler.rs`
  const frames = (home: string, said: boolean[]) => [
    { function: 'std::rt::lang_start', in_app: false },
    { function: 'axum::call', package: 'axum', filename: 'handler.rs', abs_path: crate(home), in_app: said[0] },
    { function: 'shop::pay', package: 'shop', filename: 'pay.rs', abs_path: '/build/src/pay.rs', in_app: said[1] },
  ]

  test.each(['/root/.cargo', '/usr/local/cargo'])('is not the team’s where the SDK marks everything (%s)', (home) => {
    expect(own('native', frames(home, [true, true]))).toEqual([false, false, true])
    expect(own('native', frames(home, []))).toEqual([false, false, true])
  })

  test('is the team’s where it was included by hand, which leaves the others unmarked', () => {
    expect(own('native', frames('/root/.cargo', [true]))).toEqual([false, true, false])
  })
})

/** A frame as the Python SDK 1.9 sends it: every one is marked, with paths relative to the folder of the program or package. */
const marked = (filename: string, abs_path: string, name: string) => ({
  filename,
  abs_path,
  module: filename.replace(/\.py$/, '').replaceAll('/', '.'),
  function: name,
  in_app: true,
})

test('an SDK for Python that marks every frame makes neither packages nor the standard library the team’s', () => {
  const http = [
    marked('web.py', '/srv/shop/web.py', 'up'),
    marked('urllib3/poolmanager.py', '/usr/lib/python3/dist-packages/urllib3/poolmanager.py', 'urlopen'),
    marked('six.py', '/usr/lib/python3/dist-packages/six.py', 'reraise'),
    marked('http/client.py', '/usr/lib/python3.11/http/client.py', 'send'),
    marked('<string>', '<string>', '__init__'),
  ]
  expect(own('python', http)).toEqual([true, false, false, false, false])
  const json = [
    marked('ledger/reader.py', '/srv/shop/ledger/reader.py', 'read'),
    marked('__init__.py', '/usr/lib/python3.11/json/__init__.py', 'loads'),
    marked('json/decoder.py', '/usr/lib/python3.11/json/decoder.py', 'raw_decode'),
  ]
  expect(own('python', json)).toEqual([true, false, false])
  // A module of the team with the name of one of Python's is where the team's code is.
  expect(own('python', [marked('queue/consumer.py', '/srv/shop/queue/consumer.py', 'take')])).toEqual([true])
})

test.each<[name: string, platform: string, frames: Sent[], culprit: string]>([
  [
    'Python json.loads',
    'python',
    [
      { function: 'handle', module: 'shop.api', filename: 'shop/api.py', abs_path: '/srv/shop/api.py', in_app: true },
      {
        function: 'loads',
        module: 'json',
        filename: 'json/__init__.py',
        abs_path: '/usr/lib/python3.12/json/__init__.py',
      },
      {
        function: 'raw_decode',
        module: 'json.decoder',
        filename: 'json/decoder.py',
        abs_path: '/usr/lib/python3.12/json/decoder.py',
      },
    ],
    'handle (shop/api.py)',
  ],
  [
    'Java Optional.get',
    'java',
    [
      { function: 'run', module: 'java.lang.Thread', filename: 'Thread.java' },
      { function: 'charge', module: 'com.acme.pay.Gateway', filename: 'Gateway.java' },
      { function: 'get', module: 'java.util.Optional', filename: 'Optional.java', lineno: 377 },
    ],
    'charge (Gateway.java)',
  ],
])('the culprit of %s is the frame of the team', (_, platform, frames, culprit) => {
  expect(groupEvent(read(platform, frames)).culprit).toBe(culprit)
})

test('a new version of the runtime does not split an issue', () => {
  const hash = (inner: string) =>
    groupEvent(
      read('java', [
        { function: 'charge', module: 'com.acme.pay.Gateway' },
        { function: inner, module: 'java.util.Optional' },
      ]),
    ).hash
  expect(hash('get')).toBe(hash('orElseThrow'))
})

test('functions of the engine and files of browser extensions are not the team’s, though SDKs for browsers say so', () => {
  const frames = ['https://shop.example/app.js', '<anonymous>', '[native code]', 'chrome-extension://abc/inject.js']
  expect(
    own(
      'javascript',
      frames.map((filename) => ({ function: 'encodeURIComponent', filename, in_app: true })),
    ),
  ).toEqual([true, false, false, false])
})
