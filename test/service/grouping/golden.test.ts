import { expect, test } from 'vitest'
import { groupEvent } from '../../../src/service/grouping/index.ts'
import type { GroupingResult, NormalEvent } from '../../../src/service/ingest/event.ts'
import { crash, event, exception, frame, stack, thread } from './events.ts'

interface Case {
  name: string
  event: NormalEvent
  basis: GroupingResult['basis']
  title: string
  culprit?: string
  /** Events of the same issue. */
  joins?: NormalEvent[]
  /** Events of other issues. */
  apart?: NormalEvent[]
}

const python: Partial<NormalEvent> = { platform: 'python', sdk: { name: 'sentry.python', version: '1.9.10' } }
const browser: Partial<NormalEvent> = {
  platform: 'javascript',
  sdk: { name: 'sentry.javascript.browser', version: '11.11.0' },
}
const ruby: Partial<NormalEvent> = { platform: 'ruby', sdk: { name: 'sentry.ruby', version: '5.0.0' } }
const php: Partial<NormalEvent> = { platform: 'php', sdk: { name: 'sentry.php', version: '4.0.0' } }
const java: Partial<NormalEvent> = { platform: 'java', sdk: { name: 'sentry.java', version: '8.0.0' } }

const nodeFrames = (line: string, lineno = 20) =>
  stack(
    { function: 'processTicksAndRejections', filename: 'node:internal/process/task_queues', in_app: false },
    { function: 'next', filename: '/srv/node_modules/express/lib/router.js', in_app: true },
    { function: 'Checkout.pay', module: 'checkout', filename: '/srv/dist/checkout.js', lineno, context_line: line },
  )

const inBrowser = (names: string[], file: string) =>
  names.map((name) =>
    frame({
      function: name,
      filename: `https://shop.example/assets/${file}`,
      abs_path: `https://shop.example/assets/${file}`,
    }),
  )

const mapped = (name: string, line: string) =>
  stack({
    function: name,
    filename: 'src/cart/cart.ts',
    abs_path: 'webpack://shop/./src/cart/cart.ts',
    context_line: line,
    symbolicated: true,
  })

const chain = (cause: string, causeFunction = 'query@db.js') =>
  event({
    exceptions: [
      exception({
        type: cause,
        value: 'timeout',
        frames: stack(causeFunction),
        mechanism: { exception_id: 1, parent_id: 0, source: 'cause' },
      }),
      exception({
        type: 'OrderError',
        value: 'order 7 failed',
        frames: stack('place@order.js', 'wrap@errors.js'),
        mechanism: { exception_id: 0 },
      }),
    ],
  })

const aggregate = (...types: string[]) => {
  const errors = types.map((type, index) =>
    exception({
      type,
      value: `peer ${String(index)}`,
      frames: stack(`ask${type}@peers.js`),
      mechanism: { exception_id: index + 1, parent_id: 0, source: `errors[${String(index)}]` },
    }),
  )
  const group = exception({
    type: 'AggregateError',
    value: 'all failed',
    frames: stack('any@peers.js'),
    mechanism: { exception_id: 0, is_exception_group: true },
  })
  return event({ exceptions: [...errors.toReversed(), group] })
}

const captured = (value: string, name = 'checkStock@stock.js') =>
  event({
    level: 'warning',
    message: value,
    exceptions: [exception({ type: '', value, frames: stack('main@main.js', name), mechanism: { synthetic: true } })],
  })

