import { expect, test } from 'vitest'
import { splitAddress } from '../../../src/service/shared/split-address.ts'

test('an address is split without resolving its dots', () => {
  expect(splitAddress('http://h:1/v1/a/../b?x=1&y=%20#f')).toEqual({
    origin: 'http://h:1',
    path: '/v1/a/../b',
    query: 'x=1&y=%20',
  })
  expect(splitAddress('https://h')).toEqual({ origin: 'https://h', path: '/', query: '' })
  expect(splitAddress('/v1/x')).toEqual({ origin: 'http://localhost', path: '/v1/x', query: '' })
})
