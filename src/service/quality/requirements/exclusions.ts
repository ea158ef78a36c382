import { sql } from 'kysely'
import type { Writing } from '../../shared/context.ts'
import type { Rows } from '../../sql/database.ts'
import {
  endExclusions,
  nextRevision,
  recordExclusion,
  repeatExclusion,
  type ExclusionKindName,
} from '../../workspace/exclusions.ts'
import type { StoredRequirement } from './access.ts'

const APPROVED = 'REQUIREMENT_STATUS_APPROVED'
const DEPRECATED = 'REQUIREMENT_STATUS_DEPRECATED'

/** What a request says that decides exclusions. */
interface Requested {
  status?: string | undefined
  kind?: string | undefined
  normative?: boolean | undefined
  priority?: string | undefined
  risk?: string | undefined
  minor_change?: boolean | undefined
  reason?: string | undefined
}

interface Change {
  before: StoredRequirement
  after: StoredRequirement
}

/** Records which exclusions a change of a requirement makes and ends (contract §7.2). */
export async function noteRequirementChange(
  rows: Rows,
  call: Writing,
  change: Change,
  fields: Requested,
): Promise<void> {
  await noteStatus(rows, call, change, fields)
  await noteFlag(rows, call, change, fields, {
    kind: 'requirement_not_normative',
    counts: ({ normative, kind }) => normative === 1 && kind !== 'REQUIREMENT_KIND_GROUP',
    isNamed: fields.normative !== undefined || fields.kind !== undefined,
  })
  await noteFlag(rows, call, change, fields, {
    kind: 'requirement_lowered',
    counts: isImportant,
    isNamed: fields.priority !== undefined || fields.risk !== undefined,
  })
  await noteWording(rows, call, change, fields)
}

/** A requirement as an excluded item. */
export function requirementItem({ id, product_id }: Pick<StoredRequirement, 'id' | 'product_id'>) {
  return { productId: product_id, itemType: 'requirement' as const, itemId: id }
}

/** A deprecated requirement that becomes a draft again was approved before, unless it never was. */
async function noteStatus(rows: Rows, call: Writing, { before, after }: Change, { status, reason }: Requested) {
  const item = requirementItem(after)
  const kind = after.status === DEPRECATED ? 'requirement_deprecated' : 'requirement_unapproved'
  if (before.status === after.status) {
    if (status !== undefined) await repeatExclusion(rows, call, { ...item, kind })
    return
  }
  const kinds = ['requirement_deprecated', 'requirement_unapproved'] as const
  const ended = await endExclusions(rows, call, { ...item, kinds })
  const wasApproved = before.status === APPROVED || ended.some(({ was }) => was === APPROVED)
  if (after.status === APPROVED || (after.status !== DEPRECATED && !wasApproved)) return
  await recordExclusion(rows, call, { ...item, kind, reason, was: wasApproved ? APPROVED : before.status })
}

interface Flag {
  kind: ExclusionKindName
  counts: (requirement: StoredRequirement) => boolean
  /** Whether the request names what decides it. */
  isNamed: boolean
}

async function noteFlag(
  rows: Rows,
  call: Writing,
  { before, after }: Change,
  { reason }: Requested,
  { kind, counts, isNamed }: Flag,
) {
  const item = requirementItem(after)
  if (counts(after)) return counts(before) ? undefined : endExclusions(rows, call, { ...item, kinds: [kind] })
  if (counts(before)) return recordExclusion(rows, call, { ...item, kind, reason })
  return isNamed ? repeatExclusion(rows, call, { ...item, kind }) : undefined
}

function isImportant({ priority, risk }: StoredRequirement): boolean {
  return [priority, risk].some((level) => level.endsWith('_CRITICAL') || level.endsWith('_HIGH'))
}

/** A revision puts links in doubt that a minor change, or a confirmation, had kept out of it. */
async function noteWording(rows: Rows, call: Writing, { before, after }: Change, fields: Requested) {
  const exclusion = { ...requirementItem(after), kind: 'minor_change' } as const
  if (after.version > before.version) {
    await endExclusions(rows, call, { ...exclusion, kinds: ['minor_change'] })
    return endConfirmations(rows, call, after)
  }
  if (fields.minor_change !== true) return
  if (after.content_hash === before.content_hash) return repeatExclusion(rows, call, exclusion)
  if (await hasActiveLinks(rows, after.id)) await recordExclusion(rows, call, { ...exclusion, reason: fields.reason })
}

async function hasActiveLinks(rows: Rows, id: string): Promise<boolean> {
  const link = await rows
    .selectFrom('test_link')
    .select('test_id')
    .where('requirement_id', '=', id)
    .where('state', '=', 'LINK_STATE_ACTIVE')
    .where('archived_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return link !== undefined
}

async function endConfirmations(rows: Rows, call: Writing, { id }: StoredRequirement): Promise<void> {
  await rows
    .updateTable('exclusion')
    .set({ ended_at: call.now(), revision: nextRevision })
    .where(
      sql<boolean>`item_id IN (SELECT test_id || '/' || requirement_id FROM test_link WHERE requirement_id = ${id})`,
    )
    .where('kind', '=', 'link_confirmed')
    .where('ended_at', 'is', null)
    .execute()
}