const cases: Case[] = [
  {
    name: 'a crash in Node',
    event: crash('TypeError', "reading 'total'", nodeFrames('return cart.total')),
    basis: 'stack',
    title: "TypeError: reading 'total'",
    culprit: 'pay (/srv/dist/checkout.js)',
    joins: [crash('TypeError', 'another engine says it otherwise', nodeFrames('  return   cart.total', 93))],
    apart: [
      crash('RangeError', "reading 'total'", nodeFrames('return cart.total')),
      crash('TypeError', "reading 'total'", nodeFrames('return order.total')),
    ],
  },
  {
    name: 'a module of Node beside the same file without module',
    event: crash('Error', 'x', stack({ function: 'handle', filename: '/srv/dist/A.js' })),
    basis: 'stack',
    title: 'Error: x',
    joins: [
      crash(
        'Error',
        'y',
        stack({ function: 'handle', filename: '/other/a.js', module: 'dist/a', abs_path: '/srv/dist/a.js' }),
      ),
    ],
  },
  {
    name: 'a bundle whose name changes each build',
    event: crash('Error', 'x', stack('load@/srv/dist/chunk-ABCD1234.js', 'run@/srv/dist/main.4f3a2b1c.js')),
    basis: 'stack',
    title: 'Error: x',
    culprit: 'run (/srv/dist/main.4f3a2b1c.js)',
    joins: [crash('Error', 'x', stack('load@/srv/dist/chunk-QRSTUVWX.js', 'run@/srv/dist/main.00aa11bb.js'))],
    apart: [crash('Error', 'x', stack('load@/srv/dist/chunk-ABCD1234.js', 'run@/srv/dist/worker.4f3a2b1c.js'))],
  },
  {
    name: 'Chrome',
    event: crash(
      'TypeError',
      'x is undefined',
      inBrowser(['?', 'HTMLButtonElement.<anonymous>', 'async Cart.add', 'new Price'], 'main.js'),
      browser,
    ),
    basis: 'stack',
    title: 'TypeError: x is undefined',
    culprit: 'Price (/assets/main.js)',
    joins: [
      crash(
        'TypeError',
        "can't access property",
        inBrowser(['init/<', '', 'async*add', 'Price'], 'main.js?v=2'),
        browser,
      ),
      crash('TypeError', 'safari', inBrowser(['global code', 'add', 'Price'], 'main.99aa00bb.js'), browser),
    ],
    apart: [crash('TypeError', 'x is undefined', inBrowser(['Cart.remove', 'new Price'], 'main.js'), browser)],
  },
  {
    name: 'frames of the engine',
    event: crash(
      'Error',
      'x',
      [
        ...inBrowser(['sum'], 'm.js'),
        frame({ function: 'Array.map', filename: '<anonymous>' }),
        ...inBrowser(['each'], 'm.js'),
      ],
      browser,
    ),
    basis: 'stack',
    title: 'Error: x',
    joins: [
      crash(
        'Error',
        'x',
        [
          ...inBrowser(['sum'], 'm.js'),
          frame({ function: 'map', filename: '[native code]' }),
          ...inBrowser(['each'], 'm.js'),
        ],
        browser,
      ),
      crash('Error', 'x', inBrowser(['sum', 'each'], 'm.js'), browser),
      crash('Error', 'x', inBrowser(['sum', 'eval', 'each'], 'm.js'), browser),
    ],
  },
  {
    name: 'minified code without a map and without names',
    event: crash('TypeError', 'id 5 is gone', inBrowser(['?', '<anonymous>'], 'a.js'), browser),
    basis: 'value',
    title: 'TypeError: id 5 is gone',
    culprit: '/assets/a.js',
    joins: [crash('TypeError', 'id 6 is gone', inBrowser(['?'], 'b.js'), browser)],
    apart: [crash('TypeError', 'cart is gone', inBrowser(['?', '<anonymous>'], 'a.js'), browser)],
  },
  {
    name: 'after symbolication',
    event: crash('TypeError', 'x', mapped('add', 'items.push(item)'), browser),
    basis: 'stack',
    title: 'TypeError: x',
    culprit: 'add (src/cart/cart.ts)',
    joins: [crash('TypeError', 'x', mapped('Cart.addItem', 'items.push(item)'), browser)],
    apart: [crash('TypeError', 'x', mapped('add', 'items.pop()'), browser)],
  },
  {
    name: 'after symbolication without a source line',
    event: crash('TypeError', 'x', mapped('add', ''), browser),
    basis: 'stack',
    title: 'TypeError: x',
    joins: [crash('TypeError', 'x', mapped('add', 'x'.repeat(121)), browser)],
    apart: [crash('TypeError', 'x', mapped('remove', ''), browser)],
  },
  {
    name: 'a chained cause',
    event: chain('PgError'),
    basis: 'stack',
    title: 'OrderError: order 7 failed',
    culprit: 'wrap (errors.js)',
    joins: [chain('PgError')],
    apart: [chain('RedisError'), chain('PgError', 'connect@db.js')],
  },
  {
    name: 'an AggregateError of equal errors',
    event: aggregate('Net', 'Net'),
    basis: 'stack',
    title: 'Net: peer 0',
    culprit: 'askNet (peers.js)',
    joins: [aggregate('Net', 'Net', 'Net', 'Net'), crash('Net', 'alone', stack('askNet@peers.js'))],
    apart: [aggregate('Net', 'Disk')],
  },
  {
    name: 'an AggregateError of different errors',
    event: aggregate('Net', 'Disk'),
    basis: 'stack',
    title: 'AggregateError: all failed',
    culprit: 'any (peers.js)',
    joins: [aggregate('Disk', 'Net', 'Net')],
  },
  {
    name: 'recursion',
    event: crash('RangeError', 'Maximum call stack', stack('main@a.js', 'walk@a.js', 'walk@a.js', 'walk@a.js')),
    basis: 'stack',
    title: 'RangeError: Maximum call stack',
    joins: [
      crash('RangeError', 'Maximum call stack', stack('main@a.js', ...Array.from({ length: 50 }, () => 'walk@a.js'))),
    ],
  },
  {
    name: 'mutual recursion',
    event: crash('RangeError', 'deep', stack('main@a.js', 'even@a.js', 'odd@a.js', 'even@a.js', 'odd@a.js')),
    basis: 'stack',
    title: 'RangeError: deep',
    joins: [
      crash(
        'RangeError',
        'deep',
        stack('main@a.js', ...Array.from({ length: 20 }, () => ['even@a.js', 'odd@a.js']).flat()),
      ),
    ],
    apart: [crash('RangeError', 'deep', stack('main@a.js', 'odd@a.js'))],
  },
  {
    name: 'captureMessage with the stack the SDK adds',
    event: captured('stock of 5 is low'),
    basis: 'stack',
    title: 'stock of 5 is low',
    culprit: 'checkStock (stock.js)',
    joins: [captured('stock of 8 is low')],
    apart: [captured('stock of 5 is low', 'checkPrice@stock.js')],
  },
  {
    name: 'a message of the console',
    event: event({
      message: 'retry 3 of job 019ab3c4-7d3e-7b1c-9f00-2d5a0c6b8e11',
      logger: 'console',
      transaction: 'GET /cart',
    }),
    basis: 'message',
    title: 'retry 3 of job 019ab3c4-7d3e-7b1c-9f00-2d5a0c6b8e11',
    culprit: 'GET /cart',
    joins: [event({ message: 'retry 4 of job 77777777-7d3e-7b1c-9f00-2d5a0c6b8e11' })],
    apart: [event({ message: 'retry of job' })],
  },
  {
    name: 'a template of Python’s logging',
    event: event({
      ...python,
      message: 'user ann failed',
      message_template: 'user %s failed',
      message_params: ['ann'],
    }),
    basis: 'message',
    title: 'user ann failed',
    joins: [
      event({ ...python, message: 'user bob failed', message_template: 'user %s failed', message_params: ['bob'] }),
    ],
    apart: [event({ ...python, message: 'user ann failed', message_template: '%s failed' })],
  },
  {
    name: 'Python frames',
    event: crash(
      'KeyError',
      "'sku'",
      stack({ function: 'add', module: 'shop.cart', filename: 'shop/cart.py', context_line: '    item = items[sku]' }),
      python,
    ),
    basis: 'stack',
    title: "KeyError: 'sku'",
    culprit: 'add (shop/cart.py)',
    joins: [
      crash(
        'KeyError',
        "'abc'",
        stack({
          function: 'add',
          module: 'shop.cart',
          filename: '/srv/shop/cart.py',
          lineno: 99,
          context_line: 'item = items[sku]',
        }),
        python,
      ),
    ],
    apart: [
      crash(
        'KeyError',
        "'sku'",
        stack({ function: 'add', module: 'shop.order', filename: 'shop/cart.py', context_line: 'item = items[sku]' }),
        python,
      ),
    ],
  },
  {
    name: 'an exception without a stack',
    event: crash('ValueError', 'bad id 12\nsecond 3\nthird', [], python),
    basis: 'value',
    title: 'ValueError: bad id 12 second 3 third',
    joins: [crash('ValueError', 'bad id 13\nsecond 4\nfourth', [], python)],
    apart: [crash('ValueError', 'bad name', [], python)],
  },
  {
    name: 'Ruby blocks and compiled templates',
    event: crash(
      'NoMethodError',
      'nil',
      stack(
        { function: 'block (2 levels) in index', filename: 'app/carts.rb' },
        { function: '_app_views_cart_erb__2841234_70123', filename: 'app/views/cart.erb' },
      ),
      ruby,
    ),
    basis: 'stack',
    title: 'NoMethodError: nil',
    culprit: '_app_views_cart_erb (app/views/cart.erb)',
    joins: [
      crash(
        'NoMethodError',
        'nil',
        stack(
          { function: 'index', filename: 'app/carts.rb' },
          { function: '_app_views_cart_erb___98_5', filename: 'app/views/cart.erb' },
        ),
        ruby,
      ),
    ],
  },
  {
    name: 'PHP closures and anonymous classes',
    event: crash(
      'Error',
      'null',
      stack(
        { function: 'class@anonymous/app/src/Cart.php:12$0::handle', filename: '/app/src/Cart.php' },
        { function: '{closure:App\\Cart::add():42}', filename: '/app/src/Cart.php' },
      ),
      php,
    ),
    basis: 'stack',
    title: 'Error: null',
    joins: [
      crash(
        'Error',
        'null',
        stack(
          { function: 'class@anonymous/srv/src/Cart.php:14$3f::handle', filename: '/srv/src/Cart.php' },
          { function: '{closure:App\\Cart::add():57}', filename: '/srv/src/Cart.php' },
        ),
        php,
      ),
    ],
  },
  {
    name: 'Java proxies and lambdas',
    event: crash(
      'java.lang.NullPointerException',
      'null',
      stack(
        { function: 'lambda$place$0', module: 'com.shop.Cart' },
        { function: 'place', module: 'com.shop.Cart$$EnhancerBySpringCGLIB$$1a2b3c' },
        { function: 'invoke', module: 'sun.reflect.GeneratedMethodAccessor12' },
        { function: 'pay', module: 'jdk.proxy2.$Proxy45' },
      ),
      java,
    ),
    basis: 'stack',
    title: 'java.lang.NullPointerException: null',
    culprit: 'pay (jdk.proxy2.$Proxy45)',
    joins: [
      crash(
        'java.lang.NullPointerException',
        'null',
        stack(
          { function: 'lambda$place$7', module: 'com.shop.Cart' },
          { function: 'place', module: 'com.shop.Cart$$EnhancerBySpringCGLIB$$99ff' },
          { function: 'invoke', module: 'sun.reflect.GeneratedMethodAccessor7' },
          { function: 'pay', module: 'jdk.proxy2.$Proxy2' },
        ),
        java,
      ),
    ],
    apart: [crash('java.lang.NullPointerException', 'null', stack({ function: 'pay', module: 'com.shop.Pay' }), java)],
  },
  {
    name: 'a crashed thread',
    event: event({
      platform: 'native',
      threads: [
        thread({ current: true, frames: stack('idle@loop.c') }),
        thread({ crashed: true, frames: stack('parse@json.c') }),
      ],
    }),
    basis: 'stack',
    title: 'error without message (native)',
    culprit: 'parse (json.c)',
    joins: [event({ platform: 'native', threads: [thread({ crashed: true, frames: stack('parse@json.c') })] })],
    apart: [event({ platform: 'native', threads: [thread({ current: true, frames: stack('idle@loop.c') })] })],
  },
  {
    name: 'frames none of which is the team’s',
    event: crash('Error', 'x', stack({ function: 'read', filename: 'fs.js', in_app: false })),
    basis: 'stack',
    title: 'Error: x',
    culprit: 'read (fs.js)',
    joins: [crash('Error', 'y', stack({ function: 'read', filename: '/usr/fs.js', in_app: false }))],
    apart: [crash('Error', 'x', stack({ function: 'write', filename: 'fs.js', in_app: false }))],
  },
  {
    name: 'a fingerprint of the SDK',
    event: crash('Error', 'x', stack('a@a.js'), { fingerprint: ['payment', 'declined'] }),
    basis: 'fingerprint',
    title: 'Error: x',
    joins: [event({ message: 'other', fingerprint: ['payment', 'declined'] })],
    apart: [
      crash('Error', 'x', stack('a@a.js'), { fingerprint: ['paymentdeclined'] }),
      crash('Error', 'x', stack('a@a.js')),
    ],
  },
  {
    name: 'a fingerprint that adds to the default',
    event: crash('Error', 'x', stack('a@a.js'), { fingerprint: ['{{ default }}', 'eu'] }),
    basis: 'hybrid',
    title: 'Error: x',
    joins: [crash('Error', 'y', stack('a@b/a.js'), { fingerprint: ['{{default}}', 'eu'] })],
    apart: [
      crash('Error', 'x', stack('a@a.js'), { fingerprint: ['{{ default }}', 'us'] }),
      crash('Error', 'x', stack('b@a.js'), { fingerprint: ['{{ default }}', 'eu'] }),
    ],
  },
  {
    name: 'a fingerprint that is only the default',
    event: crash('Error', 'x', stack('a@a.js'), { fingerprint: ['{{ default }}'] }),
    basis: 'stack',
    title: 'Error: x',
    joins: [crash('Error', 'x', stack('a@a.js')), crash('Error', 'x', stack('a@a.js'), { fingerprint: [''] })],
  },
  {
    name: 'a fingerprint that repeats the message',
    event: crash('Error', 'user 5 is gone', stack('a@a.js'), { fingerprint: ['user 5 is gone'] }),
    basis: 'fingerprint',
    title: 'Error: user 5 is gone',
    joins: [crash('Error', 'user 6 is gone', stack('b@b.js'), { fingerprint: ['user 6 is gone'] })],
  },
  {
    name: 'nothing at all',
    event: event({ logger: 'worker' }),
    basis: 'fallback',
    title: 'error without message (worker)',
    culprit: '',
    joins: [event({ logger: 'worker', timestamp: 1 })],
    apart: [event({ logger: 'web' }), event({ logger: 'worker', level: 'fatal' })],
  },
]

