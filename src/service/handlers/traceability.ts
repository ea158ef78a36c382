import type { EndpointName } from '../../contract/index.ts'
import { matrixFormats } from '../../contract/traceability.ts'
import { readGateScope } from '../gate/scope.ts'
import { asCsv } from '../gate/traceability/csv.ts'
import { asHtml } from '../gate/traceability/html.ts'
import { asMarkdown } from '../gate/traceability/markdown.ts'
import { readMatrix } from '../gate/traceability/matrix.ts'
import type { Matrix } from '../gate/traceability/model.ts'
import { asNeeds } from '../gate/traceability/needs.ts'
import { refreshStale } from '../quality/coverage/refresh.ts'
import type { Handlers } from '../shared/context.ts'
import { nextToken, pagingMembers, readPage, type Page } from '../shared/paging.ts'
import { TextReply } from '../shared/text-reply.ts'
import { requireProduct } from '../workspace/access.ts'

const formats = { csv: asCsv, markdown: asMarkdown, html: asHtml, needs: asNeeds } as const

/** The handler of the traceability matrix, which says the version of this program. */
export function traceabilityHandlers({ version }: { version: string }) {
  return {
    async getTraceability(input, call) {
      const { db, principal } = call
      const product = await requireProduct(db.read, principal, input.product_id)
      const { counting } = await readGateScope(db.read, call, product, input)
      await refreshStale(db, product.id, call.now())
      const matrix = await readMatrix(db.read, product, {
        query: input,
        scope: counting,
        verdict: null,
        risksByItem: new Map(),
        version,
        now: call.now(),
      })
      const { format = 'json', page_size: size, page_token: token, ...filters } = input
      if (format !== 'json') return new TextReply(matrixFormats[format], formats[format](matrix, product.name))
      return onePage(matrix, readPage(call, { page_size: size, page_token: token }, filters))
    },
  } satisfies Partial<Handlers<EndpointName>>
}

/** One page of the rows; everything else is of the whole matrix. */
function onePage(matrix: Matrix, page: Page) {
  const number = ({ requirement }: Matrix['rows'][number]) => Number(requirement.key.replace(/^.*-/, ''))
  const after = page.after === undefined ? 0 : Number(page.after.sortValue)
  const rest = matrix.rows.filter((row) => number(row) > after)
  const rows = rest.slice(0, page.size)
  const last = rows.at(-1)
  const hasMore = rest.length > rows.length && last !== undefined
  const token = hasMore ? nextToken(page, { sortValue: number(last), id: String(number(last)) }) : ''
  return { traceability_matrix: { ...matrix, rows }, ...pagingMembers(page, token, matrix.rows.length) }
}
