import * as z from 'zod'
import {
  LinkOrigin,
  LinkProposalAction,
  LinkProposalState,
  LinkRole,
  type LinkProposal,
} from '../../../contract/links.ts'
import { timestamp, timestampOrNull } from '../../shared/times.ts'
import type { Rows } from '../../sql/database.ts'
import { readJson, readTexts } from '../../sql/json.ts'
import { StoredActor } from '../../workspace/actor.ts'
import { readChanges } from '../changes.ts'
import { readEntityNames, type EntityName } from '../names.ts'
import type { StoredProposal } from './propose.ts'

const Signals = z.array(z.object({ name: z.string(), value: z.number() }))

/** Converts rows of one branch to the contract's link proposals, in the same order, with the names of both ends. */
export async function viewProposals(
  rows: Rows,
  branchId: string,
  proposals: readonly StoredProposal[],
): Promise<z.input<typeof LinkProposal>[]> {
  const names = await readEnds(rows, branchId, proposals)
  return proposals.map((row) => ({
    id: row.id,
    branch_id: row.branch_id,
    test: { id: row.test_id, ...testName(names.get(row.test_id)) },
    requirement: { id: row.requirement_id, ...requirementName(names.get(row.requirement_id)) },
    action: LinkProposalAction.parse(row.action),
    role: LinkRole.parse(row.role),
    criterion_ids: readTexts(row.criterion_ids),
    state: LinkProposalState.parse(row.state),
    confidence: row.confidence,
    rationale: row.rationale,
    signals: readJson(Signals, row.signals),
    origin: LinkOrigin.parse(row.origin),
    created_by: readJson(StoredActor, row.created_by),
    created_at: timestamp(row.created_at),
    reviewed_by: row.reviewed_by === null ? null : readJson(StoredActor, row.reviewed_by),
    reviewed_at: timestampOrNull(row.reviewed_at),
    review_note: row.review_note,
  }))
}

/** The names of the tests and requirements of proposals on a branch, by id. */
export async function readEnds(
  rows: Rows,
  branchId: string,
  proposals: readonly StoredProposal[],
): Promise<Map<string, EntityName>> {
  const wanted = proposals.flatMap(({ test_id, requirement_id }) => [
    { entityType: 'test' as const, entityId: test_id },
    { entityType: 'requirement' as const, entityId: requirement_id },
  ])
  return readEntityNames(rows, wanted, await readChanges(rows, branchId))
}

function testName(name: EntityName | undefined) {
  return { key: name?.key ?? '', title: name?.title ?? '', known: name?.known ?? true }
}

function requirementName(name: EntityName | undefined) {
  return { key: name?.key ?? '', title: name?.title ?? '' }
}
