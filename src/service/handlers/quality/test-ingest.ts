import type { EndpointName } from '../../../contract/index.ts'
import { collectGarbageSoon } from '../../../lib/collect-garbage.ts'
import { createTurns } from '../../../lib/in-turn.ts'
import type { Call, Handlers } from '../../shared/context.ts'
import { requireProduct } from '../../workspace/access.ts'
import type { DraftReader } from '../../quality/test-ingest/draft-reader.ts'
import type { Pause, Prepare, Rows } from '../../sql/database.ts'
import type { ProposeAnnotation } from '../../quality/test-ingest/annotations.ts'
import { requireBranchFor } from '../../branches/overlay/read.ts'
import { proposeLink } from '../../branches/proposals/propose.ts'
import { requireOpenBranch } from '../../branches/store/branches.ts'
import { ingestDraft } from '../../quality/test-ingest/ingest.ts'

/** Cases that are stored in one transaction; more take several, so that no event waits for all of them. */
const AT_ONCE = 200

/** Cases that take tens of megabytes while they are stored. */
const MANY = 5_000

/** Handlers of test reports; `read` reads the reports of a request. */
export function testIngestHandlers({ read }: Pick<DraftReader, 'read'>) {
  /** By product: the slices of two reports with the same cases must not mix. */
  const turns = createTurns<number>()
  return {
    async ingestTests(input, call) {
      // Checked before the report is read: without access a caller must not learn whether the report is readable.
      const { id } = await requireProduct(call.db.read, call.principal, input.product_id)
      const { branch_id: branchId = '' } = input.options ?? {}
      if (branchId !== '') await requireBranchFor({ rows: call.db.read, call }, branchId, input)
      const draft = await read(input.draft)
      const store = async (rows: Rows, prepare: Prepare, pause: Pause) => {
        const product = await requireProduct(rows, call.principal, input.product_id)
        const propose = branchId === '' ? undefined : await proposing(rows, call, branchId)
        return { ingest: await ingestDraft({ rows, prepare, pause, call, product, propose }, draft, input) }
      }
      if (draft.cases.length <= AT_ONCE)
        return call.db.write((rows, prepare) => store(rows, prepare, () => Promise.resolve()))
      try {
        return await turns.run(id, () => call.db.writeInSlices(store))
      } finally {
        if (draft.cases.length > MANY) collectGarbageSoon()
      }
    },
  } satisfies Partial<Handlers<EndpointName>>
}

/** Proposes links by annotation on a branch: what a report says of its tests is a fact, which requirement they prove is not. */
async function proposing(rows: Rows, call: Call, branchId: string): Promise<ProposeAnnotation> {
  const { branch } = await requireOpenBranch(rows, call.principal, branchId)
  return async (link) => {
    const origin = 'LINK_ORIGIN_ANNOTATION'
    const said = { action: 'LINK_PROPOSAL_ACTION_ADD', role: 'LINK_ROLE_VERIFIES', origin } as const
    return (await proposeLink(rows, call, branch, { ...link, ...said })).isNew
  }
}
