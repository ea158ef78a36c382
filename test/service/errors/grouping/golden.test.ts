import { expect, test } from 'vitest'
import { groupEvent, readFrameRoles } from '../../../../src/service/errors/grouping/index.ts'
import type { GroupingResult, NormalEvent } from '../../../../src/service/errors/event/event.ts'
import { crash, event, exception, frame, stack, thread } from './events.ts'
import { IssueBook } from './issue-book.ts'

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
const native: Partial<NormalEvent> = { platform: 'native', sdk: { name: 'sentry.native', version: '0.7.0' } }
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
    name: 'minified code without a map and without names, in the words of an engine',
    event: crash('TypeError', "Cannot read properties of null (reading 'sku')", inBrowser(['?'], 'a.js'), browser),
    basis: 'value',
    title: "TypeError: Cannot read properties of null (reading 'sku')",
    joins: [
      crash('TypeError', 'can\'t access property "sku", e is null', inBrowser(['?'], 'a.js'), browser),
      crash('TypeError', "null is not an object (evaluating 'n.sku')", inBrowser([''], 'a.js'), browser),
    ],
    apart: [
      crash('TypeError', "Cannot read properties of null (reading 'id')", inBrowser(['?'], 'a.js'), browser),
      crash('TypeError', "Cannot read properties of undefined (reading 'sku')", inBrowser(['?'], 'a.js'), browser),
    ],
  },
  {
    name: 'minified code without a map, with the names a minifier gave',
    event: crash('TypeError', 'x', inBrowser(['t', 'n'], 'app-UDWDYEYW.js'), browser),
    basis: 'stack',
    title: 'TypeError: x',
    culprit: 'n (/assets/app-UDWDYEYW.js)',
    joins: [crash('TypeError', 'y', inBrowser(['async e.t', 'new n'], 'app-UDWDYEYW.js?v=2'), browser)],
    apart: [
      crash('TypeError', 'x', inBrowser(['n', 't'], 'app-UDWDYEYW.js'), browser),
      crash('TypeError', 'y', inBrowser(['t', 'n'], 'app-GP3VKLUT.js'), browser),
    ],
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
    name: 'after symbolication, indented anew, moved down and into another folder',
    event: crash('TypeError', 'x', mapped('add', 'items.push( item )'), browser),
    basis: 'stack',
    title: 'TypeError: x',
    joins: [
      crash(
        'TypeError',
        'x',
        mapped('add', '\t\titems.push(  item )').map((one) => ({
          ...one,
          filename: 'packages/shop/src/cart.ts',
          abs_path: 'webpack://shop/./packages/shop/src/cart.ts',
          lineno: 400,
        })),
        browser,
      ),
    ],
    apart: [
      crash(
        'TypeError',
        'x',
        mapped('add', 'items.push( item )').map((one) => ({ ...one, filename: 'src/cart/order.ts' })),
        browser,
      ),
    ],
  },
  {
    name: 'after symbolication, through packages',
    event: crash(
      'TypeError',
      'x',
      [
        ...mapped('add', 'items.map(price)'),
        frame({
          function: 'map',
          filename: 'node_modules/lodash/map.js',
          abs_path: 'webpack:///node_modules/lodash/map.js',
          symbolicated: true,
        }),
      ],
      browser,
    ),
    basis: 'stack',
    title: 'TypeError: x',
    culprit: 'add (src/cart/cart.ts)',
    joins: [
      crash(
        'TypeError',
        'x',
        [
          ...mapped('add', 'items.map(price)'),
          frame({
            function: 'each',
            filename: 'lodash/each.js',
            abs_path: 'webpack:///./~/lodash/each.js',
            symbolicated: true,
          }),
        ],
        browser,
      ),
    ],
  },
  {
    name: 'after symbolication, on lines of brackets',
    event: crash('TypeError', 'x', mapped('drop', '});'), browser),
    basis: 'stack',
    title: 'TypeError: x',
    joins: [crash('TypeError', 'x', mapped('drop', '})'), browser)],
    apart: [crash('TypeError', 'x', mapped('remove', '});'), browser)],
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
    title: 'AggregateError: all failed',
    culprit: 'any (peers.js)',
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
    apart: [captured('stock of 5 is low', 'checkPrice@stock.js'), captured('price of 5 is low')],
  },
  {
    name: 'a message with a template and the stack of the logger',
    event: { ...captured('stock of Assam is low'), message_template: 'stock of %s is low' },
    basis: 'stack',
    title: 'stock of Assam is low',
    joins: [{ ...captured('stock of Darjeeling is low'), message_template: 'stock of %s is low' }],
    apart: [
      { ...captured('stock of Assam is low'), message_template: '%s is low' },
      captured('stock of Assam is gone'),
    ],
  },
  {
    name: 'a message of Python with the stack of the thread',
    event: event({ ...python, message: 'cache is cold', threads: [thread({ frames: stack('log@app/log.py') })] }),
    basis: 'stack',
    title: 'cache is cold',
    culprit: 'log (app/log.py)',
    apart: [event({ ...python, message: 'disk is full', threads: [thread({ frames: stack('log@app/log.py') })] })],
  },
  {
    name: 'a value that is no error',
    event: crash('Error', 'Object captured as exception with keys: code', stack('send@pay.js')),
    basis: 'stack',
    title: 'Error: Object captured as exception with keys: code',
    joins: [crash('Error', 'Object captured as exception with keys: status', stack('send@pay.js'))],
  },
  {
    name: 'a native crash, whose value is an address',
    event: event({
      ...native,
      exceptions: [
        exception({
          type: 'SIGSEGV',
          value: 'null page',
          frames: stack('parse@xml.c'),
          mechanism: { synthetic: true },
        }),
      ],
    }),
    basis: 'stack',
    title: 'null page',
    joins: [
      event({
        ...native,
        exceptions: [
          exception({
            type: 'SIGSEGV',
            value: 'bad page',
            frames: stack('parse@xml.c'),
            mechanism: { synthetic: true },
          }),
        ],
      }),
    ],
  },
  {
    name: 'a failure of JSON.parse',
    event: crash(
      'SyntaxError',
      'Unexpected end of JSON input',
      [...inBrowser(['loadCart'], 'main.js'), frame({ function: 'JSON.parse', filename: '<anonymous>' })],
      browser,
    ),
    basis: 'stack',
    title: 'SyntaxError: Unexpected end of JSON input',
    culprit: 'loadCart (/assets/main.js)',
    joins: [crash('SyntaxError', 'JSON.parse: unexpected end of data', inBrowser(['loadCart'], 'main.js'), browser)],
  },
  {
    name: 'promises that wait for several',
    event: crash(
      'Error',
      'x',
      [
        ...inBrowser(['async quoteAll'], 'main.js'),
        frame({ function: 'async Promise.all', filename: 'index 2' }),
        ...inBrowser(['quote'], 'main.js'),
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
          ...inBrowser(['async quoteAll'], 'main.js'),
          frame({ function: 'async Promise.all', filename: 'index 0' }),
          ...inBrowser(['quote'], 'main.js'),
        ],
        browser,
      ),
    ],
  },
  {
    name: 'modules of webpack, which it wraps in functions of their name or number',
    event: crash('ReferenceError', 'x', inBrowser(['Object.491', 'cartTotal'], 'main.js'), browser),
    basis: 'stack',
    title: 'ReferenceError: x',
    joins: [crash('ReferenceError', 'x', inBrowser(['207', 'cartTotal'], 'main.js'), browser)],
    apart: [crash('ReferenceError', 'x', inBrowser(['Module../src/cart.js', 'cartTotal'], 'main.js'), browser)],
  },
  {
    name: 'a stack overflow, for which Firefox has a type of its own',
    event: crash('RangeError', 'Maximum call stack size exceeded', inBrowser(['walk', 'walk'], 'main.js'), browser),
    basis: 'stack',
    title: 'RangeError: Maximum call stack size exceeded',
    joins: [crash('InternalError', 'too much recursion', inBrowser(['walk', 'walk', 'walk'], 'main.js'), browser)],
    apart: [crash('InternalError', 'allocation size overflow', inBrowser(['walk'], 'main.js'), browser)],
  },
  {
    name: 'an error class without a name of its own',
    event: crash('Xt', 'x', inBrowser(['t', 'placeOrder'], 'app-UDWDYEYW.js'), browser),
    basis: 'stack',
    title: 'Xt: x',
    joins: [crash('Qe', 'x', inBrowser(['t', 'placeOrder'], 'app-UDWDYEYW.js'), browser)],
    apart: [crash('OrderError', 'x', inBrowser(['t', 'placeOrder'], 'app-UDWDYEYW.js'), browser)],
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
          { function: 'block in show', filename: 'app/carts.rb' },
          { function: '_app_views_cart_erb__98761_50102', filename: 'app/views/cart.erb' },
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
  'minified code without a map, with the names a minifier gave',
  'captureMessage with the stack the SDK adds',
  'an AggregateError of different errors',
  'a chained cause',
  'after symbolication',
  'a crashed thread',
  'frames none of which is the team’s',
])

