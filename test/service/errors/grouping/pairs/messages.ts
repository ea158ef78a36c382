import { messagePair, pair, type Pair } from './pair.ts'

const entry = (message: string, formatted: string) => ({ logentry: { message, formatted } })
const hex = (digit: string, length: number) => `${digit}1`.repeat(length / 2)

/** Two values of a kind that is replaced. */
const KINDS: readonly (readonly [kind: string, first: string, second: string])[] = [
  ['addresses of e-mail', 'ann@example.com', 'bob.b+x@shop.example.org'],
  ['urls', 'https://a.example/x?y=1', 'http://b.example/other'],
  ['urls of web sockets', 'wss://a.example/x', 'ws://b.example/y'],
  ['urls of FTP', 'ftp://a.example/x', 'ftp://b.example/y'],
  ['hosts', 'db1.example.com', 'cache.shop.io'],
  ['hosts of countries', 'db.example.es', 'db.shop.pl'],
  ['hosts in capitals', 'DB.EXAMPLE.COM', 'CACHE.SHOP.NET'],
  ['IPv4', '10.0.0.1', '192.168.7.254'],
  ['IPv6', '2001:db8::8a2e:370:7334', 'fe80::1'],
  ['whole IPv6', '2001:0db8:85a3:0000:0000:8a2e:0370:7334', '2001:0db8:85a3:0001:0002:8a2e:0370:7335'],
  ['traceparents', `00-${hex('a', 32)}-${hex('b', 16)}-01`, `00-${hex('c', 32)}-${hex('d', 16)}-00`],
  ['traces of Amazon', `1-67891233-${hex('a', 24)}`, `1-12345678-${hex('b', 24)}`],
  ['UUIDs', '019ab3c4-7d3e-7b1c-9f00-2d5a0c6b8e11', 'DEADBEEF-7D3E-4B1C-9F00-2D5A0C6B8E11'],
  ['SHA-1', hex('a', 40), hex('E', 40)],
  ['MD5', hex('a', 32), hex('B', 32)],
  ['RFC 3339', '2026-03-01T12:30:00.123Z', '2025-12-31T23:59:59+02:00'],
  ['dates', '2026-03-01', '2025-12-31'],
  ['dates and times', '2026-03-01 12:30:00', '2025-12-31 23:59:59.5'],
  ['compact dates', '20260301T123000Z', '20251231T235959Z'],
  ['RFC 822', 'Mon, 02 Jan 2006 15:04:05 +0100', 'Tue, 3 Feb 2007 15:04 GMT'],
  ['RFC 850', 'Monday, 02-Jan-06 15:04:05 MST', 'Sunday, 03-Feb-07 11:00:00 UTC'],
  [
    'dates of JavaScript',
    'Mon Jan 15 2024 10:30:00 GMT+0100 (Central European Standard Time)',
    'Tue Feb 20 2024 11:30:00 GMT-0500',
  ],
  ['days of months', 'Jan 02, 1999', 'Mon Feb 03, 2007'],
  ['dates of C', 'Mon Jan 15 10:30:00 2024', 'Feb 20 11:30:00 2025'],
  ['dates of Python', 'datetime.datetime(2026, 3, 1, 12, 30)', 'datetime.datetime(2025, 12, 31)'],
  ['times', '10:30:00', '23:59:59'],
  ['times of twelve hours', '9:05 PM', '11:30 AM'],
  ['milliseconds', '5000ms', '7ms'],
  ['seconds', '1.5s', '30s'],
  ['transactions of Swift', 'tx0a1b2c3d4e5f60718293a-0065f1c2d3', 'tx0a1b2c3d4e5f60718293b-0065f1c2d4-dfw1'],
  ['hex with a prefix', '0x7ffde41b', '0XAB'],
  ['hex', 'a3f29c1b77', '0b1c2d3e'],
  ['hex in capitals', 'A3F29C1B77', '0B1C2D3E'],
  ['short ids of git', 'a3f29c1', '0b1c2d3'],
  ['decimals', '12.50', '-0.75'],
  ['integers', '42', '1234567'],
  ['negative integers', '-42', '-7'],
  ['quoted values', "='Ann O'", "='Bob'"],
  ['values in double quotes', '="Ann O"', '="Bob"'],
  ['booleans', '=true', '=False'],
]

