import { isObject } from '../../lib/objects.ts'
import type { Answer } from './parameters.ts'

/** The token of the next page; empty on the last page, undefined where the deployment does not say. */
export function nextToken(answer: Answer): string | undefined {
  const { next_page_token: token } = answer
  return typeof token === 'string' ? token : undefined
}

/** The paging members next to the rows. */
export function paginationIn({ pagination }: Answer): Record<string, unknown> | undefined {
  return isObject(pagination) ? pagination : undefined
}

/** The total that a page states. */
export function totalIn(answer: Answer): number | undefined {
  const total = paginationIn(answer)?.['total_size']
  return typeof total === 'number' ? total : undefined
}
