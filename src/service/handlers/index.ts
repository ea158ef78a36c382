import type { EndpointName } from '../../contract/index.ts'
import type { Handlers } from '../shared/context.ts'
import type { Uploads } from '../errors/sourcemaps/uploads/uploads.ts'
import type { DraftReader } from '../quality/test-ingest/draft-reader.ts'
import { accountHandlers } from './account.ts'
import { agentConfigHandlers } from './agents/configs.ts'
import { agentEventHandlers, type FollowTools } from './agents/events.ts'
import { agentRunHandlers, type RunOptions } from './agents/runs.ts'
import { agentTypeHandlers } from './agents/types.ts'
import { branchHandlers } from './branches/branches.ts'
import { componentHandlers } from './components.ts'
import { environmentHandlers } from './environments.ts'
import { exclusionHandlers } from './exclusions.ts'
import { fixContextHandlers } from './fix-context.ts'
import { gateHandlers } from './gate.ts'
import { intentHandlers } from './intent.ts'
import { issueHandlers } from './issues.ts'
import { linkHandlers } from './quality/links.ts'
import { readsOnBranches } from './branches/reads.ts'
import type { pending } from './pending.ts'
import { preparationHandlers } from './branches/preparation.ts'
import { proposalHandlers } from './branches/proposals.ts'
import { productHandlers } from './products.ts'
import { releaseHandlers } from './releases.ts'
import { riskHandlers } from './risks.ts'
import { requirementHandlers } from './quality/requirements.ts'
import { retrievalHandlers } from './quality/retrieval.ts'
import { setupHandlers } from './setup.ts'
import { testIngestHandlers } from './quality/test-ingest.ts'
import { testHandlers } from './quality/tests.ts'
import { traceabilityHandlers } from './traceability.ts'
import { writesOnBranches } from './branches/writes.ts'
import { sourceMapHandlers } from './sourcemaps.ts'

/** The endpoints with a handler: all that are not pending. */
export type BuiltName = Exclude<EndpointName, (typeof pending)[number]>

export interface HandlerOptions {
  /** The version of this program. */
  version: string
  onComponentsChanged: (productId: number) => void
  uploads: Pick<Uploads, 'create' | 'confirm'>
  reports: Pick<DraftReader, 'read'>
  agents: RunOptions & FollowTools
}

/** The handlers of all endpoints that are not pending; the compiler rejects a missing one and one that is pending. */
export function createHandlers({
  version,
  onComponentsChanged,
  uploads,
  reports,
  agents,
}: HandlerOptions): Handlers<BuiltName> {
  return exactly({
    ...accountHandlers({ version }),
    ...productHandlers,
    ...setupHandlers,
    ...environmentHandlers,
    ...releaseHandlers,
    ...componentHandlers({ onComponentsChanged }),
    ...issueHandlers,
    ...sourceMapHandlers(uploads),
    ...fixContextHandlers,
    ...riskHandlers,
    ...linkHandlers,
    ...proposalHandlers,
    ...exclusionHandlers,
    ...testIngestHandlers(reports),
    ...branchHandlers,
    ...intentHandlers,
    ...agentTypeHandlers(agents),
    ...agentConfigHandlers(agents),
    ...agentRunHandlers(agents),
    ...agentEventHandlers(agents),
    ...writesOnBranches,
    ...preparationHandlers,
    ...readsOnBranches({
      ...requirementHandlers,
      ...testHandlers,
      ...retrievalHandlers,
      ...traceabilityHandlers({ version }),
      ...gateHandlers,
    }),
  })
}

/** The compiler does not check a spread object for excess members: here they would have to be `never`. */
function exactly<H extends Handlers<BuiltName>>(handlers: H & Record<Exclude<keyof H, BuiltName>, never>): H {
  return handlers
}
