import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    globalSetup: ['test/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Two cores: a third worker loads every module once more and takes as long.
    maxWorkers: 2,
    // Loading the modules again for every file took half of the test time. No test replaces a module; one that changes the
    // environment or the timers restores them.
    isolate: false,
    projects: [
      { extends: true, test: { name: 'embedded', include: ['test/**/*.test.ts'] } },
      {
        extends: true,
        // The tools once more, at a deployment that differs from the embedded service (test/upstream/switch.ts). Left out
        // are files that take long and ask nothing of a deployment that others do not, and those that reshape it themselves.
        test: {
          name: 'reshaped',
          include: ['test/tools/*.test.ts'],
          exclude: [
            'test/tools/{triage-walk,ingest-failed-run,variation,own-files,said-cuts,surface}.test.ts',
            'test/tools/{absent-members,concurrent-writes,not-offered,unfiltered-lists,unread-answers}.test.ts',
            'test/tools/{unstated-marks,writes-elsewhere}.test.ts',
          ],
          env: { TRACEGATE_TEST_UPSTREAM: 'all' },
        },
      },
    ],
  },
})
