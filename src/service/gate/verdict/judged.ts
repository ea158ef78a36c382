import { ServiceError } from '../../../errors.ts'
import type { Rows } from '../../sql/database.ts'
import { newestVerdicts, readBody, readEvidence, type ScopeIds, type StoredVerdict } from './store.ts'
import type { JudgedVerdict } from '../risks/select.ts'
import { Item } from '../risks/stored.ts'

/** The newest verdict of a scope; throws `VERDICT_NOT_COMPUTED`. */
export async function requireNewest(rows: Rows, scope: ScopeIds): Promise<StoredVerdict> {
  const [newest] = await newestVerdicts(rows, scope, 1)
  if (newest !== undefined) return newest
  throw new ServiceError(
    'not_found',
    'no verdict has been computed for this scope; compute one, then accept what fails',
    {
      reason: 'VERDICT_NOT_COMPUTED',
    },
  )
}

/** Every item that fails in a stored verdict, by condition. */
export function readJudged(verdict: StoredVerdict): JudgedVerdict {
  const evidence = readEvidence(verdict)
  const conditions = readBody(verdict).conditions.map(({ id, status }) => ({
    id,
    status,
    items: Object.keys(evidence[id] ?? {}).map(readIdentity),
  }))
  return { id: verdict.id, conditions }
}

/** An item of its identity `type:id`. */
function readIdentity(text: string): Item {
  const colon = text.indexOf(':')
  return Item.parse({ type: text.slice(0, colon), id: text.slice(colon + 1) })
}
