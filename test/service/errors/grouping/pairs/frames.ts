import { crash, framePair, own, pair, system, type Pair, type Sent } from './pair.ts'

const py = (rule: string, same: boolean, first: Sent, second: Sent) => framePair(rule, same, 'python', first, second)
const js = (rule: string, same: boolean, first: Sent, second: Sent) =>
  framePair(rule, same, 'javascript', first, second)
const line = (text: string, name = 'pay') => own(`${name}@cart.py`, { context_line: text })
const script = (name: string, url: string, members: Sent = {}) =>
  own(name, { abs_path: url, filename: url, ...members })
const long = (text: string) => `${text} = [${'1, '.repeat(50)}]`

/** Module, file, function, source line and recursion of a frame (`newstyle.py`). */
export const framePairs: readonly Pair[] = [
  py('of a path the base name counts', true, own('pay@/srv/cart.py'), own('pay@/opt/shop/cart.py')),
  py('the base name counts in lower case', true, own('pay@Cart.py'), own('pay@cart.PY')),
  py('a backslash separates folders', true, own('pay@C:\\shop\\cart.py'), own('pay@/srv/cart.py')),
  py('another file is another frame', false, own('pay@cart.py'), own('pay@order.py')),
  py('a folder does not make another file', true, own('pay@v1/cart.py'), own('pay@v2/cart.py')),
  py('an anonymous file does not count', true, own('pay@<anonymous>'), own('pay')),
  py(
    'the module takes precedence over the file',
    true,
    own('pay@a.py', { module: 'shop' }),
    own('pay@b.py', { module: 'shop' }),
  ),
  py(
    'another module is another frame',
    false,
    own('pay@a.py', { module: 'shop.a' }),
    own('pay@a.py', { module: 'shop.b' }),
  ),
  py(
    'a module counts as it is, with numbers',
    false,
    own('pay', { module: 'shop.v1' }),
    own('pay', { module: 'shop.v2' }),
  ),
  py('another function is another frame', false, own('pay@cart.py'), own('add@cart.py')),
  py('the case of a function counts', false, own('pay@cart.py'), own('Pay@cart.py')),
  py(
    'neither line nor column count',
    true,
    own('pay@cart.py', { lineno: 1, colno: 2 }),
    own('pay@cart.py', { lineno: 90 }),
  ),
  py('variables do not count', true, own('pay@cart.py', { vars: { a: 1 } }), own('pay@cart.py', { vars: { a: 2 } })),
  py(
    'the lines around do not count',
    true,
    own('pay@cart.py', { pre_context: ['a'] }),
    own('pay@cart.py', { post_context: ['b'] }),
  ),
  py('the source line counts', false, line('total += price'), line('total -= price')),
  py('white space of the source line collapses', true, line('    total +=   price'), line('\ttotal += price ')),
  py('a source line of more than 120 characters does not count', true, line(long('a')), line(long('b'))),
  py('a source line of 120 characters counts', false, line(`${'a'.repeat(119)}1`), line(`${'a'.repeat(119)}2`)),
  py('a source line of 121 characters does not', true, line(`${'a'.repeat(120)}1`), line(`${'a'.repeat(120)}2`)),
  py(
    'the indentation is part of the length',
    true,
    line(`${' '.repeat(115)}total += 1`),
    line(`${' '.repeat(115)}total -= 2`),
  ),
  py('a long line and no line are alike', true, line(long('a')), own('pay@cart.py')),
  framePair('source lines count in PHP', false, 'php', line('a();'), line('b();')),
  framePair('source lines count in Ruby', false, 'ruby', line('a'), line('b')),
  framePair('source lines count in Node', false, 'node', line('a()'), line('b()')),
  framePair('source lines do not count in Java', true, 'java', line('a();'), line('b();')),
  framePair('source lines do not count in Go', true, 'go', line('a()'), line('b()')),
  framePair('source lines do not count in native code', true, 'native', line('a();'), line('b();')),
  js(
    'a file at an address does not count',
    true,
    script('pay', 'https://a.example/app.js'),
    script('pay', 'http://b.example/x.js'),
  ),
  js('a file of a blob does not count', true, script('pay', 'blob:https://a/1'), script('pay', 'blob:https://a/2')),
  js(
    'a file of a web view does not count',
    true,
    script('pay', 'applewebdata://a/1.js'),
    script('pay', 'applewebdata://b/2.js'),
  ),
  js('a file of file: counts', false, script('pay', 'file:///srv/a.js'), script('pay', 'file:///srv/b.js')),
  js(
    'a module that repeats the address does not count',
    true,
    script('pay', 'https://a/app/cart', { module: 'app/cart' }),
    script('pay', 'https://a/x'),
  ),
  js('the last segment of a name counts', true, own('Cart.pay@a.js'), own('Object.pay@a.js')),
  js('another last segment is another frame', false, own('Cart.pay@a.js'), own('Cart.add@a.js')),
  js('? is no name', true, own('?@a.js'), own('@a.js')),
  js('<anonymous> is no name', true, own('<anonymous>@a.js'), own('Object.<anonymous>@a.js')),
  js('Anonymous function is no name', true, own('Anonymous function@a.js'), own('<anonymous function>@a.js')),
  js('a name that ends with /< is none', true, own('pay/<@a.js'), own('?@a.js')),
  js(
    'with a function, the line of a file at an address counts',
    false,
    script('pay', 'https://a/a.js', { context_line: 'x' }),
    script('pay', 'https://a/a.js', { context_line: 'y' }),
  ),
  pair(
    'without a function, the line of a file at an address does not count',
    true,
    crash('javascript', [script('', 'https://a/a.js', { context_line: 'x' }), own('pay@a.js')]),
    crash('javascript', [script('', 'https://a/a.js', { context_line: 'y' }), own('pay@a.js')]),
  ),
  pair(
    'without a function, the line of a file of file: does not count',
    true,
    crash('javascript', [script('', 'file:///a.js', { context_line: 'x' }), own('pay@a.js')]),
    crash('javascript', [script('', 'file:///a.js', { context_line: 'y' }), own('pay@a.js')]),
  ),
  pair(
    'the only frame without a function at an address does not count',
    false,
    crash('javascript', [script('', 'https://a/a.js')], { value: 'one' }),
    crash('javascript', [script('', 'https://a/a.js')], { value: 'two' }),
  ),
  pair(
    'the only frame without a function in a file of file: does not count',
    false,
    crash('javascript', [script('', 'file:///a.js')], { value: 'one' }),
    crash('javascript', [script('', 'file:///a.js')], { value: 'two' }),
  ),
  pair(
    'a frame of eval does not count',
    true,
    crash('javascript', [own('pay@a.js')]),
    crash('javascript', [own('eval@b.js'), own('pay@a.js')]),
  ),
  ...['[native code]', 'native code', 'eval code', '<anonymous>'].map((path) =>
    pair(
      `a frame at ${path} does not count`,
      true,
      crash('javascript', [own('pay@a.js')]),
      crash('javascript', [own('forEach', { abs_path: path }), own('pay@a.js')]),
    ),
  ),
  pair(
    'a caller counts',
    false,
    crash('python', [own('main@a.py'), own('pay@b.py')]),
    crash('python', [own('pay@b.py')]),
  ),
  pair(
    'the order of frames counts',
    false,
    crash('python', [own('a@a.py'), own('b@a.py')]),
    crash('python', [own('b@a.py'), own('a@a.py')]),
  ),
  pair(
    'a frame that repeats the one before it with its line does not count',
    true,
    crash('python', [own('main@a.py'), own('walk@a.py'), own('walk@a.py')]),
    crash('python', [own('main@a.py'), own('walk@a.py')]),
  ),
  pair(
    'a function that calls itself at another line counts twice',
    false,
    crash('python', [own('walk@a.py', { lineno: 1 }), own('walk@a.py', { lineno: 2 })]),
    crash('python', [own('walk@a.py', { lineno: 1 })]),
  ),
  pair(
    'two functions that call each other count each time',
    false,
    crash('python', [own('a@a.py'), own('b@a.py'), own('a@a.py'), own('b@a.py')]),
    crash('python', [own('a@a.py'), own('b@a.py')]),
  ),
  pair(
    'a frame that is not in-app does not count',
    true,
    crash('python', [own('a@a.py'), system('x@x.py')]),
    crash('python', [own('a@a.py'), system('y@y.py')]),
  ),
  pair(
    'without in-app frames all count',
    false,
    crash('python', [system('x@x.py')]),
    crash('python', [system('y@y.py')]),
  ),
  pair(
    'the hash of all frames leads to the issue, too',
    true,
    crash('python', [system('x@x.py'), own('a@a.py')]),
    crash('python', [system('x@x.py'), system('a@a.py')]),
  ),
]
