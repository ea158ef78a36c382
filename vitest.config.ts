import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/bench/**'],
    globalSetup: ['test/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // For two cores: the third worker fills the gaps in which the others wait for processes, disks and clocks.
    maxWorkers: 3,
    // Loading the modules again for every file took half of the test time. No test replaces a module; one that changes the
    // environment or the timers restores them.
    isolate: false,
  },
})
