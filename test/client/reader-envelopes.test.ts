import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { readAnswer } from '../../src/client/reader/index.ts'
import { list, type Endpoint } from '../../src/contract/base/endpoint.ts'
import { contract } from '../../src/contract/index.ts'
import { arbitraryValue, opened } from './answers.ts'

const Thing = z.object({ id: z.string().min(1), name: z.string(), type: z.string(), size: z.int() })
const one = { returns: z.object({ thing: Thing, parts_count: z.int() }) }
const verdict = { returns: z.object({ verdict: z.object({ status: z.string(), reasons: z.array(z.string()) }) }) }
const many = { returns: z.object(list('things', Thing)) }
const thing = { id: 't', name: 'n', type: 'x', size: 3 }
const unknownShape = expect.objectContaining({ code: 'upstream_shape_unknown' }) as Error

describe('one resource', () => {
  test.each([
    ['between success and meta', { success: true, data: { thing }, meta: { id: 'r1' } }],
    ['unwrapped in data', { success: true, data: thing, meta: null }],
    ['in result, next to an error that is null', { result: thing, error: null }],
    ['in payload, next to a status', { status: 'ok', payload: thing }],
    ['in the answer of a remote procedure call', { jsonrpc: '2.0', id: 7, result: thing }],
    ['under another name, with other objects next to it', { item: thing, owner: { id: 'u', email: 'x' } }],
    ['as JSON:API', { data: { id: 't', type: 'things', attributes: { name: 'n', type: 'x', size: 3 } } }],
  ])('is read %s', (_, answer) => {
    expect(readAnswer(one, answer)['thing']).toEqual(thing)
  })

  test.each([
    ['next to it', { data: thing, parts_count: 4 }],
    ['next to what wraps it under its name', { data: { thing }, partsCount: 4 }],
    ['around it, in one wrapper', { data: { thing, parts_count: 4 }, meta: {} }],
    ['in both places, where the inner one takes precedence', { data: { thing, parts_count: 4 }, parts_count: 9 }],
  ])('is read with the other members of the answer %s', (_, answer) => {
    expect(readAnswer(one, answer)).toEqual({ thing, parts_count: 4 })
  })

  test('is read without an id where the contract has none', () => {
    const answer = { status: 'ok', data: { status: 'PASS', reasons: ['r'] } }
    expect(readAnswer(verdict, answer)['verdict']).toEqual({ status: 'PASS', reasons: ['r'] })
  })

  test.each([
    ['two objects that fit equally', { before: thing, after: thing }],
    ['a failure', { success: false, data: null }],
    ['an error in a body with status 200', { code: 5, message: 'not found', details: [] }],
    ['an object without an id', { data: { name: 'n', size: 3 } }],
    ['a list', { data: [thing] }],
  ])('is not made of %s', (_, answer) => {
    expect(() => readAnswer(one, answer)).toThrow(unknownShape)
  })

  test('is not made of an error where the contract has no id', () => {
    expect(() => readAnswer(verdict, { code: 5, message: 'x', status: 'NOT_FOUND' })).toThrow(unknownShape)
  })
})

describe('a list', () => {
  test.each([
    ['in data, next to success and meta', { success: true, data: [thing], meta: { total: 1 } }],
    ['in items of data', { data: { items: [thing] } }],
    ['under its name in data', { status: 'ok', data: { things: [thing] }, error: null }],
    ['as HAL', { _links: { self: { href: '/' } }, _embedded: { things: [thing] }, page: { size: 20 } }],
    ['as JSON:API', { data: [{ id: 't', type: 'things', attributes: { name: 'n', type: 'x', size: 3 } }], links: {} }],
    ['next to a list of links', { entries: [thing], links: [{ id: '1', href: '/', name: 'self' }] }],
    ['next to a list of something else', { entries: [thing], users: [{ id: 'u', email: 'x' }] }],
    ['with a null row first', { entries: [null, thing] }],
  ])('is read %s', (_, answer) => {
    expect(readAnswer(many, answer)['things']).toEqual([thing])
  })

  test.each([
    { data: [] },
    { success: true, data: { items: [] }, meta: {} },
    { _embedded: { things: [] } },
    { error_groups: [], next_page_token: '' },
    { nextPageToken: '', things: null },
    { pagination: { total_size: 0 } },
  ])('%j is empty', (answer) => {
    expect(readAnswer(many, answer)['things']).toEqual([])
  })

  test.each([
    {},
    { code: 5, details: [] },
    { code: 5, message: 'Not Found', details: [] },
    { errors: [] },
    { errors: [{ id: 'e', name: 'forbidden' }], data: [] },
    { errors: [{ id: 'e', name: 'forbidden' }] },
    { success: false, data: [] },
    { error: 'forbidden', things: null },
    { message: 'ok' },
    { data: {} },
    { data: null },
    { meta: { request_id: '1' } },
    { things: {} },
    { groups: [] },
    { groups: [{ name: 'a row without an id' }], next_page_token: '' },
    { pagination: { total_size: 25 } },
    [1, 2],
    null,
    'ok',
  ])('%j is no list, and not an empty one', (answer) => {
    expect(() => readAnswer(many, answer)).toThrow(unknownShape)
  })
})

