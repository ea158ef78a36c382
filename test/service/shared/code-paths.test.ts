import { expect, test } from 'vitest'
import { isVendored } from '../../../src/service/shared/code-paths.ts'

test.each([
  'internal/cart.go',
  'internal/pay/gateway.py',
  'internal/process/task.js',
  'webpack/config.js',
  'webpack/plugins/shop.ts',
  'webpack/runtime/loader.ts',
  'webpack/sharing/basket.py',
  'webpack:///./src/webpack/runtime/loader.ts',
  'src/vendor.ts',
  'https://shop.example/unpkg.com/app.js',
])('%s may be a file of the repository', (path) => {
  expect(isVendored(path)).toBe(false)
})

test.each([
  'node:internal/process/task_queues',
  'node_modules/express/index.js',
  'https://unpkg.com/react@18/umd/react.js',
  'https://cdn.jsdelivr.net/npm/vue@3',
  'webpack/bootstrap',
  'webpack/bootstrap 8f3a2b',
  'webpack/runtime/jsonp chunk loading',
  'webpack/universalModuleDefinition',
  'webpack:///webpack/bootstrap',
  'webpack://shop/webpack/runtime/define property getters',
  'webpack://@acme/shop/webpack/startup',
  'webpack:///./~/react/index.js',
  '(webpack)/hot/dev-server.js',
  'turbopack:///[turbopack]/shared/runtime.ts',
])('%s is code of a package or of a bundler', (path) => {
  expect(isVendored(path)).toBe(true)
})
