import type { Api } from '../../../src/client/api.ts'
import type { App } from '../../app.ts'
import { openProduct } from '../fixtures/quality-product.ts'
import { elapsed, inTurn, longestPiece } from '../harness/measure.ts'
import type { Figure, Suite, Table } from '../harness/suite.ts'
import { withDurablePostgres } from '../support/durable-postgres.ts'

const ROUNDS = 15

/** Of a table that no page is made of, by another process. */
const COMMIT = 'UPDATE workspace SET updated_at = updated_at + 1'
const frames = [{ function: 'run', filename: 'src/part-1/file.ts', lineno: 1, in_app: true }]
const event = { exception: { values: [{ type: 'Error', value: 'x', stacktrace: { frames } }] } }

const pages: Record<string, (api: Api, id: string, app: App) => Promise<unknown>> = {
  'gap page': (api, id) => api.listCoverageGaps({ product_id: id, page_size: 15 }),
  'requirements page': (api, id) => api.listRequirements({ product_id: id, page_size: 50 }),
  'requirements search': (api, id) => api.listRequirements({ product_id: id, q: 'refund 7', page_size: 50 }),
  'tests page': (api, id) => api.listTests({ product_id: id, page_size: 50 }),
  'test context': (api, id) => api.getTestContext({ product_id: id, requirement_id: 'requirement-7' }),
  verdict: (api, id) => api.computeGate({ product_id: id }),
  'verdict after an event': async (api, id, app) => {
    await app.ingest(event)
    await api.computeGate({ product_id: id })
  },
  'verdict after a commit of another process': async (api, id, app) => {
    await app.db.batch((prepare) => prepare(COMMIT).run())
    await api.computeGate({ product_id: id })
  },
}

const SMALL = { requirements: 1_000, tests: 10_000 }

/** Pages of gaps, requirements and tests and verdicts of the gate, read through the client. */
export const coverage: Suite = {
  about:
    'Pages of gaps, requirements and tests, and verdicts, in a product of 1,000 requirements and 10,000 cases, and in one ten times as large (decision 015).',
  async run() {
    await using small = await openProduct(SMALL)
    await using large = await openProduct({ requirements: 10_000, tests: 100_000 })
    const figures: Figure[] = []
    for (const [name, page] of Object.entries(pages)) {
      const read = (app: App) => elapsed(() => page(app.api, app.productId, app))
      const taken = await inTurn({ small: () => read(small), large: () => read(large) }, ROUNDS)
      figures.push({ name: `${name}, 10,000 cases`, unit: 'ms', values: taken.small })
      figures.push({
        name: `${name}, 100,000 cases`,
        unit: 'ms',
        values: taken.large,
        against: `${name}, 10,000 cases`,
      })
    }
    return [
      { title: 'Pages of requirements, gaps and tests, and verdicts', figures },
      await pieces({ '10,000': small, '100,000': large }),
      await onPostgres(),
    ]
  },
}

const whole: Record<string, (app: App) => Promise<unknown>> = {
  'verdict after a commit': async (app) => {
    await app.db.batch((prepare) => prepare(COMMIT).run())
    await app.request('GET', `/v1/products/${app.productId}/quality-gate`)
  },
  'traceability matrix': (app) => app.request('GET', `/v1/products/${app.productId}/quality-gate/traceability`),
}

/** What everybody else waits for at most while all requirements and tests are read. */
async function pieces(products: Record<string, App>): Promise<Table> {
  const figures: Figure[] = []
  for (const [name, read] of Object.entries(whole)) {
    for (const [cases, app] of Object.entries(products)) {
      const values: number[] = []
      for (let round = 0; round < 5; round += 1) values.push(await longestPiece(() => read(app)))
      figures.push({ name: `${name}, ${cases} cases`, unit: 'ms', values })
    }
  }
  return { title: 'The longest piece of the event loop', figures }
}

/** Each page of the smaller product, on a server of this machine. */
function onPostgres(): Promise<Table> {
  return withDurablePostgres(async ({ server }) => {
    await using app = await openProduct(SMALL, { databaseUrl: server.url('tracegate') })
    const figures: Figure[] = []
    for (const [name, page] of Object.entries(pages)) {
      const values: number[] = []
      for (let round = 0; round < ROUNDS; round += 1)
        values.push(await elapsed(() => page(app.api, app.productId, app)))
      figures.push({ name: `${name}, 10,000 cases`, unit: 'ms', values })
    }
    return { title: 'The same on PostgreSQL', figures }
  })
}