describe('paging', () => {
  const page = (around: object) => readAnswer(many, { things: [thing], ...around })

  test.each([
    { next_page_token: 't' },
    { nextPageToken: 't' },
    { next_cursor: 't' },
    { nextCursor: 't' },
    { nextToken: 't' },
    { cursor: 't' },
    { pagination: { next_page_token: 't' } },
    { paging: { cursor: 't' } },
    { meta: { next_cursor: 't' } },
    { meta: { pagination: { nextPageToken: 't' } } },
    { page: { next_token: 't' } },
    { pageInfo: { endCursor: 't', hasNextPage: true } },
    { next_page_token: '', pagination: { nextPageToken: 't' } },
    { cursor: 'this one', next_cursor: 't' },
  ])('the token of the next page is found in %j', (around) => {
    expect(page(around)).toMatchObject({ next_page_token: 't', pagination: { next_page_token: 't' } })
  })

  test('the token and the total are found around a list that is wrapped', () => {
    const answer = { success: true, data: [thing], meta: { next_cursor: 8, total: '25' } }
    expect(readAnswer(many, answer)).toEqual({
      things: [thing],
      next_page_token: '8',
      pagination: { next_page_token: '8', total_size: 25 },
    })
    const inner = { data: { things: [thing], next_page_token: 't', total_size: 9 } }
    expect(readAnswer(many, inner)).toMatchObject({ next_page_token: 't', pagination: { total_size: 9 } })
  })

  test.each([
    { next_page_token: '' },
    { next_page_token: null },
    { next_page_token: 0 },
    { cursor: 'this one', next_cursor: '' },
    { pageInfo: { endCursor: 't', hasNextPage: false } },
    { meta: { has_more: false } },
  ])('%j says that there is no next page', (around) => {
    expect(page(around)).toMatchObject({ next_page_token: '', pagination: { next_page_token: '' } })
  })

  test.each([{}, { meta: { request_id: 'r' } }, { page: 2 }, { total: 40 }, { next_page_token: {} }])(
    '%j says nothing about pages',
    (around) => {
      expect(page(around)).toEqual({ things: [thing] })
    },
  )

  test.each([
    ['total_size', { pagination: { total_size: 25 } }],
    ['totalSize', { pagination: { totalSize: '25' } }],
    ['total', { meta: { total: 25 } }],
    ['total_count', { paging: { total_count: 25 } }],
    ['count', { page: { count: 25 } }],
    ['total_size at the top', { total_size: 25 }],
  ])('the total is found as %s', (_, around) => {
    expect(page(around)['pagination']).toEqual({ total_size: 25 })
  })

  test.each([
    ['-1', { pagination: { total_size: -1 } }],
    ['less than the rows', { pagination: { total_size: 0 } }],
    ['the rows of a page that is not the last', { page: { count: 1, next_token: 't' } }],
  ])('%s is no total', (_, around) => {
    expect(page(around)['pagination'] ?? {}).not.toHaveProperty('total_size')
  })
})

const envelopes: ((answer: Record<string, unknown>) => unknown)[] = [
  (answer) => ({ data: answer }),
  (answer) => ({ success: true, data: answer, meta: { request_id: 'r1' } }),
  (answer) => ({ result: answer, error: null }),
  (answer) => ({ status: 'ok', payload: answer }),
]

const endpoints = Object.entries(contract) as [string, Endpoint][]

test.each(endpoints.filter(([, { stream }]) => !stream))('%s is read the same from each envelope', (_, entry) => {
  const [name] = Object.keys(entry.returns.shape)
  if (name === undefined) return
  fc.assert(
    fc.property(arbitraryValue(entry.returns), fc.constantFrom(...envelopes), (sent, wrap) => {
      const answer = sent as Record<string, unknown>
      const plain = opened(readAnswer(entry, answer))
      expect(opened(readAnswer(entry, wrap(answer)))).toEqual(plain)
      const rows = answer[name]
      if (!Array.isArray(rows) || !('next_page_token' in answer)) return
      const { [name]: __, ...around } = answer
      expect(opened(readAnswer(entry, { ...around, items: rows, others: [{ rel: 'self' }] }))).toEqual(plain)
      expect(opened(readAnswer(entry, { data: { ...around, items: rows } }))).toEqual(plain)
    }),
    { numRuns: 4 },
  )
})