/** Two texts in which nothing is replaced. */
const APART: readonly (readonly [rule: string, first: string, second: string])[] = [
  ['numbers in a word', 'user_42', 'user_43'],
  ['numbers after a letter', 'v1', 'v2'],
  ['quoted text without a sign', "'Ann'", "'Bob'"],
  ['quoted text after a space', "= 'Ann'", "= 'Bob'"],
  ['booleans without a sign', 'true', 'false'],
  ['hex of both cases', 'aB3dE5f7', 'aB3dE5f8'],
  ['hex of letters alone', 'deadbeef', 'feedface'],
  ['ids of git of letters alone', 'deadbee', 'facaded'],
  ['ids of git in capitals', 'A3F29C1', '0B1C2D3'],
  ['minutes', '5 minutes', '5 hours'],
  ['decimals and integers', '1.5', '2'],
  ['hosts of unknown domains', 'cart.ts', 'order.ts'],
  ['methods of classes', 'Cart::add', 'Cart::dead'],
  ['the case of words', 'Not found', 'not found'],
  ['two-letter words', 'on', 'off'],
  ['integers of eight digits are ids', '7', '12345678'],
]

/** Messages (`message.py`, `parameterization.py`). */
export const messagePairs: readonly Pair[] = [
  ...KINDS.map(([kind, first, second]) =>
    messagePair(
      `${kind} are replaced`,
      true,
      `saw ${first} here`.replace(' =', '='),
      `saw ${second} here`.replace(' =', '='),
    ),
  ),
  ...APART.map(([rule, first, second]) =>
    messagePair(`${rule} count`, false, `saw ${first} here`, `saw ${second} here`),
  ),
  messagePair('the words count', false, 'user 1 not found', 'order 1 not found'),
  messagePair('the third line does not count', true, 'a\nb\nc', 'a\nb\nd'),
  messagePair('the second line counts', false, 'a\nb', 'a\nc'),
  messagePair('a third line counts as more', false, 'a\nb', 'a\nb\nc'),
  messagePair('empty lines do not count', true, 'a\n\nb\nc', 'a\nb\n\nd'),
  messagePair('an e-mail and a number are two kinds', false, 'saw ann@example.com', 'saw 17'),
  pair(
    'the template takes precedence',
    true,
    entry('user %s failed', 'user ann failed'),
    entry('user %s failed', 'user bob failed'),
  ),
  pair(
    'another template is another message',
    false,
    entry('user %s failed', 'user ann failed'),
    entry('%s failed', 'user ann failed'),
  ),
  pair(
    'a template is parameterised, too',
    true,
    entry('row 1 of %s', 'row 1 of x'),
    entry('row 2 of %s', 'row 2 of x'),
  ),
  pair(
    'without a template the text counts',
    true,
    { logentry: { formatted: 'user 1' } },
    { logentry: { formatted: 'user 2' } },
  ),
  pair(
    'neither level nor logger count next to a message',
    true,
    { message: 'a', level: 'error', logger: 'x' },
    { message: 'a', level: 'info', logger: 'y' },
  ),
  pair(
    'tags and users do not count',
    true,
    { message: 'a', tags: { a: 1 }, user: { id: 1 } },
    { message: 'a', tags: { a: 2 }, user: { id: 2 } },
  ),
  pair(
    'neither release nor environment count',
    true,
    { message: 'a', release: '1', environment: 'x' },
    { message: 'a', release: '2', environment: 'y' },
  ),
  pair('the transaction does not count', true, { message: 'a', transaction: 'x' }, { message: 'a', transaction: 'y' }),
  pair('events with nothing are one issue', true, { platform: 'python' }, { platform: 'python', server_name: 'x' }),
  pair('events with nothing are one issue, whatever their level', true, { level: 'error' }, { level: 'info' }),
]
