import { replyText } from '../../../../src/contract/base/wire.ts'
import { keepHeapSmall } from '../../../../src/cli/support/memory.ts'
import { origin, startApp } from '../../../app.ts'
import { connect } from '../../../mcp/clients.ts'
import { elapsed } from '../../harness/measure.ts'
import { pages, type Reading } from './pages.ts'
import { findSubjects } from './subjects.ts'
import { issueEvent } from '../../support/stored-events/issue-event.ts'
import { mostResidentMb } from '../../support/process-memory.ts'

/** What the measuring process asks for: a page by its table and name, the number of its rows, or the memory. */
export type Asked = (PageName & { after?: Before; rows?: number | undefined }) | { rowsOf: PageName } | 'memory'

/** What happens before a page is read: a commit that changes no issue, or an event of one of the first issues. */
export type Before = 'a commit' | 'an event'

export interface PageName {
  table: string
  page: string
}

/** The data is kept for further runs, so a commit only turns the last bit of a time. SQLite does not write equal values. */
const TURN_BIT = 'UPDATE workspace SET updated_at = updated_at + 1 - 2 * (updated_at % 2)'

/** Of these one after the other has an event: the first ones are the loudest. */
const ISSUES_WITH_EVENTS = 50
let events = 0

const happens: Record<Before, () => Promise<unknown>> = {
  'a commit': () => app.db.batch((prepare) => prepare(TURN_BIT).run()),
  async 'an event'() {
    const { status } = await app.ingest(issueEvent((events += 1) % ISSUES_WITH_EVENTS))
    if (status !== 200) throw new Error(`an event was answered with ${String(status)}`)
  },
}

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
  // As text: reading it is the caller's time.
  async get(path) {
    const headers = { authorization: `Bearer ${app.token}` }
    const reply = await app.service.direct({ method: 'GET', url: origin + path, headers })
    const text = await replyText(reply)
    if (reply.status !== 200) throw new Error(`${path} was answered with ${text}`)
    return text
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

/** Milliseconds, rows, or megabytes of resident memory. */
async function answer(asked: Asked): Promise<void> {
  if (asked === 'memory') return void process.send?.(mostResidentMb(process.pid))
  if ('rowsOf' in asked) return void process.send?.(rowsOn(await read(asked.rowsOf)))
  if (asked.after !== undefined) await happens[asked.after]()
  process.send?.(await elapsed(async () => read(asked)))
}

async function read({ table, page, rows }: PageName & { rows?: number | undefined }): Promise<unknown> {
  return pages[table]?.[page]?.({ ...reading, rows })
}

/** The length of the list that an answer of the REST surface is; 0 for every other answer. */
function rowsOn(answer: unknown): number {
  const body: unknown = typeof answer === 'string' ? JSON.parse(answer) : undefined
  const isPage = typeof body === 'object' && body !== null && 'pagination' in body
  return isPage ? (Object.values(body).find((member) => Array.isArray(member))?.length ?? 0) : 0
}

async function close(): Promise<void> {
  await agent[Symbol.asyncDispose]()
  await app.close()
  process.exit()
}
