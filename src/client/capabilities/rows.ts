import type { Endpoint } from '../../contract/base/endpoint.ts'
import { isObject } from '../../lib/objects.ts'
import type { Row } from './filters.ts'
import type { Answer } from './parameters.ts'

/** The rows of a page of a list: its first member, or the `rows` in it, as in the traceability matrix. */
export function rowsIn({ returns }: Endpoint, answer: Answer): readonly Row[] {
  const [member = ''] = Object.keys(returns.shape)
  const main = answer[member]
  const rows = isObject(main) ? main['rows'] : main
  return Array.isArray(rows) ? (rows as Row[]) : []
}

/** The member of an answer that holds these rows; a matrix that came without rows stays without. */
export function withRows({ returns }: Endpoint, rows: readonly Row[], answer: Answer): Answer {
  const [member = ''] = Object.keys(returns.shape)
  const main = answer[member]
  if (!isObject(main)) return { [member]: rows }
  return { [member]: { ...main, ...(main['rows'] !== undefined && { rows }) } }
}

/** The id of a row, or of the requirement that a row of the matrix is about. */
export function rowId({ id, requirement }: Row): string | undefined {
  const found = id ?? (isObject(requirement) ? requirement['id'] : undefined)
  return typeof found === 'string' && found !== '' ? found : undefined
}
