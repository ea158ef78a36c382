import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replyText } from '../../../src/contract/base/wire.ts'
import { reportWorker, sourceMapWorker } from '../../../src/cli/support/workers.ts'
import { openService } from '../../../src/service/index.ts'
import { systemPlatform } from '../../../src/service/shared/platform.ts'

/** When the answers are read; after the sample was loaded. */
const now = Date.now() + 60_000

export interface Opening {
  dataDir: string
  databaseUrl?: string | undefined
  sample?: boolean
}

/** Opens the service on a data directory, and closes it after its use. */
export async function withService<T>(
  opening: Opening,
  use: (get: (path: string) => Promise<unknown>, post: (path: string, body: unknown) => Promise<unknown>) => Promise<T>,
): Promise<T> {
  const platform = opening.sample === true ? systemPlatform : { ...systemPlatform, now: () => now }
  const secret = 'a secret of the tests'
  const service = await openService({ ...opening, secret, version: '0.0.0', sourceMapWorker, reportWorker, platform })
  const token = readFileSync(join(opening.dataDir, 'token'), 'utf8').trim()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const send = async (method: string, path: string, body?: unknown) => {
    const reply = await service.direct({
      method,
      url: `http://127.0.0.1:4319/v1/${path}`,
      headers,
      ...(body !== undefined && { body: new TextEncoder().encode(JSON.stringify(body)) }),
    })
    return { status: reply.status, etag: reply.headers['etag'], body: JSON.parse(await replyText(reply)) as unknown }
  }
  try {
    return await use(
      (path) => send('GET', path),
      (path, body) => send('POST', path, body),
    )
  } finally {
    await service.close()
  }
}

/** What follows a row of a list: paths with the ids of their rows. */
const below: Readonly<Record<string, (id: string, product: string) => string[]>> = {
  'products/:/issues?page_size=200': (id, product) => [
    `issues/${id}`,
    `issues/${id}/events`,
    `issues/${id}/stats`,
    `products/${product}/issues/${id}/fix-context`,
  ],
  'products/:/requirements?page_size=200': (id, product) => [
    `requirements/${id}`,
    `products/${product}/requirements/${id}/test-context`,
  ],
  'products/:/tests?page_size=200': (id) => [`tests/${id}`, `tests/${id}/links`],
  'products/:/branches': (id) => [`branches/${id}`, `branches/${id}/link-proposals`, `branches/${id}/merge-preview`],
  'products/:/environments': (id) => [`environments/${id}`],
  'products/:/releases': (id) => [`releases/${id}`, `releases/${id}/issues`],
  'products/:/agent-configs': (id) => [`agent-configs/${id}`, `agent-configs/${id}/runs`],
}

/** Without rows of their own. */
const others = [
  'auth/me',
  'workspaces',
  'agent-types',
  'products/:/components',
  'products/:/coverage-gaps',
  'products/:/quality-gate',
  'products/:/quality-gate/traceability',
]

/** Text searches: the order of their rows is not that of the other database. */
const searches = ['products/:/requirements?q=payment&page_size=200', 'products/:/tests?q=checkout&page_size=200']

/** Answers by their paths, of all products' main endpoints and of each row of their lists. */
export function readAnswers(opening: Opening): Promise<Record<string, unknown>> {
  return withService(opening, async (get) => {
    const answers = new Map<string, unknown>()
    const read = async (path: string) => {
      const answer = await get(path)
      answers.set(path, path.endsWith('/test-context') ? withoutRanks(answer) : answer)
      return answer
    }
    for (const path of others) await read(path.replace(':', '1'))
    for (const path of searches) answers.set(path, rowIds(await get(path.replace(':', '1'))).toSorted())
    for (const [path, follow] of Object.entries(below)) {
      const answer = await read(path.replace(':', '1'))
      for (const id of rowIds(answer)) for (const next of follow(id, '1')) await read(next)
    }
    return Object.fromEntries(answers)
  })
}

/** Similar tests are those that a text search ranks best, which differs between the databases (decision 095). */
function withoutRanks(answer: unknown): unknown {
  return JSON.parse(
    JSON.stringify(answer, (name, value: unknown) =>
      name === 'similar_tests' || name === 'token_estimate' ? undefined : value,
    ),
  )
}

function rowIds(answer: unknown): string[] {
  const { body } = answer as { body: Record<string, unknown> }
  const list = Object.values(body).find(Array.isArray) as { id?: string; issue?: { id: string } }[] | undefined
  return (list ?? []).map(({ id, issue }) => id ?? issue?.id ?? '')
}
