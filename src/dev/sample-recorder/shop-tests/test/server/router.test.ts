import { describe, expect, test } from 'vitest'
import { findRoute, type Route } from '../../../shop/server/router.ts'

const article: Route = { method: 'GET', path: '/api/products/:sku', handle: () => {} }

describe('router', () => {
  test('finds the route of a path and reads its parts', () => {
    expect(findRoute([article], 'GET', '/api/products/tea-001')).toEqual({ route: article, params: { sku: 'tea-001' } })
  })

  test('finds nothing for another method', () => {
    expect(findRoute([article], 'POST', '/api/products/tea-001')).toBeUndefined()
  })
})
