import { chain, crash, own, pair, system, thrown, type Pair, type Sent } from './pair.ts'

const place = [own('main@main.py'), own('pay@cart.py')]
const typed = (type: string, value = 'it broke', frames: Sent[] = place) => crash('python', frames, { type, value })
const bare = (type: string, value: string) => crash('python', [], { type, value })
const signal = (type: string, mechanism: Sent) => crash('native', [own('pay')], { type, mechanism })

const cause = (type: string, frames: Sent[], value = 'bad') => thrown(frames, { type, value })
const wrapper = thrown([own('handle@api.py')], { type: 'ApiError' })
const wrapped = (...causes: Sent[]) => chain('python', [...causes, wrapper])

const nsError = (domain: string, code: number, frames: Sent[] = [], value = `Code ${String(code)}`) =>
  crash('cocoa', frames, { type: domain, value, mechanism: { type: 'NSError', meta: { ns_error: { domain, code } } } })

/** A member of a group, as the SDK for JavaScript numbers them. */
const member = (id: number, parent: number | undefined, type: string, more: Sent = {}, frames?: Sent[]) =>
  thrown(frames ?? [own(`${type}@${type}.js`)], {
    type,
    mechanism: { type: 'chained', exception_id: id, ...(parent === undefined ? {} : { parent_id: parent }), ...more },
  })
const group = { is_exception_group: true }
/** A group of errors; SDKs send the root last. */
const grouped = (...types: string[]) =>
  chain('javascript', [
    ...types.map((type, index) => member(index + 1, 0, type)).toReversed(),
    member(0, undefined, 'Group', group),
  ])
const python3 = { sdk: { name: 'sentry.python', version: '3.0.0' } }

const singlePairs: readonly Pair[] = [
  pair('the type counts', false, typed('KeyError'), typed('ValueError')),
  pair('the value does not count next to frames', true, typed('KeyError', 'a'), typed('KeyError', 'b')),
  pair(
    'the module of a type does not count',
    true,
    crash('java', place, { module: 'a' }),
    crash('java', place, { module: 'b' }),
  ),
  pair('without frames the value counts', false, bare('KeyError', 'no name'), bare('KeyError', 'no price')),
  pair('without frames the value is parameterised', true, bare('KeyError', 'user 1'), bare('KeyError', 'user 2')),
  pair('without frames the type counts', false, bare('KeyError', 'a'), bare('ValueError', 'a')),
  pair('a value of three lines counts with two', true, bare('E', 'a\nb\nc'), bare('E', 'a\nb\nd')),
  pair(
    'an empty stack trace is none',
    true,
    crash('python', [], { stacktrace: { frames: [] }, value: 'user 1' }),
    crash('python', [], { value: 'user 2' }),
  ),
  pair(
    'frames that say nothing leave the value',
    false,
    crash('python', [{ lineno: 1 }], { value: 'a' }),
    crash('python', [{ lineno: 1 }], { value: 'b' }),
  ),
  pair(
    'the type of a synthetic exception does not count',
    true,
    signal('SIGSEGV', { type: 'signal', synthetic: true }),
    signal('EXC_BAD_ACCESS', { type: 'mach', synthetic: true }),
  ),
  pair(
    'the type of another exception counts',
    false,
    signal('SIGSEGV', { type: 'signal' }),
    signal('SIGABRT', { type: 'signal' }),
  ),
  pair(
    'the mechanism does not count',
    true,
    signal('E', { type: 'a', handled: true }),
    signal('E', { type: 'b', handled: false }),
  ),
  pair(
    'the number of a signal does not count',
    true,
    signal('E', { type: 's', meta: { signal: { number: 6 } } }),
    signal('E', { type: 's', meta: { signal: { number: 11 } } }),
  ),
  pair(
    'the errno does not count',
    true,
    signal('E', { type: 's', meta: { errno: { number: 1 } } }),
    signal('E', { type: 's', meta: { errno: { number: 2 } } }),
  ),
  pair('the code of an NSError counts', false, nsError('NSURLErrorDomain', 1), nsError('NSURLErrorDomain', 2)),
  pair('a code of three digits counts, too', false, nsError('NSURLErrorDomain', 2), nsError('NSURLErrorDomain', 404)),
  pair('the domain of an NSError counts', false, nsError('A', 1, [], 'x'), nsError('B', 1, [], 'x')),
  pair(
    'the value of an NSError does not count',
    true,
    nsError('A', 1, [], 'offline'),
    nsError('A', 1, [], 'no network'),
  ),
  pair(
    'the code of an NSError counts next to frames',
    false,
    nsError('A', 1, [own('pay')]),
    nsError('A', 2, [own('pay')]),
  ),
  pair(
    'an NSError is not an error without a code',
    false,
    nsError('A', 1, [own('pay')]),
    crash('cocoa', [own('pay')], { type: 'A' }),
  ),
  pair(
    'the value of a message’s exception does not count next to frames',
    true,
    crash('javascript', [own('log@a.js')], { type: undefined, value: 'one', mechanism: { synthetic: true } }),
    crash('javascript', [own('log@a.js')], { type: undefined, value: 'two', mechanism: { synthetic: true } }),
  ),
]

