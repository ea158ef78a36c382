import type { Api } from '../../client/api.ts'
import type { Capabilities } from '../../client/capabilities/capabilities.ts'
import { filtersByEndpoint } from '../../client/capabilities/filters.ts'
import { isRefusal } from '../../client/capabilities/parameters.ts'
import { contract, type EndpointName } from '../../contract/index.ts'
import type { Endpoint } from '../../contract/base/endpoint.ts'
import { ServiceError } from '../../errors.ts'
import { inBatches } from '../../lib/batches.ts'
import {
  AT_ONCE,
  failureWords,
  methodsFrom,
  givenIds,
  ROWS,
  rowsIn,
  type Known,
  type Outcomes,
  type Row,
} from './survey.ts'
import { NOTHING, uses } from './uses.ts'

/** What a deployment does with a filter. `taken`: no row of the answer speaks against it. */
type Verdict = 'taken' | 'ignored' | 'refused'

/** One filter of a list, and what the deployment does with it or why that is not known. */
export interface TriedFilter {
  endpoint: EndpointName
  filter: string
  verdict?: Verdict
  failed?: string
}

interface Tools {
  /** A client that sends each request as it is. */
  plainApi: Api
  /** What the requests without filters have shown. */
  capabilities: Capabilities
  known: Known
  signal: AbortSignal
}

/** Sends each filter of the tools by itself to the lists that have rows; at most two requests for each. */
export async function tryFilters(outcomes: Outcomes, tools: Tools): Promise<TriedFilter[]> {
  const asked = [...outcomes].flatMap(([endpoint, outcome]) =>
    outcome.state === 'offered' && outcome.rows.length > 0
      ? Object.entries(uses[endpoint]?.filters ?? {}).map(([filter, value]) => ({ endpoint, filter, value }))
      : [],
  )
  return inBatches(asked, AT_ONCE, async ({ endpoint, filter, value }) => {
    try {
      return { endpoint, filter, verdict: await judge(endpoint, filter, value, tools) }
    } catch (error) {
      return { endpoint, filter, failed: failureWords(error, tools.signal) }
    }
  })
}

async function judge(endpoint: EndpointName, filter: string, value: unknown, tools: Tools): Promise<Verdict> {
  const rows = await rowsWith(endpoint, { [filter]: value }, tools)
  if (rows === 'not found') return 'taken'
  if (rows !== 'refused') return rows.some((row) => contradicts(endpoint, filter, value, row)) ? 'ignored' : 'taken'
  // It may be the value that is refused.
  const real = realValue(filter, tools.known)
  if (!isNothing(value) || real === undefined) return 'refused'
  return (await rowsWith(endpoint, { [filter]: real }, tools)) === 'refused' ? 'refused' : 'taken'
}

async function rowsWith(endpoint: EndpointName, filter: Row, tools: Tools) {
  const { plainApi, capabilities, known, signal } = tools
  const isRefused = capabilities.state(contract[endpoint].path, 'page_size') === 'refused'
  const request = { ...givenIds(endpoint, known), ...filter, ...(!isRefused && { page_size: ROWS }) }
  try {
    const answer = await methodsFrom(plainApi)[endpoint]?.(request, { signal })
    return rowsIn(endpoint, answer ?? {})
  } catch (error) {
    if (isRefusal(error)) return 'refused'
    if (error instanceof ServiceError && error.code === 'not_found') return 'not found'
    throw error
  }
}

/** Whether the row shows that the filter was ignored. */
function contradicts(endpoint: EndpointName, filter: string, value: unknown, row: Row): boolean {
  const rule = filtersByEndpoint.get(contract[endpoint] as Endpoint)?.[filter]
  return isNothing(value) || rule?.matches(row, value, Date.now()) === false
}

function isNothing(value: unknown): boolean {
  const [text] = [value].flat()
  return typeof text === 'string' && text.replaceAll('-', '') === NOTHING.replaceAll('-', '')
}

/** An id that exists, for a filter by ids: that of the first environment for `environment_id`. */
function realValue(filter: string, known: Known): unknown {
  const [, noun] = /(\w+)_id$/.exec(filter.replace(/^first_/, '')) ?? []
  return noun === undefined ? undefined : known.get(`${noun}s`)?.['id']
}
