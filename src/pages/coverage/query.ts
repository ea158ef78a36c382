import { GapType } from '../../contract/test-context.ts'
import { queryMembers } from '../support/address.ts'

/** Which gaps are shown, as the address says it. */
export interface CoverageQuery {
  component: string | undefined
  type: (typeof GapType.options)[number] | undefined
  /** The token of a page after the first. */
  page: string | undefined
}

/** A type that does not exist is any type. */
export function coverageQuery(parameters: URLSearchParams): CoverageQuery {
  const { component, type, page } = queryMembers(parameters, ['component', 'type', 'page'])
  return { component, type: GapType.options.find((one) => one === type), page }
}
