import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { findPrograms } from './test/postgres/programs.ts'

/**
 * The service once more, on PostgreSQL. Left out is what asks nothing of a database, and what is about SQLite's file.
 */
const postgres: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: 'postgres',
    include: ['test/service/**/*.test.ts', 'test/postgres/**/*.test.ts'],
    exclude: [
      'test/service/sql/**',
      'test/service/intent/**',
      'test/service/shared/**',
      'test/service/errors/{grouping,event}/**',
      'test/service/errors/ingest/{auth,batch,body,budget,envelope,http,in-app,keys,moments,normalise*,store-body,waiting-room}.test.ts',
      'test/service/errors/issues/record/reopens.test.ts',
      'test/service/errors/sourcemaps/{format,scopes,table}/**',
      'test/service/errors/sourcemaps/symbolicate/{lru,map-frame,match,source-path}.test.ts',
      'test/service/quality/{reports,requirements/similarity}/**',
      'test/service/quality/coverage/rule.test.ts',
      'test/service/branches/merge/**',
      'test/service/gate/judge*.test.ts',
      'test/service/sample/load.test.ts',
      'test/service/workspace/components/{components,glob,overlap,repo-path}.test.ts',
      // Counts turns of the event loop; each message to the server takes several of them.
      'test/service/errors/issues/read/large-event.test.ts',
      // Lets time pass between two steps of a stream, which on a server take several turns of the event loop.
      'test/service/agents/events/stream.test.ts',
      // Compares the numbers of issues, given in the order of arrival: on a server, keys that are read at once have no order.
      'test/service/errors/ingest/event-thread.test.ts',
      // Lets hours of this process pass, with which the driver would give up its connections.
      'test/service/start/housekeeping.test.ts',
      // Repeats a migration of an SQLite file.
      'test/service/errors/issues/record/issue-environments.test.ts',
    ],
    globalSetup: ['test/postgres/setup.ts'],
    env: { TRACEGATE_TEST_DATABASE: 'postgres' },
  },
}

const hasServer = findPrograms() !== undefined
if (!hasServer) process.emitWarning('no PostgreSQL on this machine: the tests of the service run on SQLite only')

export default defineConfig({
  test: {
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/setup-properties.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What is waited for comes at once, but a slow machine with other work may need seconds.
    expect: { poll: { timeout: 10_000 } },
    // Two cores: a third worker loads every module once more and takes as long.
    maxWorkers: 2,
    // Loading the modules again for every file took half of the test time. No test replaces a module; one that changes the
    // environment or the timers restores them.
    isolate: false,
    projects: [
      { extends: true, test: { name: 'embedded', include: ['test/**/*.test.ts'], exclude: ['test/postgres/**'] } },
      ...(hasServer ? [postgres] : []),
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