test.each(cases)(
  '$name',
  async ({ event: given, basis, title, culprit = expect.any(String), joins = [], apart = [] }) => {
    const result = groupEvent(given)
    expect(result).toMatchObject({
      algorithm: 'tracegate-1',
      basis,
      title,
      culprit,
      hash: expect.stringMatching(/^[0-9a-f]{32}$/),
    })
    expect(readFrameRoles(given)).toEqual(result.frames)
    for (const other of joins) expect(groupEvent(other).hash).toBe(result.hash)
    for (const other of apart) {
      expect(await isJoined(given, other)).toBe(false)
      expect(await isJoined(other, given)).toBe(false)
    }
  },
)

/** Whether the second event gets the issue that the first one made. */
async function isJoined(first: NormalEvent, second: NormalEvent): Promise<boolean> {
  const book = new IssueBook()
  return (await book.issueOf(groupEvent(first))) === (await book.issueOf(groupEvent(second)))
}

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
        "Exception: TypeError.",
        "1 in-app frame counts, nearest to the crash first: pay (/srv/dist/checkout.js).",
        "Frames left out: 2 not in-app; 1 recursion: repeats the frames before it.",
        "All frames lead here too: an SDK may mark none as in-app.",
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
      "loose_hashes": [],
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
      "a chained cause": [
        "Exceptions, cause first: PgError, OrderError.",
        "3 in-app frames count, nearest to the crash first: wrap (errors.js), place (order.js), query (db.js).",
      ],
      "a crashed thread": [
        "1 in-app frame counts, nearest to the crash first: parse (json.c).",
      ],
      "a fingerprint of the SDK": [
        "The SDK's fingerprint decides: "payment", "declined".",
      ],
      "a fingerprint that adds to the default": [
        "The SDK's fingerprint "{{ default }}", "eu" counts, {{ default }} in it being:",
        "Exception: Error.",
        "1 in-app frame counts, nearest to the crash first: a (a.js).",
      ],
      "a message of the console": [
        "No exception and no stack: the message counts, ids and numbers masked: retry <int> of job <uuid>",
      ],
      "after symbolication": [
        "Exception: TypeError.",
        "1 in-app frame counts, nearest to the crash first: add (src/cart/cart.ts).",
        "In 1 symbolicated frame the source line counts, and not the name of the function, which the map only suggests.",
      ],
      "an AggregateError of different errors": [
        "Exceptions, cause first: Net, Disk, AggregateError.",
        "The group holds 1 Disk, 1 Net.",
        "3 in-app frames count, nearest to the crash first: any (peers.js), askNet (peers.js), askDisk (peers.js).",
      ],
      "an AggregateError of equal errors": [
        "Exception: Net.",
        "The group holds 2 Net; 2 equal or grouping exceptions do not count.",
        "1 in-app frame counts, nearest to the crash first: askNet (peers.js).",
      ],
      "captureMessage with the stack the SDK adds": [
        "Exception: (no type).",
        "The stack only shows where this was said, so the text counts too: stock of <int> is low",
        "2 in-app frames count, nearest to the crash first: checkStock (stock.js), main (main.js).",
      ],
      "frames none of which is the team’s": [
        "Exception: Error.",
        "1 frame counts (none is in-app), nearest to the crash first: read (fs.js).",
      ],
      "minified code without a map and without names": [
        "Exception: TypeError.",
        "No frame has a name that counts, so the values of the exceptions do, ids and numbers masked.",
      ],
      "minified code without a map, with the names a minifier gave": [
        "Exception: TypeError.",
        "2 in-app frames count, nearest to the crash first: n (/assets/app-UDWDYEYW.js), t (/assets/app-UDWDYEYW.js).",
        "2 frames have a minified name and no map: such names count only within their build (app-UDWDYEYW.js).",
      ],
      "nothing at all": [
        "Neither exception, stack nor message: platform, level and logger count.",
      ],
    }
  `)
})
