import type { Suite } from './harness/suite.ts'
import { calls } from './suites/calls/index.ts'
import { crash } from './suites/crash/index.ts'
import { disk } from './suites/disk/index.ts'
import { ingest } from './suites/ingest/index.ts'
import { queries } from './suites/queries/index.ts'
import { start } from './suites/start/index.ts'

/** The suites of `npm run bench`, in the order in which they run and are shown. */
export const suites: Readonly<Record<string, Suite>> = {
  start,
  ingest,
  queries,
  calls,
  crash,
  disk,
}
