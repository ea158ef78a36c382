import { isObject } from '../../lib/objects.ts'
import type { Answer } from './parameters.ts'

/** The token of the next page; empty where there is none, undefined where the deployment does not say. */
export function nextToken(answer: Answer): string | undefined {
  const token = answer['next_page_token'] ?? paginationIn(answer)?.['next_page_token']
  if (typeof token !== 'string') return undefined
  // The zero value of a numeric token.
  return token === '0' ? '' : token
}

/** The paging members next to the rows. */
export function paginationIn({ pagination }: Answer): Record<string, unknown> | undefined {
  return isObject(pagination) ? pagination : undefined
}

/** The total that a page states; negative where it is not counted (contract §0.3). */
export function totalIn(answer: Answer): number | undefined {
  const total = paginationIn(answer)?.['total_size']
  return typeof total === 'number' && total >= 0 ? total : undefined
}