const chainPairs: readonly Pair[] = [
  pair('the type of a cause counts', false, wrapped(cause('A', [own('a@a.py')])), wrapped(cause('B', [own('a@a.py')]))),
  pair(
    'the frames of a cause count',
    false,
    wrapped(cause('A', [own('a@a.py')])),
    wrapped(cause('A', [own('b@a.py')])),
  ),
  pair(
    'the value of a cause with frames does not count',
    true,
    wrapped(cause('A', [own('a@a.py')], 'x')),
    wrapped(cause('A', [own('a@a.py')], 'y')),
  ),
  pair('the value of a cause without frames counts', false, wrapped(cause('A', [], 'x')), wrapped(cause('A', [], 'y'))),
  pair('one more cause is another issue', false, wrapped(cause('A', [])), wrapped(cause('B', []), cause('A', []))),
  pair('a cause or none', false, wrapped(cause('A', [])), wrapped()),
  pair(
    'the order of the chain counts',
    false,
    wrapped(cause('A', []), cause('B', [])),
    wrapped(cause('B', []), cause('A', [])),
  ),
  pair(
    'a cause without in-app frames counts with its value, not with its frames',
    true,
    wrapped(cause('A', [system('x@x.py')])),
    wrapped(cause('A', [system('y@y.py')])),
  ),
  pair(
    'that value counts',
    false,
    wrapped(cause('A', [system('x@x.py')], 'one')),
    wrapped(cause('A', [system('y@y.py')], 'two')),
  ),
  pair(
    'that value is parameterised',
    true,
    wrapped(cause('A', [system('x@x.py')], 'row 1')),
    wrapped(cause('A', [system('y@y.py')], 'row 2')),
  ),
  pair(
    'all frames of a chain without in-app frames count',
    false,
    chain('python', [cause('A', [system('x@x.py')]), cause('B', [system('z@z.py')])]),
    chain('python', [cause('A', [system('y@y.py')]), cause('B', [system('z@z.py')])]),
  ),
  pair(
    'exceptions take precedence over the message',
    true,
    { ...wrapped(), message: 'one' },
    { ...wrapped(), message: 'two' },
  ),
]

const groupPairs: readonly Pair[] = [
  pair('equal members of a group count once', true, grouped('A', 'A'), grouped('A', 'A', 'A')),
  pair(
    'a group of equal members is its member',
    true,
    grouped('A', 'A'),
    chain('javascript', [member(0, undefined, 'A')]),
  ),
  pair('a group of one member is its member', true, grouped('A'), chain('javascript', [member(0, undefined, 'A')])),
  pair('the order of different members does not count', true, grouped('A', 'B'), grouped('B', 'A')),
  pair('repetitions next to a different member do not count', true, grouped('A', 'A', 'B'), grouped('B', 'A')),
  pair('other members are another group', false, grouped('A', 'B'), grouped('A', 'C')),
  pair(
    'the group counts next to different members',
    false,
    grouped('A', 'B'),
    chain('javascript', [member(2, 0, 'B'), member(1, 0, 'A'), member(0, undefined, 'Other', group)]),
  ),
  pair(
    'members of groups in a group count as members',
    true,
    grouped('A', 'B'),
    chain('javascript', [
      member(3, 1, 'B'),
      member(2, 1, 'A'),
      member(1, 0, 'Inner', group),
      member(0, undefined, 'Group', group),
    ]),
  ),
  pair(
    'the cause of the only different member counts',
    false,
    chain('javascript', [member(2, 1, 'X'), member(1, 0, 'A'), member(0, undefined, 'Group', group)]),
    chain('javascript', [member(2, 1, 'Y'), member(1, 0, 'A'), member(0, undefined, 'Group', group)]),
  ),
  pair(
    'repeated ids leave the list as it is',
    false,
    chain('javascript', [member(1, 0, 'A'), member(1, 0, 'A'), member(0, undefined, 'Group', group)]),
    chain('javascript', [member(1, 0, 'A'), member(0, undefined, 'Group', group)]),
  ),
  pair(
    'an exception that is its own parent leaves the list as it is',
    false,
    chain('javascript', [member(2, 2, 'A'), member(1, 0, 'A'), member(0, undefined, 'Group', group)]),
    chain('javascript', [member(1, 0, 'A'), member(0, undefined, 'Group', group)]),
  ),
  pair(
    'without a root the list stays as it is',
    false,
    chain('javascript', [member(3, 1, 'A'), member(2, 1, 'A'), member(1, undefined, 'Group', group)]),
    chain('javascript', [member(2, 1, 'A'), member(1, undefined, 'Group', group)]),
  ),
  pair(
    'groups of Python’s SDK 3 are lists',
    false,
    { ...grouped('A', 'A'), platform: 'python', ...python3 },
    { ...grouped('A', 'A', 'A'), platform: 'python', ...python3 },
  ),
]

/** Types, values, chains and groups (`newstyle.py`, RFC 0079). */
export const exceptionPairs: readonly Pair[] = [...singlePairs, ...chainPairs, ...groupPairs]
