import type { Context } from '../../../src/mcp/define/define.ts'
import type { Component, Environment, Product, Release } from '../../../src/mcp/resolve/types.ts'
import { nextCall } from '../../../src/mcp/result/next-action.ts'
import { isShowable, TeachingError } from '../../../src/mcp/result/teach.ts'
import { teamText } from '../../../src/mcp/text/team.ts'
import { givenName } from '../columns.ts'

/** What a caller searches for. */
interface IssueQuery {
  status: string
  environment?: string | undefined
  release?: string | undefined
  first_seen_in_release: boolean
  component?: string | undefined
  levels?: readonly string[] | undefined
  platforms?: readonly string[] | undefined
  period?: string | undefined
  match?: string | undefined
}

/** The things that the query names. */
export interface IssueFilter {
  environment: Environment | undefined
  component: Component | undefined
  release: Release | undefined
}

/** Finds what the query names; throws an error that lists candidates where a name is unknown or ambiguous. */
export async function resolveFilter(query: IssueQuery, product: Product, { resolve }: Context): Promise<IssueFilter> {
  if (query.first_seen_in_release && query.release === undefined) {
    throw new TeachingError('invalid_argument', 'first_seen_in_release needs a release', {
      sent: 'first_seen_in_release = true without release',
      expected: 'release: a version or release id',
      next: nextCall('get_workspace_context', { product: product.id, include: ['releases'] }, 'lists releases'),
    })
  }
  const [environment, component] = await Promise.all([
    query.environment === undefined ? undefined : resolve.environment(product.id, query.environment),
    query.component === undefined ? undefined : resolve.component(product.id, query.component),
  ])
  const release =
    query.release === undefined ? undefined : await resolve.release(product.id, query.release, environment?.id)
  return { environment, component, release }
}

const periodWords: ReadonlyMap<string, string> = new Map([
  ['3m', '3 minutes'],
  ['1h', 'hour'],
  ['12h', '12 hours'],
  ['1d', 'day'],
  ['7d', '7 days'],
  ['30d', '30 days'],
])

/** ` new in 1.4.0, in production`: the query in words. */
export function filterWords(query: IssueQuery, found: IssueFilter): string {
  const environment = query.environment === undefined ? undefined : found.environment
  const release = query.release === undefined ? undefined : found.release
  const component = query.component === undefined ? undefined : found.component
  const version = givenName(query.release ?? '', release?.version, release?.known) ?? 'the release'
  const words = [
    query.match !== undefined && 'matching',
    query.first_seen_in_release ? `new in ${version}` : release && `seen in ${version}`,
    environment && `in ${givenName(query.environment ?? '', environment.name, environment.known) ?? 'the environment'}`,
    component && `of ${teamText(component.name ?? 'the component')}`,
    query.levels && `of level ${query.levels.join(' or ')}`,
    query.platforms && `on ${query.platforms.every(isShowable) ? query.platforms.join(' or ') : 'these platforms'}`,
    query.period && `in the last ${periodWords.get(query.period) ?? query.period}`,
  ].filter((word) => word !== undefined && word !== false && word !== '')
  return words.length === 0 ? '' : ` ${words.join(', ')}`
}

/** What to change where nothing was found. */
export function widerWords(query: IssueQuery): string {
  const filters = [
    query.environment !== undefined && 'environment',
    query.release !== undefined && 'release',
    query.component !== undefined && 'component',
    query.levels !== undefined && 'levels',
    query.platforms !== undefined && 'platforms',
  ].filter((name) => name !== false)
  const wider = [
    query.status !== 'any' && 'status any',
    query.match !== undefined && 'a shorter match',
    query.period !== undefined && query.period !== '30d' && 'a longer period',
    filters.length > 0 && `leave ${filters.join(' or ')} out`,
  ].filter((word) => word !== false)
  if (wider.length === 0) return 'None has arrived in that time.'
  return `Widen it: ${[...wider.slice(0, -2), wider.slice(-2).join(', or ')].join(', ')}.`
}
