import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sharedMessage, sharedType } from '../../../../src/service/errors/grouping/engine-messages.ts'

const { raw } = String

/** What the engines say for one failure; a name that a minifier gave to a variable is another in each. */
const failures: [failure: string, type: string, messages: string[]][] = [
  [
    'reading a property of undefined',
    'TypeError',
    [
      "Cannot read properties of undefined (reading 'total')",
      "Cannot read property 'total' of undefined",
      "Cannot destructure property 'total' of 'e[t]' as it is undefined.",
      `can't access property "total", e.cart is undefined`,
      "undefined is not an object (evaluating 'e.cart.total')",
      `undefined is not an object (evaluating 'n["total"]')`,
    ],
  ],
  [
    'setting a property of null',
    'TypeError',
    [
      "Cannot set properties of null (setting 'textContent')",
      "Cannot set property 'textContent' of null",
      `can't access property "textContent", n is null`,
      "null is not an object (evaluating 't.textContent = e.left(r)')",
    ],
  ],
  [
    'reading an element of undefined',
    'TypeError',
    [
      "Cannot read properties of undefined (reading '0')",
      "can't access property 0, t is undefined",
      "undefined is not an object (evaluating 't[0]')",
    ],
  ],
  [
    'calling what is no function',
    'TypeError',
    [
      'e.items.map is not a function',
      "n.map is not a function. (In 'n.map(r)', 'n.map' is undefined)",
      '(0 , i.map) is not a function',
    ],
  ],
  [
    'calling a variable that is no function',
    'TypeError',
    ['t is not a function', "e is not a function. (In 'e()', 'e' is undefined)"],
  ],
  [
    'constructing what is no constructor',
    'TypeError',
    ['r.Cart is not a constructor', "n.Cart is not a constructor (evaluating 'new n.Cart')"],
  ],
  ['iterating over what cannot', 'TypeError', ['t is not iterable', 'e is not iterable']],
  ['a variable that does not exist', 'ReferenceError', ['dataLayer is not defined', "Can't find variable: dataLayer"]],
  [
    'a constant',
    'TypeError',
    [
      'Assignment to constant variable.',
      "invalid assignment to const 'e'",
      'Attempted to assign to readonly property.',
    ],
  ],
  [
    'a circle in JSON',
    'TypeError',
    [
      "Converting circular structure to JSON\n    --> starting at object with constructor 't'",
      'cyclic object value',
      'JSON.stringify cannot serialize cyclic structures.',
    ],
  ],
  [
    'no network',
    'TypeError',
    ['Failed to fetch', 'NetworkError when attempting to fetch resource.', 'Load failed', 'Load failed (shop.example)'],
  ],
  [
    'a module that does not load',
    'TypeError',
    [
      'Failed to fetch dynamically imported module: https://shop.example/assets/chunk-AMW3KTSD.js',
      'error loading dynamically imported module: https://shop.example/assets/chunk-QRSTUVWX.js',
      'Importing a module script failed.',
    ],
  ],
  ['a date', 'RangeError', ['Invalid time value', 'invalid date']],
  [
    'a page where JSON was expected',
    'SyntaxError',
    [
      `Unexpected token '<', "<html><hea"... is not valid JSON`,
      'Unexpected token < in JSON at position 0',
      'JSON.parse: unexpected character at line 1 column 1 of the JSON data',
      "JSON Parse error: Unrecognized token '<'",
    ],
  ],
  [
    'JSON that was cut',
    'SyntaxError',
    [
      'Unexpected end of JSON input',
      'JSON.parse: unexpected end of data at line 1 column 1 of the JSON data',
      'JSON Parse error: Unexpected EOF',
    ],
  ],
]

describe('an engine’s message is the same in every engine and build', () => {
  test.each(failures)('%s', (_, type, messages) => {
    expect(new Set(messages.map((message) => sharedMessage(type, message)))).toHaveLength(1)
  })

  test('and another for another failure', () => {
    const shared = failures.map(([, type, [message = '']]) => sharedMessage(type, message))
    expect(new Set(shared)).toHaveLength(failures.length)
    expect(sharedMessage('TypeError', "Cannot read properties of undefined (reading 'id')")).not.toBe(
      sharedMessage('TypeError', "Cannot read properties of undefined (reading 'total')"),
    )
    expect(sharedMessage('TypeError', 'e.map is not a function')).not.toBe(
      sharedMessage('TypeError', 'e.filter is not a function'),
    )
  })
})

test('what a program says itself stays as it is', () => {
  for (const value of ['the cart is undefined', 'undefined', '', 'Failed to fetch the price list', raw`\n`]) {
    expect(sharedMessage('TypeError', value)).toBe(value)
  }
  expect(sharedMessage('CartError', 'cart is undefined')).toBe('cart is undefined')
  fc.assert(
    fc.property(fc.string(), (value) => {
      expect(sharedMessage('CartError', value)).toBe(value)
    }),
  )
})

test('a stack overflow is a RangeError in every engine, other internal errors are not', () => {
  expect(sharedType('InternalError', 'too much recursion')).toBe('RangeError')
  expect(sharedMessage('InternalError', 'too much recursion')).toBe(
    sharedMessage('RangeError', 'Maximum call stack size exceeded.'),
  )
  expect(sharedType('InternalError', 'allocation size overflow')).toBe('InternalError')
})

test('any message has an answer, not much longer than itself', () => {
  const words = fc.constantFrom(
    "Cannot destructure property '",
    "' of ",
    ' as it is ',
    "(evaluating '",
    ' is ',
    'x',
    '.',
  )
  fc.assert(
    fc.property(fc.array(words, { maxLength: 200 }), (parts) => {
      const message = parts.join('')
      expect(sharedMessage('TypeError', message).length).toBeLessThanOrEqual(message.length + 30)
    }),
  )
})

test('a message longer than an engine’s stays as it is', () => {
  const said = (name: string) => `undefined is not an object (evaluating '${name}.total')`
  expect(sharedMessage('TypeError', said('e'.repeat(460)))).toBe(sharedMessage('TypeError', said('n')))
  expect(sharedMessage('TypeError', said('e'.repeat(600)))).toBe(said('e'.repeat(600)))
})
