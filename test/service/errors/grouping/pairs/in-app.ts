import { chain, crash, own, pair, system, thrown, type Pair, type Sent } from './pair.ts'

/** A frame about which the SDK says nothing. */
const silent = (text: string, members: Sent = {}) => own(text, { in_app: null, ...members })
const beside = (platform: string, frame: Sent) => crash(platform, [own('pay@cart.x'), frame])

/** A frame that a rule takes from the team, by language; the second is in the same place of a newer version. */
const NOT_OWN: readonly (readonly [platform: string, first: Sent, second: Sent])[] = [
  [
    'python',
    silent('a', { filename: '/v/site-packages/django/a.py' }),
    silent('b', { filename: '/v/site-packages/django/b.py' }),
  ],
  ['python', silent('a', { filename: '/v/dist-packages/a.py' }), silent('b', { filename: '/v/dist-packages/b.py' })],
  ['php', own('a', { filename: '/app/vendor/x/y/a.php' }), own('b', { filename: '/app/vendor/x/y/b.php' })],
  ['javascript', own('a@http://x/node_modules/a.js'), own('b@http://x/node_modules/b.js')],
  ...['unpkg.com', 'cdnjs.cloudflare.com', 'cdn.jsdelivr.net/npm', 'esm.run'].map(
    (host) => ['javascript', own(`a@https://${host}/a.js`), own(`b@https://${host}/b.js`)] as const,
  ),
  [
    'go',
    silent('a', { abs_path: '/root/go/pkg/mod/x@v1/a.go' }),
    silent('b', { abs_path: '/root/go/pkg/mod/x@v1/b.go' }),
  ],
  ['java', silent('get', { module: 'java.util.Optional' }), silent('orElseThrow', { module: 'java.util.Optional' })],
  ['java', silent('a', { module: 'org.springframework.web.A' }), silent('b', { module: 'org.springframework.web.B' })],
  ['java', silent('a', { module: 'kotlinx.coroutines.A' }), silent('b', { module: 'kotlinx.coroutines.B' })],
  ['java', silent('a', { module: 'android.os.Looper' }), silent('b', { module: 'android.os.Handler' })],
  ['native', silent('a', { package: '/usr/lib/libx.so' }), silent('b', { package: '/usr/lib/libx.so' })],
  ['native', silent('std::sort<int>'), silent('std::vector<int>::push_back')],
  ['native', silent('core::panicking::panic_fmt'), silent('core::panicking::panic')],
  ['cocoa', silent('a', { package: 'UIKitCore' }), silent('b', { package: 'UIKitCore' })],
  ['cocoa', silent('sentrycrash_a'), silent('sentrycrash_b')],
]

/** Which frames are the team's (`processing.py`, default enhancement rules). */
export const inAppPairs: readonly Pair[] = [
  pair(
    'a silent frame next to one of the team does not count',
    true,
    beside('python', silent('a@a.py')),
    beside('python', silent('b@b.py')),
  ),
  pair(
    'a frame that is said not to be the team’s does not count',
    true,
    beside('python', system('a@a.py')),
    beside('python', system('b@b.py')),
  ),
  pair(
    'a frame that is said to be the team’s counts',
    false,
    beside('python', own('a@a.py')),
    beside('python', own('b@b.py')),
  ),
  pair(
    'a silent frame next to one of the team in another exception does not count',
    true,
    chain('python', [thrown([silent('a@a.py')], { type: 'A' }), thrown([own('pay@cart.py')])]),
    chain('python', [thrown([silent('b@b.py')], { type: 'A' }), thrown([own('pay@cart.py')])]),
  ),
  pair(
    'when all frames are silent and of a runtime, all count',
    false,
    crash('java', [silent('a', { module: 'java.util.A' })]),
    crash('java', [silent('b', { module: 'java.util.B' })]),
  ),
  pair(
    'when no frame is the team’s, all count',
    false,
    crash('python', [system('a@a.py'), system('b@b.py')]),
    crash('python', [system('a@a.py'), system('c@c.py')]),
  ),
  pair(
    'when all frames are silent, all count',
    false,
    crash('java', [silent('run', { module: 'com.shop.Cart' }), silent('a', { module: 'java.util.A' })]),
    crash('java', [silent('run', { module: 'com.shop.Cart' }), silent('b', { module: 'java.util.B' })]),
  ),
  ...NOT_OWN.map(([platform, first, second]) =>
    pair(
      `${platform}: not the team’s: ${JSON.stringify(first)}`,
      true,
      beside(platform, first),
      beside(platform, second),
    ),
  ),
]
