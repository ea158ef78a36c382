import type { InputOf, ResponseOf } from '../../../src/contract/index.ts'
import { startApp, type App, type AppOptions, type Reply } from '../../app.ts'

/** A product with a small tree and an open branch, through the router. */
export async function startTree(options: AppOptions = {}) {
  const app = await startApp(options)
  return Object.assign(app, { tree: createTree(app) })
}

function createTree(app: App) {
  const product = `/v1/products/${app.productId}`
  const at = (branch: string | undefined) => (branch === undefined ? '' : `?branch_id=${branch}`)
  return {
    product,
    async branch(name = 'Guests'): Promise<string> {
      return (await app.request<ResponseOf<'createBranch'>>('POST', `${product}/branches`, { name })).body.branch.id
    },
    getBranch: async (id: string) => (await app.request<ResponseOf<'getBranch'>>('GET', `/v1/branches/${id}`)).body,
    async requirement(fields: Partial<InputOf<'createRequirement'>> & { title: string }) {
      const reply = await app.request<ResponseOf<'createRequirement'>>('POST', `${product}/requirements`, fields)
      return done(reply).requirement
    },
    async change(id: string, fields: Partial<InputOf<'updateRequirement'>>) {
      const reply = await app.request<ResponseOf<'updateRequirement'>>('PUT', `/v1/requirements/${id}`, fields)
      return done(reply).requirement
    },
    remove: (id: string, branch?: string, recursive = true) =>
      app.request(
        'DELETE',
        `/v1/requirements/${id}?recursive=${String(recursive)}${branch === undefined ? '' : `&branch_id=${branch}`}`,
      ),
    async read(id: string, branch?: string) {
      return done(await app.request<ResponseOf<'getRequirement'>>('GET', `/v1/requirements/${id}${at(branch)}`))
    },
    async list(branch?: string, query = '') {
      const path = `${product}/requirements?page_size=200${query}${branch === undefined ? '' : `&branch_id=${branch}`}`
      return done(await app.request<ResponseOf<'listRequirements'>>('GET', path)).requirements
    },
    async test(fields: Partial<InputOf<'createTest'>> & { title: string }) {
      const body = { kind: 'case', ...fields }
      return done(await app.request<ResponseOf<'createTest'>>('POST', `${product}/tests`, body)).test
    },
    async listTests(branch?: string, query = '') {
      const path = `${product}/tests?page_size=200${query}${branch === undefined ? '' : `&branch_id=${branch}`}`
      return done(await app.request<ResponseOf<'listTests'>>('GET', path)).tests
    },
  }
}

/** The body of a reply that succeeded. */
export function done<T>({ status, body }: Reply<T>): T {
  if (status !== 200) throw new Error(`${String(status)}: ${JSON.stringify(body)}`)
  return body
}

/** All stored rows that a branch must not change before its merge. */
export async function mainRows({ db }: App) {
  const tables = [
    'requirement',
    'requirement_version',
    'requirement_path',
    'requirement_component',
    'requirement_coverage',
    'test',
    'test_link',
    'exclusion',
  ] as const
  const rows: Record<string, unknown> = {}
  for (const table of tables) rows[table] = await db.read.selectFrom(table).selectAll().execute()
  const products = await db.read.selectFrom('product').selectAll().execute()
  return { ...rows, products }
}
