import { ifOffered } from '../../mcp/resolve/offered.ts'
import type { Product } from '../../mcp/resolve/types.ts'
import { describePage, type Page } from '../../mcp/result/page.ts'
import { coveragePicture, gapPicture } from '../picture/from-gaps.ts'
import type { CoveragePicture, GapPicture } from '../picture/gap-types.ts'
import type { Reading } from '../session/reading.ts'
import type { CoverageQuery } from './query.ts'

/** Gaps on one page. */
const ROWS = 15

/** One page of the gaps, with the totals of the product. */
export interface Coverage {
  totals: CoveragePicture
  /** Undefined where the deployment does not offer them. */
  gaps: { rows: readonly GapPicture[]; page: Page } | undefined
  /** The id of the component that was asked for. */
  component: string | undefined
}

/** The gaps that the query asks for; rejects a component that means nothing. */
export async function readCoverage(query: CoverageQuery, product: Product, reading: Reading): Promise<Coverage> {
  const { reader, resolve, signal } = reading
  const component =
    query.component === undefined ? undefined : (await resolve.component(product.id, query.component)).id
  const request = { product_id: product.id, component_id: component, page_size: ROWS, page_token: query.page }
  const type = query.type === undefined ? undefined : [query.type]
  const [gaps, matrix, components] = await Promise.all([
    ifOffered(reader.api.listCoverageGaps({ ...request, type }, { signal })),
    ifOffered(reader.api.getTraceability({ product_id: product.id, page_size: 1 }, { signal })),
    ifOffered(resolve.components(product.id)),
  ])
  // The summary counts what the filter leaves: it speaks of all components only without one.
  const isAll = component === undefined && type === undefined
  return {
    totals: coveragePicture(
      matrix?.traceability_matrix.totals,
      components?.rows ?? [],
      isAll ? gaps?.summary : undefined,
    ),
    gaps: gaps && {
      rows: gaps.coverage_gaps.map(gapPicture),
      page: describePage(gaps, gaps.coverage_gaps.length, query.page),
    },
    component,
  }
}
