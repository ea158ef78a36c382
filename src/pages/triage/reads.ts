import { issueName } from '../../mcp/resolve/ids.ts'
import { describePage, type Page } from '../../mcp/result/page.ts'
import type { Product } from '../../mcp/resolve/types.ts'
import { issuePicture } from '../picture/from-issues.ts'
import type { IssuePicture } from '../picture/issue-types.ts'
import type { Reading } from '../session/reading.ts'
import { readChoices, type Choices } from './choices.ts'
import type { BoardQuery } from './query.ts'
import { readTrends } from './trends.ts'

/** Issues on one page: each is a request for its occurrences over time, and 2 ms of the browser (decision 111). */
const ROWS = 15

/** One page of the board. */
export interface Board {
  /** Reads their occurrences over time, which takes longer than everything else. */
  issues(this: void): Promise<readonly IssuePicture[]>
  page: Page
  choices: Choices
  /** The ids of what the query names, so that the form shows it as chosen. */
  chosen: { environment: string | undefined; release: string | undefined; component: string | undefined }
}

/** The issues that the query asks for; rejects names that mean nothing. `now` is the time in milliseconds. */
export async function readBoard(query: BoardQuery, product: Product, reading: Reading, now: number): Promise<Board> {
  const { reader, resolve, signal } = reading
  const chosen = await resolveNames(query, product.id, reading)
  const { status, sort, period, match, issue, page: token } = query
  const [response, choices, products] = await Promise.all([
    reader.api.listIssues(
      {
        product_id: product.id,
        status: status === 'any' ? undefined : status,
        environment_id: chosen.environment,
        release_id: chosen.release,
        component_id: chosen.component,
        period,
        sort,
        q: match,
        short_id: issue,
        page_size: ROWS,
        page_token: token,
      },
      { signal },
    ),
    readChoices(product.id, reading),
    resolve.products(),
  ])
  const { issues } = response
  const showsStatus = status === 'any' || response.reading.notApplied.includes('status')
  return {
    async issues() {
      const trends = await readTrends(
        issues.map(({ id }) => id),
        { period: period ?? '30d', environment_id: chosen.environment },
        { api: reader.api, signal },
      )
      return issues.map((one, index) =>
        issuePicture(one, { key: issueName(one, products), stats: trends[index], showsStatus, now }),
      )
    },
    page: describePage(response, issues.length, token),
    choices,
    chosen,
  }
}

async function resolveNames(query: BoardQuery, productId: string, { resolve }: Reading): Promise<Board['chosen']> {
  const { environment, release, component } = query
  const place = environment === undefined ? undefined : await resolve.environment(productId, environment)
  const [version, part] = await Promise.all([
    release === undefined ? undefined : resolve.release(productId, release, place?.id),
    component === undefined ? undefined : resolve.component(productId, component),
  ])
  return { environment: place?.id, release: version?.id, component: part?.id }
}
