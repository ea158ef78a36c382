import { keepHeapSmall } from '../../../../src/cli/support/memory.ts'
import { startApp } from '../../../app.ts'
import { connect } from '../../../mcp/clients.ts'
import { elapsed } from '../../harness/measure.ts'
import { pages, type Reading } from './pages.ts'
import { findSubjects } from './subjects.ts'
import { mostResidentMb } from '../../support/process-memory.ts'

/** What the measuring process asks for: a page by its table and name, as it is after a commit or not, or the memory. */
export type Asked = { table: string; page: string; afterCommit: boolean } | 'memory'

/** The data is kept for further runs, so a commit only turns the last bit of a time. SQLite does not write equal values. */
const TURN_BIT = 'UPDATE workspace SET updated_at = updated_at + 1 - 2 * (updated_at % 2)'

// A process of its own for each data directory, so that its memory can be told: `reader.ts DIRECTORY NOW [DATABASE]`.
// As `tracegate serve` does it.
keepHeapSmall()
const [dataDir = '', now = '', databaseUrl] = process.argv.slice(2)
const app = await startApp({
  dataDir,
  ...(databaseUrl !== undefined && { databaseUrl }),
  platform: { now: () => Number(now) },
  checkResponses: false,
})
const agent = await connect(app.api, { options: { toolsets: ['all'] } })
const reading: Reading = {
  async get(path) {
    const reply = await app.request('GET', path)
    if (reply.status !== 200) throw new Error(`${path} was answered with ${JSON.stringify(reply.body)}`)
    return reply
  },
  async call(name, args) {
    const result = await agent.call(name, args)
    if (result.isError) throw new Error(`${name}: ${result.text}`)
    return result
  },
  subjects: await findSubjects(app),
}
process.on('message', (asked: Asked) => void answer(asked))
process.on('disconnect', () => void close())
process.send?.('ready')

/** Milliseconds, or megabytes of resident memory. */
async function answer(asked: Asked): Promise<void> {
  if (asked === 'memory') return void process.send?.(mostResidentMb(process.pid))
  if (asked.afterCommit) await app.db.batch((prepare) => prepare(TURN_BIT).run())
  const read = pages[asked.table]?.[asked.page]
  process.send?.(await elapsed(async () => read?.(reading)))
}

async function close(): Promise<void> {
  await agent[Symbol.asyncDispose]()
  await app.close()
  process.exit()
}
