import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/bench/**'],
    globalSetup: ['test/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Two cores: a third worker loads every module once more and takes as long.
    maxWorkers: 2,
    // Loading the modules again for every file took half of the test time. No test replaces a module; one that changes the
    // environment or the timers restores them.
    isolate: false,
  },
})
