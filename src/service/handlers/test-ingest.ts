import type { EndpointName } from '../../contract/index.ts'
import { refuseBranch } from '../quality/branches/access.ts'
import type { Handlers } from '../shared/context.ts'
import { requireProduct } from '../workspace/access.ts'
import { readDraft } from '../quality/test-ingest/decode.ts'
import { ingestDraft } from '../quality/test-ingest/ingest.ts'

export const testIngestHandlers = {
  async ingestTests(input, call) {
    refuseBranch(input.options?.branch_id)
    // Checked before the report is read: without access a caller must not learn whether the report is readable.
    await requireProduct(call.db.read, call.principal, input.product_id)
    const draft = readDraft(input.draft)
    return call.db.write(async (rows, prepare) => {
      const product = await requireProduct(rows, call.principal, input.product_id)
      return { ingest: await ingestDraft({ rows, prepare, call, product }, draft, input) }
    })
  },
} satisfies Partial<Handlers<EndpointName>>
