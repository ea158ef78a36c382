import { describe, expect, test } from 'vitest'
import { search } from '../../../shop/search/search.ts'
import { catalogue } from '../orders.ts'

const found = (query: string) => search(catalogue, query).map(({ sku }) => sku)

describe('search', () => {
  test('finds the articles that have all the words', () => {
    expect(found('book tea')).toEqual(['boo-001'])
  })

  test('puts names that start with the word first', () => {
    expect(found('c').slice(0, 2)).toEqual(['pot-002', 'boo-002'])
  })

  // Waits for a search that takes characters as they are typed.
  test.skip('[REQ-26] finds C++ and Coffee by its name', () => {
    expect(found('C++')).toEqual(['boo-002'])
  })
})
