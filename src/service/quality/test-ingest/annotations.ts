import type { Call } from '../../shared/context.ts'
import type { Pause, Prepare } from '../../sql/database.ts'
import type { AppliedCase } from './apply.ts'

export interface Annotated {
  created: number
  /** Keys without a requirement, with the case that names them. */
  unresolved: { ref: string; test_id: string }[]
  /** Keys that belong to a requirement, by test. */
  known: Map<string, string[]>
  /** Requirements whose coverage may have changed. */
  requirementIds: Set<string>
}

interface AnnotatedRequirement {
  id: string
  version: number
  kind: string
}

/**
 * Links cases to the requirements they name (origin ANNOTATION). An existing link stays unchanged: only a person or an
 * agent confirms a suspect one. A link that lost its annotation is suspect until the annotation is back (contract
 * §4.2).
 */
export async function linkAnnotations(
  prepare: Prepare,
  call: Pick<Call, 'actor' | 'now'>,
  { productId, pause }: { productId: number; pause: Pause },
  cases: readonly AppliedCase[],
): Promise<Annotated> {
  const annotated: Annotated = { created: 0, unresolved: [], known: new Map(), requirementIds: new Set() }
  const find = prepare(
    'SELECT id, version, kind FROM requirement WHERE product_id = ? AND number = ? AND deleted_at IS NULL',
  )
  const findRequirement = (key: string) => find.get<AnnotatedRequirement>(productId, Number(key.slice('REQ-'.length)))
  for (const { placed, testId } of cases) {
    await pause()
    if (testId === '') continue
    const named = new Map<string, AnnotatedRequirement>()
    for (const key of placed.requirementKeys) {
      const requirement = findRequirement(key)
      if (requirement === undefined || requirement.kind === 'REQUIREMENT_KIND_GROUP') {
        annotated.unresolved.push({ ref: key, test_id: testId })
      } else {
        named.set(requirement.id, requirement)
        annotated.known.set(testId, [...(annotated.known.get(testId) ?? []), key])
      }
    }
    for (const requirement of named.values()) {
      if (addLink(prepare, call, { productId, testId, requirement })) annotated.created += 1
      annotated.requirementIds.add(requirement.id)
    }
    for (const id of doubtOthers(prepare, testId, named)) annotated.requirementIds.add(id)
  }
  return annotated
}

/** Adds the link if it does not exist; returns whether it is new. */
function addLink(
  prepare: Prepare,
  call: Pick<Call, 'actor' | 'now'>,
  { productId, testId, requirement }: { productId: number; testId: string; requirement: AnnotatedRequirement },
): boolean {
  const { changes } = prepare(
    `INSERT INTO test_link (test_id, requirement_id, product_id, role, state, requirement_version, origin, created_by, created_at)
     VALUES (?, ?, ?, 'LINK_ROLE_VERIFIES', 'LINK_STATE_ACTIVE', ?, 'LINK_ORIGIN_ANNOTATION', ?, ?) ON CONFLICT DO NOTHING`,
  ).run(testId, requirement.id, productId, requirement.version, JSON.stringify(call.actor), call.now())
  if (changes > 0) return true
  // Suspect at the current version means that it had lost its annotation, which is now back.
  prepare(
    `UPDATE test_link SET state = 'LINK_STATE_ACTIVE' WHERE test_id = ? AND requirement_id = ?
       AND origin = 'LINK_ORIGIN_ANNOTATION' AND state = 'LINK_STATE_SUSPECT' AND requirement_version = ?`,
  ).run(testId, requirement.id, requirement.version)
  return false
}

/**
 * Marks links as suspect that were made by an annotation and that no annotation names now; returns their requirements.
 */
function doubtOthers(prepare: Prepare, testId: string, named: ReadonlyMap<string, AnnotatedRequirement>): string[] {
  const links = prepare(
    `SELECT requirement_id FROM test_link WHERE test_id = ? AND origin = 'LINK_ORIGIN_ANNOTATION'
       AND confirmed_at IS NULL AND state = 'LINK_STATE_ACTIVE' AND archived_at IS NULL`,
  ).all<{ requirement_id: string }>(testId)
  const lost = links.map((link) => link.requirement_id).filter((id) => !named.has(id))
  for (const id of lost) {
    prepare(`UPDATE test_link SET state = 'LINK_STATE_SUSPECT' WHERE test_id = ? AND requirement_id = ?`).run(
      testId,
      id,
    )
  }
  return lost
}