const explained = new Set([
  'a fingerprint of the SDK',
  'a fingerprint that adds to the default',
  'a message of the console',
  'nothing at all',
  'an AggregateError of equal errors',
  'minified code without a map and without names',
  'a crashed thread',
  'frames none of which is the team’s',
])

test.each(cases)('$name', ({ event: given, basis, title, culprit = expect.any(String), joins = [], apart = [] }) => {
  const result = groupEvent(given)
  expect(result).toMatchObject({
    algorithm: 'tracegate-1',
    basis,
    title,
    culprit,
    hash: expect.stringMatching(/^[0-9a-f]{32}$/),
  })
  for (const other of joins) expect(groupEvent(other).hash).toBe(result.hash)
  for (const other of apart) {
    const { hash, other_hashes } = groupEvent(other)
    expect([result.hash, ...result.other_hashes].filter((known) => [hash, ...other_hashes].includes(known))).toEqual([])
  }
})

test('no two of these issues share a hash unless their case says so', () => {
  const hashes = cases.filter(({ basis }) => basis !== 'hybrid').map(({ event: given }) => groupEvent(given).hash)
  expect(new Set(hashes).size).toBe(hashes.length)
})

test('the hash of a known event stays the same from version to version', () => {
  const { hash } = groupEvent(crash('TypeError', 'x', stack('main@main.js', 'pay@src/Pay.js')))
  expect(hash).toMatchInlineSnapshot(`"4695dec5e983c5f7b47d5e1065d0a2a1"`)
})

