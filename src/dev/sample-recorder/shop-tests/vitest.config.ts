import { defineConfig } from 'vitest/config'

export default defineConfig({
  // As the build does it, so that older releases can be tested with today's tests.
  define: { __SHOP_RELEASE__: JSON.stringify(process.env['SHOP_RELEASE'] ?? 'shop@1.4.1') },
  cacheDir: '.vite',
  test: { include: ['test/**/*.test.ts'], includeTaskLocation: true },
})
