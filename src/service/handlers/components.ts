import { refreshForAnswer } from '../quality/coverage/refresh.ts'
import { viewTime } from '../shared/view-time.ts'
import { readPage } from '../shared/paging.ts'
import type { Handlers } from '../shared/context.ts'
import { requireProduct } from '../workspace/access.ts'
import { checkGlobs, createComponent, listComponentRows } from '../workspace/components/component-store.ts'
import { viewComponents } from '../workspace/components/component-view.ts'

/** Handlers of components; `onComponentsChanged` is called after each change, to attribute unresolved issues again. */
export function componentHandlers({ onComponentsChanged }: { onComponentsChanged: (productId: number) => void }) {
  return {
    async createComponent({ product_id: productId, ...fields }, call) {
      checkGlobs({ path_globs: fields.path_globs, exclude_globs: fields.exclude_globs ?? [] })
      const answer = await call.db.write(async (rows) => {
        const product = await requireProduct(rows, call.principal, productId)
        const { component: row, overlaps } = await createComponent(rows, call, product.id, fields)
        const [component] = await viewComponents(rows, { now: call.now() }, [row])
        return { component: component!, overlaps }
      })
      if (!call.validateOnly) onComponentsChanged(Number(productId))
      return answer
    },

    async listComponents(input, call) {
      const { db, principal } = call
      const product = await requireProduct(db.read, principal, input.product_id)
      await refreshForAnswer(call, product.id)
      const { path, q } = input
      const query = { productId: product.id, path, q, page: readPage(call, input) }
      const { rows, paging } = await listComponentRows(db.read, query)
      return { components: await viewComponents(db.read, viewTime(call), rows), ...paging }
    },
  } satisfies Handlers<'createComponent' | 'listComponents'>
}
