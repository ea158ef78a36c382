import type { EndpointName } from '../../contract/index.ts'
import { matrixFormats } from '../../contract/traceability.ts'
import { readGateScope, type GateScope } from '../gate/scope.ts'
import { identity } from '../gate/facts.ts'
import { readOpenRisks } from '../gate/risks/facts.ts'
import { coveredItems } from '../gate/risks/stored.ts'
import { asCsv } from '../gate/traceability/csv.ts'
import { asHtml } from '../gate/traceability/html.ts'
import { asMarkdown } from '../gate/traceability/markdown.ts'
import { readMatrix } from '../gate/traceability/matrix.ts'
import type { Matrix } from '../gate/traceability/model.ts'
import { asNeeds } from '../gate/traceability/needs.ts'
import { newestVerdicts } from '../gate/verdict/store.ts'
import { viewEarlier } from '../gate/verdict/view.ts'
import type { Rows } from '../sql/database.ts'
import { requirementNumber } from '../quality/keys.ts'
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
      const gate = await readGateScope(db.read, call, product, input)
      await refreshStale(db, product.id, call.now())
      const [[newest], risksByItem] = await Promise.all([
        newestVerdicts(db.read, gate, 1),
        countingRisks(db.read, gate, call.now()),
      ])
      const matrix = await readMatrix(db.read, product, {
        query: input,
        scope: gate.counting,
        verdict: newest === undefined ? null : viewEarlier(newest),
        risksByItem,
        version,
        now: call.now(),
      })
      const { format = 'json', page_size: size, page_token: token, ...filters } = input
      if (format !== 'json') return new TextReply(matrixFormats[format], formats[format](matrix, product.name))
      return onePage(matrix, readPage(call, { page_size: size, page_token: token }, filters))
    },
  } satisfies Partial<Handlers<EndpointName>>
}

/** The ids of the risks that count in the scope, by each item that they cover. */
async function countingRisks(rows: Rows, scope: GateScope, now: number): Promise<Map<string, string[]>> {
  const { active } = await readOpenRisks(rows, { productId: scope.productId, scope, now })
  const byItem = new Map<string, string[]>()
  for (const risk of active)
    for (const item of coveredItems(risk).map(identity)) byItem.set(item, [...(byItem.get(item) ?? []), risk.id])
  return byItem
}

/** One page of the rows; everything else is of the whole matrix. */
function onePage(matrix: Matrix, page: Page) {
  const number = ({ requirement }: Matrix['rows'][number]) => requirementNumber(requirement.key)
  const after = page.after === undefined ? -Infinity : Number(page.after.sortValue)
  const rest = matrix.rows.filter((row) => number(row) > after)
  const rows = rest.slice(0, page.size)
  const last = rows.at(-1)
  const hasMore = rest.length > rows.length && last !== undefined
  const token = hasMore ? nextToken(page, { sortValue: number(last), id: String(number(last)) }) : ''
  return { traceability_matrix: { ...matrix, rows }, ...pagingMembers(page, token, matrix.rows.length) }
}