test('the explanation says which exceptions and frames count and what was left out', () => {
  const given = crash('TypeError', "reading 'total'", [...nodeFrames('a'), ...nodeFrames('a').slice(-1)])
  expect(groupEvent(given)).toMatchInlineSnapshot(`
    {
      "algorithm": "tracegate-1",
      "basis": "stack",
      "culprit": "pay (/srv/dist/checkout.js)",
      "explanation": [
        "Exceptions, cause first: TypeError.",
        "In-app frames that count: 1; nearest to the crash: pay (/srv/dist/checkout.js)",
        "Frames left out: 2 not in-app; 1 recursion: repeats the frames before it.",
      ],
      "frames": [
        {
          "exception_index": 0,
          "index": 0,
          "reason": "not in-app",
          "role": "ignored",
        },
        {
          "exception_index": 0,
          "index": 1,
          "reason": "not in-app",
          "role": "ignored",
        },
        {
          "exception_index": 0,
          "index": 2,
          "reason": "",
          "role": "contributes",
        },
        {
          "exception_index": 0,
          "index": 3,
          "reason": "recursion: repeats the frames before it",
          "role": "ignored",
        },
      ],
      "hash": "509b30c6dc404f6c9e2eb13506147ac1",
      "other_hashes": [
        "7c90f6067c8fc8aa3f30364b99433c74",
      ],
      "title": "TypeError: reading 'total'",
      "type": "TypeError",
      "value": "reading 'total'",
    }
  `)
})

