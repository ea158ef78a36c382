import type { Api } from '../../client/api.ts'
import { contract, type EndpointName } from '../../contract/index.ts'
import type { Endpoint } from '../../contract/base/endpoint.ts'
import { isNotComputed, ServiceError } from '../../errors.ts'
import { inBatches } from '../../lib/batches.ts'
import { isObject } from '../../lib/objects.ts'
import { isNotOffered } from '../../mcp/resolve/offered.ts'
import { uses } from './uses.ts'

/** Requests that run concurrently. */
export const AT_ONCE = 8
/** Rows of a page: enough to see what a deployment does. */
export const ROWS = 20

export type Row = Readonly<Record<string, unknown>>
export type Method = (request: Row, options: { signal: AbortSignal }) => Promise<Row>
export type Methods = Readonly<Record<string, Method>>

/** What the deployment answered to a request for one endpoint, all without filters. */
export type Outcome =
  | { state: 'offered'; answer: Row; rows: readonly Row[]; request: Row }
  | { state: 'missing' }
  | { state: 'failed'; why: string }
  /** `needs` is the list that has no row yet, by which the path could be made. */
  | { state: 'untried'; needs: string }

export type Outcomes = ReadonlyMap<EndpointName, Outcome>

/** The rows that paths are made of, by the name of their list: `issues`. */
export type Known = Map<string, Row>

/** The methods of a client, for calls by the name of an endpoint. */
export function methodsFrom(api: Api): Methods {
  return api as unknown as Methods
}

/**
 * Asks every endpoint that the tools read, once, by reads alone: paths are those of the contract table, made of the ids in
 * the answers before. `known` has the product, and gets a row of each list. What fails is an outcome.
 */
export async function askAll(api: Api, known: Known, signal: AbortSignal): Promise<Outcomes> {
  const outcomes = new Map<EndpointName, Outcome>()
  const left = new Set(Object.keys(uses) as EndpointName[])
  for (;;) {
    const ready = [...left].filter((name) => parents(name).every(({ list }) => known.has(list)))
    if (ready.length === 0) break
    await inBatches(ready, AT_ONCE, async (name) => {
      left.delete(name)
      const outcome = await ask(name, api, known, signal)
      outcomes.set(name, outcome)
      if (outcome.state === 'offered') remember(name, outcome, known)
    })
  }
  for (const name of left) {
    const needs = parents(name).find(({ list }) => !known.has(list))?.list ?? ''
    outcomes.set(name, { state: 'untried', needs })
  }
  const order = Object.keys(uses)
  return new Map([...outcomes].toSorted(([one], [other]) => order.indexOf(one) - order.indexOf(other)))
}

async function ask(name: EndpointName, api: Api, known: Known, signal: AbortSignal): Promise<Outcome> {
  const isList = mainList(name) !== undefined
  const request = { ...givenIds(name, known), ...uses[name]?.options, ...(isList && { page_size: ROWS }) }
  try {
    const answer = (await methodsFrom(api)[name]?.(request, { signal })) ?? {}
    return { state: 'offered', answer, rows: rowsIn(name, answer), request }
  } catch (error) {
    // Everything that a path names was read before.
    if (isNotOffered(error)) return { state: 'missing' }
    if (isNotComputed(error)) return { state: 'offered', answer: {}, rows: [], request }
    return { state: 'failed', why: failureWords(error, signal) }
  }
}

/** Why a request failed; throws what is no failure of the deployment. */
export function failureWords(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'no answer before the time for all requests was over'
  if (!(error instanceof ServiceError)) throw error
  return error.code === 'resource_exhausted' ? 'too many requests for this deployment: try again later' : error.message
}

function remember(name: EndpointName, { answer, rows }: { answer: Row; rows: readonly Row[] }, known: Known): void {
  const list = mainList(name)
  const row = rows.find(hasIssues) ?? rows[0]
  if (list !== undefined && row !== undefined && !known.has(list)) known.set(list, row)
  // A single occurrence can also be asked for where occurrences are not listed.
  const { latest_event: event } = answer
  if (isObject(event) && !known.has('events')) known.set('events', event)
}

/** Whether a release says that it brought issues: of one without them nothing can be learned. */
function hasIssues({ counts }: Row): boolean {
  return isObject(counts) && Number(counts['new_issues']) > 0
}

/** The ids in the path of an endpoint, and in its parameter that takes some. */
export function givenIds(name: EndpointName, known: Known): Row {
  const several = uses[name]?.ids?.parameter
  return Object.fromEntries(
    parents(name).map(({ list, parameter }) => {
      const id = known.get(list)?.['id']
      return [parameter, parameter === several ? [id] : id]
    }),
  )
}

/**
 * The lists whose rows an endpoint is asked for with, with the parameters: those of its path, such as `issues` and `id`
 * for /v1/issues/{id}/stats, and the one that takes ids.
 */
function parents(name: EndpointName): { list: string; parameter: string }[] {
  const inPath = [...contract[name].path.matchAll(/\/([a-z-]+)\/\{(\w+)\}/g)]
  const places = inPath.map(([, list = '', parameter = '']) => ({ list: list.replaceAll('-', '_'), parameter }))
  const ids = uses[name]?.ids
  return ids === undefined ? places : [...places, ids]
}

/** The name of the rows of a list; undefined for an endpoint that is no list. */
function mainList(name: EndpointName): string | undefined {
  const { returns }: Endpoint = contract[name]
  return 'next_page_token' in returns.shape ? Object.keys(returns.shape)[0] : undefined
}

export function rowsIn(name: EndpointName, answer: Row): readonly Row[] {
  const rows = answer[mainList(name) ?? '']
  return Array.isArray(rows) ? rows.filter(isObject) : []
}
