import { reportWorker, sourceMapWorker } from '../../../../src/cli/support/workers.ts'
import { openService } from '../../../../src/service/index.ts'
import { probe } from '../probes.ts'

/**
 * A process for a test that kills it: the service on the data directory of its first argument and the
 * database of its second, if there is one, with a type whose run says
 * two things and then never ends. It prints a line when the run is that far.
 */
const [, , dataDir = '', databaseUrl] = process.argv
// Nothing of the service keeps a process alive that has no listener.
setInterval(() => {}, 60_000)
const type = probe(async (context) => {
  await context.progress({ phase: 'cases', done: 1, total: 2 })
  await context.finding('One case is alone.', { test_id: 't1' })
  process.stdout.write('ready\n')
  return new Promise<never>(() => {})
})
await openService({
  dataDir,
  databaseUrl,
  secret: 'a secret of the tests',
  version: '0.0.0-test',
  sourceMapWorker,
  reportWorker,
  agentTypes: [type],
})
