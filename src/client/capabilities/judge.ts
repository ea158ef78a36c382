import { randomUUID } from 'node:crypto'
import { pathParameters, type Endpoint } from '../../contract/base/endpoint.ts'
import { ServiceError } from '../../errors.ts'
import type { Capabilities } from './capabilities.ts'
import type { Filter, Row } from './filters.ts'
import { nextToken } from './paging.ts'
import { isRefusal, type Answer, type Ask, type Request } from './parameters.ts'

/** A filter with the value that the caller asked for. */
export interface AskedFilter {
  name: string
  value: unknown
  filter: Filter
}

interface Judged {
  endpoint: Endpoint
  request: Request
  capabilities: Capabilities
  ask: Ask
  rowsIn: (answer: Answer) => readonly Row[]
  now: number
}

/**
 * Finds out which of the filters that were sent the deployment ignores. Rows that all match are as they should be, and
 * enough where the specification names the filter or nothing else depends on it. Otherwise a value that nothing can have is
 * asked for, once: rows in the answer, and the filter is ignored. A refusal of the value says that it is known.
 */
export async function judgeFilters(
  sent: readonly AskedFilter[],
  rows: readonly Row[],
  hasMore: boolean,
  judged: Judged,
): Promise<void> {
  const { endpoint, capabilities, now } = judged
  const doubtful = sent.filter(({ name, value, filter }) => {
    if (capabilities.state(endpoint.path, name) !== 'accepted') return false
    if (rows.length === 0) return filter.isState === true
    const allMatch = rows.every((row) => filter.matches(row, value, now) === true)
    return !allMatch || (hasMore && !endpoint.specified.includes(name))
  })
  await Promise.all(doubtful.map((one) => judge(one, rows, judged)))
}

async function judge(asked: AskedFilter, rows: readonly Row[], judged: Judged): Promise<void> {
  const { endpoint, capabilities, now } = judged
  const isString = (value: unknown) => typeof value === 'string'
  const canProbe = isString(asked.value) || (Array.isArray(asked.value) && asked.value.every(isString))
  const isIgnored =
    (canProbe ? await findsNonsense(asked.name, judged) : undefined) ??
    (rows.some((row) => asked.filter.matches(row, asked.value, now) === false) || undefined)
  if (isIgnored !== undefined) capabilities.note(endpoint.path, asked.name, isIgnored ? 'ignored' : 'applied')
}

/** Pages without rows, but with a token, after which it stays open what a deployment does. */
const EMPTY_PAGES = 3

/** Whether a value that nothing can have finds rows; undefined where empty pages lead to others and do not say it. */
async function findsNonsense(
  name: string,
  { endpoint, request, capabilities, ask, rowsIn }: Judged,
): Promise<boolean | undefined> {
  const path = pathParameters(endpoint.path).map((parameter) => [parameter, request[parameter]])
  const isSized = request['page_size'] !== undefined && capabilities.state(endpoint.path, 'page_size') !== 'refused'
  const size = isSized ? { page_size: 1 } : {}
  try {
    const nonsense = { ...Object.fromEntries(path), [name]: randomUUID(), ...size }
    let token: string | undefined
    for (let page = 0; page < EMPTY_PAGES; page += 1) {
      const answer = await ask({ ...nonsense, ...(token !== undefined && { page_token: token }) })
      if (rowsIn(answer).length > 0) return true
      const next = nextToken(answer)
      if (next === undefined || next === '' || next === token) return false
      token = next
    }
    return undefined
  } catch (error) {
    if (isRefusal(error) || (error instanceof ServiceError && error.code === 'not_found')) return false
    throw error
  }
}
