import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ServiceError } from '../../../src/errors.ts'
import { compileRoutes } from '../../../src/service/rest/routes.ts'

const match = compileRoutes([
  ['GET', '/v1/issues/{id}', 'get'],
  ['POST', '/v1/issues/{id}:setStatus', 'set'],
  ['GET', '/v1/products/{product_id}/issues', 'list'],
  ['POST', '/v1/products/{product_id}/issues:bulkSetStatus', 'bulk'],
  ['GET', '/v1/products/{product_id}/issues/{issue_id}', 'nested'],
  ['GET', '/v1/products/{product_id}/issues/facets', 'facets'],
  ['POST', '/v1/tests/{test_id}/links', 'link'],
  ['GET', '/v1/tests/{id}/links', 'links'],
])

test('verbs, literals and parameters are told apart, and each method has its own names', () => {
  expect(match('GET', '/v1/issues/a')).toEqual({ target: 'get', parameters: { id: 'a' } })
  for (const colon of [':', '%3A', '%3a']) {
    expect(match('POST', `/v1/issues/a${colon}setStatus`)).toEqual({ target: 'set', parameters: { id: 'a' } })
  }
  expect(match('POST', '/v1/products/1/issues:bulkSetStatus')).toEqual({
    target: 'bulk',
    parameters: { product_id: '1' },
  })
  expect(match('GET', '/v1/products/1/issues/facets')?.target).toBe('facets')
  expect(match('GET', '/v1/products/1/issues/x')).toEqual({
    target: 'nested',
    parameters: { product_id: '1', issue_id: 'x' },
  })
  expect(match('POST', '/v1/tests/t/links')?.parameters).toEqual({ test_id: 't' })
  expect(match('GET', '/v1/tests/t/links')?.parameters).toEqual({ id: 't' })
})

test('a path that is known under other methods has no target; an unknown one no match', () => {
  expect(match('DELETE', '/v1/issues/a')).toEqual({ target: undefined, parameters: {} })
  for (const path of ['/v1/issues', '/v1/issues/', '/v1/issues/a:b', '/v1/issues/:setStatus', '/v1/issues/a/b', ''])
    expect([path, match('GET', path)]).toEqual([path, undefined])
})

test('any value that the client encodes arrives as it was, or is refused', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (value) => {
      // oxlint-disable-next-line no-control-regex -- control characters are what is refused
      const isRefused = value === '.' || value === '..' || /[/\\\u0000-\u001f\u007f]/.test(value)
      const read = () => match('GET', `/v1/issues/${encodeURIComponent(value)}`)?.parameters
      expect(throwsInvalid(read) ? 'refused' : read()).toEqual(isRefused ? 'refused' : { id: value })
    }),
  )
})

test('a value is decoded once, and dots and slashes are refused however they are written', () => {
  expect(match('GET', '/v1/issues/%252e%252e')?.parameters).toEqual({ id: '%2e%2e' })
  for (const value of ['..', '.', '%2e%2e', '.%2E', '%2e', '%2f', 'a%2Fb', '%5c', '%00', '%0a', '%zz', '%ff'])
    expect([value, () => match('GET', `/v1/issues/${value}`)]).toEqual([value, expect.toSatisfy(throwsInvalid)])
})

function throwsInvalid(run: () => unknown): boolean {
  try {
    run()
    return false
  } catch (thrown) {
    return thrown instanceof ServiceError && thrown.code === 'invalid_argument'
  }
}
