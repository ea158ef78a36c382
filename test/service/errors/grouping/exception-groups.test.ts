import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pickExceptions } from '../../../../src/service/errors/grouping/exception-groups.ts'
import { groupEvent } from '../../../../src/service/errors/grouping/index.ts'
import { event, exception } from './events.ts'

/** `[type, id, parent]`, as an SDK sends them: the root last, groups by their name. */
function list(...entries: [type: string, id: number | null, parent: number | null][]) {
  return entries.map(([type, exception_id, parent_id]) =>
    exception({ type, mechanism: { exception_id, parent_id, is_exception_group: type.endsWith('Group') } }),
  )
}

function picked(...entries: Parameters<typeof list>) {
  const exceptions = list(...entries)
  const { positions, main } = pickExceptions(exceptions, (position) => exceptions[position]!.type)
  return { types: positions.map((position) => exceptions[position]!.type), main: exceptions[main]!.type }
}

test('of equal errors in a group one counts, with its causes, and the group only names the issue', () => {
  expect(picked(['Io', 3, 1], ['Net', 2, 0], ['Net', 1, 0], ['AllGroup', 0, null])).toEqual({
    types: ['Io', 'Net'],
    main: 'AllGroup',
  })
})

test('different errors in a group all count, in an order of their own, then the group', () => {
  const expected = { types: ['Net', 'Disk', 'AllGroup'], main: 'AllGroup' }
  expect(picked(['Net', 2, 0], ['Disk', 1, 0], ['AllGroup', 0, null])).toEqual(expected)
  expect(picked(['Disk', 2, 0], ['Net', 1, 0], ['AllGroup', 0, null])).toEqual(expected)
  expect(picked(['Disk', 3, 0], ['Net', 2, 0], ['Net', 1, 0], ['AllGroup', 0, null])).toEqual(expected)
})

test('errors of a group inside a group count as the outer one’s', () => {
  expect(picked(['Net', 3, 2], ['InnerGroup', 2, 0], ['Net', 1, 0], ['OuterGroup', 0, null])).toEqual({
    types: ['Net'],
    main: 'OuterGroup',
  })
})

test('a chain of causes counts whole', () => {
  expect(picked(['Io', 2, 1], ['Db', 1, 0], ['Order', 0, null])).toEqual({
    types: ['Io', 'Db', 'Order'],
    main: 'Order',
  })
})

test('grouping skips a suppressed exception of Java and uses the cause', () => {
  // As the SDK numbers them: suppressed ones before the cause.
  const sent = (cause: string[], suppressed: string[]) => [
    ...cause.map((type, index) => at(type, 'chained', suppressed.length + cause.length - index, 0)),
    ...suppressed.map((type, index) =>
      at(type, 'suppressed', suppressed.length - index, suppressed.length - index - 1),
    ),
    at('PaymentException', 'generic', 0, null),
  ]
  const at = (type: string, kind: string, exception_id: number, parent_id: number | null) =>
    exception({ type, mechanism: { type: kind, exception_id, parent_id } })
  const types = (exceptions: ReturnType<typeof sent>) =>
    pickExceptions(exceptions, (position) => exceptions[position]!.type).positions.map((at) => exceptions[at]!.type)
  expect(types(sent(['Timeout'], ['CloseFailed', 'RollbackFailed']))).toEqual(['Timeout', 'PaymentException'])
  expect(types(sent([], ['CloseFailed']))).toEqual(['PaymentException'])
})

test.each([
  [
    'a missing id',
    [
      ['A', null, 0],
      ['B', 0, null],
    ],
  ],
  [
    'an id given twice',
    [
      ['A', 1, 0],
      ['B', 1, 0],
      ['RGroup', 0, null],
    ],
  ],
  [
    'an exception that is its own parent',
    [
      ['A', 1, 1],
      ['RGroup', 0, null],
    ],
  ],
  [
    'no root',
    [
      ['A', 1, 0],
      ['RGroup', 0, 1],
    ],
  ],
  [
    'two roots',
    [
      ['A', 1, null],
      ['RGroup', 0, null],
    ],
  ],
  [
    'an unknown parent',
    [
      ['A', 1, 7],
      ['RGroup', 0, null],
    ],
  ],
  [
    'a cycle beside the root',
    [
      ['A', 2, 1],
      ['A', 1, 2],
      ['RGroup', 0, null],
    ],
  ],
  ['a group without members', [['RGroup', 0, null]]],
] satisfies [string, Parameters<typeof list>][])('%s leaves the list as it is', (_, entries) => {
  const types = entries.map(([type]) => type)
  expect(picked(...entries)).toEqual({ types, main: types.at(-1) })
})

test('any ids and parents give positions of the list, each at most once', () => {
  const id = fc.option(fc.integer({ min: 0, max: 6 }))
  const entry = fc.record({ exception_id: id, parent_id: id, is_exception_group: fc.boolean() })
  fc.assert(
    fc.property(
      fc.array(entry, { minLength: 1, maxLength: 6 }),
      fc.array(fc.nat(2), { minLength: 6 }),
      (entries, kinds) => {
        const exceptions = entries.map((mechanism) => exception({ mechanism }))
        const { positions, main } = pickExceptions(exceptions, (position) => String(kinds[position]))
        expect(new Set(positions).size).toBe(positions.length)
        expect(positions.length).toBeGreaterThan(0)
        expect(positions.every((position) => exceptions[position] !== undefined)).toBe(true)
        expect(exceptions[main]).toBeDefined()
      },
    ),
  )
})

test('a chain of Go, whose SDK calls each of its errors a group, is not explained as a group of nothing', () => {
  const exceptions = [exception({ type: '*errors.errorString' }), exception({ type: '*fmt.wrapError' })].map(
    (one, index) => ({ ...one, mechanism: { ...one.mechanism, exception_id: index, is_exception_group: true } }),
  )
  const { explanation } = groupEvent(event({ platform: 'go', exceptions }))
  expect(explanation.join('\n')).toContain('Exceptions, cause first: *errors.errorString, *fmt.wrapError.')
  expect(explanation.join('\n')).not.toContain('The group')
})