test('explanations are short and say what decided', () => {
  const explanations = cases
    .filter(({ name }) => explained.has(name))
    .map(({ name, event: given }) => [name, groupEvent(given).explanation])
  expect(Object.fromEntries(explanations)).toMatchInlineSnapshot(`
    {
      "a crashed thread": [
        "In-app frames that count: 1; nearest to the crash: parse (json.c)",
      ],
      "a fingerprint of the SDK": [
        "The SDK's fingerprint decides: "payment", "declined".",
      ],
      "a fingerprint that adds to the default": [
        "The SDK's fingerprint "{{ default }}", "eu" counts, {{ default }} in it being:",
        "Exceptions, cause first: Error.",
        "In-app frames that count: 1; nearest to the crash: a (a.js)",
      ],
      "a message of the console": [
        "No exception and no stack; the message counts: retry <int> of job <uuid>",
      ],
      "an AggregateError of equal errors": [
        "Exceptions, cause first: Net.",
        "2 equal or grouping exceptions of an exception group do not count.",
        "In-app frames that count: 1; nearest to the crash: askNet (peers.js)",
      ],
      "frames none of which is the team’s": [
        "Exceptions, cause first: Error.",
        "Frames that count, where none is in-app all of a stack: 1; nearest to the crash: read (fs.js)",
      ],
      "minified code without a map and without names": [
        "Exceptions, cause first: TypeError.",
        "No frame counts, so the exception values do, with ids and numbers masked.",
      ],
      "nothing at all": [
        "Neither exception, stack nor message; platform, level and logger count.",
      ],
    }
  `)
})
