import type { EndpointName } from '../../contract/index.ts'
import type { Handlers } from '../shared/context.ts'
import type { Uploads } from '../errors/sourcemaps/uploads/uploads.ts'
import { accountHandlers } from './account.ts'
import { componentHandlers } from './components.ts'
import { environmentHandlers } from './environments.ts'
import { fixContextHandlers } from './fix-context.ts'
import { issueHandlers } from './issues.ts'
import { linkHandlers } from './links.ts'
import type { pending } from './pending.ts'
import { productHandlers } from './products.ts'
import { releaseHandlers } from './releases.ts'
import { requirementHandlers } from './requirements.ts'
import { retrievalHandlers } from './retrieval.ts'
import { setupHandlers } from './setup.ts'
import { testIngestHandlers } from './test-ingest.ts'
import { testHandlers } from './tests.ts'
import { sourceMapHandlers } from './sourcemaps.ts'

/** Every endpoint that is not on the list of pending ones. */
export type BuiltName = Exclude<EndpointName, (typeof pending)[number]>

export interface HandlerOptions {
  /** Of this program. */
  version: string
  onComponentsChanged: (productId: number) => void
  uploads: Pick<Uploads, 'create' | 'confirm'>
}

/** The handlers of all built endpoints. One too few, or one that is still listed as pending, does not compile. */
export function createHandlers({ version, onComponentsChanged, uploads }: HandlerOptions): Handlers<BuiltName> {
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
    ...requirementHandlers,
    ...testHandlers,
    ...linkHandlers,
    ...testIngestHandlers,
    ...retrievalHandlers,
  })
}

/** An object made by spreading is not checked for members too many: here they would have to be `never`. */
function exactly<H extends Handlers<BuiltName>>(handlers: H & Record<Exclude<keyof H, BuiltName>, never>): H {
  return handlers
}
