import type { Selectable } from 'kysely'
import type * as z from 'zod'
import type { LinkOrigin, LinkRole } from '../../../contract/links.ts'
import { ServiceError } from '../../../errors.ts'
import type { Writing } from '../../shared/context.ts'
import { refreshCoverage } from '../coverage/refresh.ts'
import { Criteria } from '../requirements/columns.ts'
import { noteLink, removedLink } from './link-exclusions.ts'
import { invalid } from '../requirements/content.ts'
import type { Prepare, Rows } from '../../sql/database.ts'
import type { RequirementRow } from '../../sql/schema-quality.ts'
import type { StoredLink } from './link-view.ts'
import type { StoredTest } from './access.ts'
import { readJson, readTexts } from '../../sql/json.ts'

export interface LinkFields {
  role?: z.output<typeof LinkRole> | undefined
  criterionIds?: readonly string[] | undefined
  origin: z.output<typeof LinkOrigin>
  confidence?: number | undefined
  /** Makes a suspect link active at the present version. */
  confirm?: boolean | undefined
  reason?: string | undefined
}

/** A link before it was made or changed, and after. */
export interface PutLink {
  before: StoredLink | undefined
  after: StoredLink
}

/**
 * Links a test to a requirement. A suspect link stays suspect unless the request confirms it, also when it was removed and
 * is made again (contract §4). Throws `PRODUCT_MISMATCH`, `GROUP_NOT_LINKABLE`, or `invalid_argument` for a criterion that the
 * requirement does not have.
 */
export async function putLink(
  rows: Rows,
  prepare: Prepare,
  call: Writing,
  { test, requirement, ...fields }: LinkFields & { test: StoredTest; requirement: Selectable<RequirementRow> },
): Promise<PutLink> {
  if (test.product_id !== requirement.product_id) {
    throw refused('PRODUCT_MISMATCH', 'the test and the requirement belong to different products')
  }
  if (requirement.kind === 'REQUIREMENT_KIND_GROUP') {
    throw refused(
      'GROUP_NOT_LINKABLE',
      'a group gets its coverage from the requirements in it; link one of those instead',
    )
  }
  const known = new Set(readJson(Criteria, requirement.acceptance_criteria).map(({ id }) => id))
  const unknown = fields.criterionIds?.findIndex((id) => !known.has(id)) ?? -1
  if (unknown >= 0) {
    throw invalid([
      { field: `criterion_ids.${String(unknown)}`, description: 'must be a criterion of the requirement' },
    ])
  }
  const now = call.now()
  const before = await rows
    .selectFrom('test_link')
    .selectAll()
    .where('test_id', '=', test.id)
    .where('requirement_id', '=', requirement.id)
    .executeTakeFirst()
  const place = { productId: test.product_id, testId: test.id, requirement }
  const from = before ?? (await removedLink(rows, place))
  const isConfirmed = fields.confirm === true || from === undefined
  const state = isConfirmed ? 'LINK_STATE_ACTIVE' : from.state
  const role = fields.role ?? before?.role ?? 'LINK_ROLE_VERIFIES'
  const criterionIds = fields.criterionIds ?? readTexts(before?.criterion_ids ?? '[]')
  await prepare(
    `INSERT INTO test_link (test_id, requirement_id, product_id, role, criterion_ids, state, requirement_version, origin,
       confidence, created_by, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (test_id, requirement_id) DO UPDATE SET role = excluded.role, criterion_ids = excluded.criterion_ids, state = excluded.state,
       requirement_version = excluded.requirement_version, confidence = excluded.confidence,
       confirmed_at = CASE WHEN excluded.state = 'LINK_STATE_ACTIVE' THEN excluded.created_at ELSE test_link.confirmed_at END`,
  ).run(
    test.id,
    requirement.id,
    test.product_id,
    role,
    JSON.stringify(criterionIds),
    state,
    isConfirmed ? requirement.version : from.requirement_version,
    fields.origin,
    fields.confidence ?? before?.confidence ?? 1,
    JSON.stringify(call.actor),
    now,
  )
  const { confirm = false, reason } = fields
  await noteLink(rows, call, place, { before, from, role, criterionIds, confirm, reason })
  await refreshCoverage(rows, prepare, { productId: test.product_id, now }, [requirement.id])
  const after = await rows
    .selectFrom('test_link')
    .selectAll()
    .where('test_id', '=', test.id)
    .where('requirement_id', '=', requirement.id)
    .executeTakeFirstOrThrow()
  return { before, after }
}

function refused(reason: string, message: string): ServiceError {
  return new ServiceError('failed_precondition', message, { reason })
}
