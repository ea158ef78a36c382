import type { Suite } from './harness/suite.ts'
import { calls } from './suites/calls/index.ts'
import { coverage } from './suites/coverage.ts'
import { crash } from './suites/crash/index.ts'
import { disk } from './suites/disk/index.ts'
import { faults } from './suites/faults.ts'
import { ingest } from './suites/ingest/index.ts'
import { memory } from './suites/memory.ts'
import { move } from './suites/move/index.ts'
import { othersWait } from './suites/others-wait/index.ts'
import { pages } from './suites/pages.ts'
import { peers } from './suites/peers/index.ts'
import { processes } from './suites/processes/index.ts'
import { queries, queriesPostgres } from './suites/queries/index.ts'
import { reports } from './suites/reports.ts'
import { retention } from './suites/retention.ts'
import { start } from './suites/start/index.ts'
import { symbolication } from './suites/symbolication/index.ts'
import { tokens } from './suites/tokens/index.ts'
import { worstInput } from './suites/worst-input/index.ts'

/** The suites of `npm run bench`, in the order in which they run and are shown. */
export const suites: Readonly<Record<string, Suite>> = {
  start,
  calls,
  ingest,
  queries,
  'queries-postgres': queriesPostgres,
  crash,
  processes,
  move,
  retention,
  disk,
  memory,
  tokens,
  reports,
  coverage,
  pages,
  symbolication,
  'worst-input': worstInput,
  'others-wait': othersWait,
  faults,
  peers,
}
