import type { Writing } from '../../shared/context.ts'
import type { Pause, Prepare, Rows } from '../../sql/database.ts'
import { noteReportedLink, restoreLink } from '../cases/link-exclusions.ts'
import type { StoredLink } from '../cases/link-view.ts'
import { readCriterionIds } from '../coverage/links.ts'
import { requirementNumber } from '../keys.ts'
import type { AppliedCase } from './apply.ts'
import type { NamedRequirement } from './references.ts'

/** Proposes the link of a case to a requirement on a branch; resolves to whether it had not been proposed before. */
export type ProposeAnnotation = (link: {
  testId: string
  requirementId: string
  criterionIds: readonly string[]
}) => Promise<boolean>

export interface Annotated {
  created: number
  proposed: number
  /** Keys without a requirement or criterion, with the case that names them. */
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
  acceptance_criteria: string
}

/** A requirement that a case names, with the criteria that it is named for; none for the whole requirement. */
interface Target {
  requirement: AnnotatedRequirement
  criterionIds: string[]
}

/**
 * Links cases to the requirements they name (origin ANNOTATION). An existing link stays unchanged: only a person or an
 * agent confirms a suspect one. A link that lost its annotation is suspect until the annotation is back (contract
 * §4.2). With `propose` new links are proposals, and existing ones stay as they are. `runId` is the run of the report,
 * '' for none.
 */
export async function linkAnnotations(
  rows: Rows,
  prepare: Prepare,
  call: Writing,
  facts: { productId: number; runId: string; pause: Pause; propose?: ProposeAnnotation | undefined },
  cases: readonly AppliedCase[],
): Promise<Annotated> {
  const { productId, runId, pause, propose } = facts
  const annotated: Annotated = { created: 0, proposed: 0, unresolved: [], known: new Map(), requirementIds: new Set() }
  const find = prepare(
    'SELECT id, version, kind, acceptance_criteria FROM requirement WHERE product_id = ? AND number = ? AND deleted_at IS NULL',
  )
  // A provisional key is a negative number, which no requirement of the main tree has.
  const findRequirement = (key: string) => find.get<AnnotatedRequirement>(productId, requirementNumber(key))
  for (const { placed, testId } of cases) {
    await pause()
    if (testId === '') continue
    const named = new Map<string, Target>()
    for (const reference of placed.requirements) {
      const { target, missing } = resolveReference(reference, await findRequirement(reference.key))
      for (const ref of missing) annotated.unresolved.push({ ref, test_id: testId })
      if (target === undefined) continue
      named.set(target.requirement.id, target)
      annotated.known.set(testId, [...(annotated.known.get(testId) ?? []), reference.key])
    }
    if (propose !== undefined) {
      for (const target of named.values())
        if (await proposeTarget(prepare, propose, testId, target)) annotated.proposed += 1
      continue
    }
    for (const target of named.values()) {
      if (await addLink(rows, prepare, call, { productId, testId, runId, ...target })) annotated.created += 1
      annotated.requirementIds.add(target.requirement.id)
    }
    for (const id of await doubtOthers(prepare, testId, named)) annotated.requirementIds.add(id)
  }
  return annotated
}

async function proposeTarget(
  prepare: Prepare,
  propose: ProposeAnnotation,
  testId: string,
  { requirement, criterionIds }: Target,
): Promise<boolean> {
  const linked = await prepare(
    'SELECT 1 AS found FROM test_link WHERE test_id = ? AND requirement_id = ? AND archived_at IS NULL',
  ).get(testId, requirement.id)
  return linked === undefined && propose({ testId, requirementId: requirement.id, criterionIds })
}

/** What a reference leads to, and the references in it that lead nowhere. */
function resolveReference(
  { key, criteria }: NamedRequirement,
  requirement: AnnotatedRequirement | undefined,
): { target: Target | undefined; missing: string[] } {
  const isLinkable = requirement !== undefined && requirement.kind !== 'REQUIREMENT_KIND_GROUP'
  const names = criteria.map((number) => ({ number, ref: `${key}.${String(number)}` }))
  if (!isLinkable) return { target: undefined, missing: names.length === 0 ? [key] : names.map(({ ref }) => ref) }
  const known = readCriterionIds(requirement.acceptance_criteria)
  const criterionIds = names.flatMap(({ number }) => known[number - 1] ?? [])
  const missing = names.flatMap(({ number, ref }) => (known[number - 1] === undefined ? [ref] : []))
  // A criterion that does not exist must not count for all of them.
  const isNowhere = names.length > 0 && criterionIds.length === 0
  return { target: isNowhere ? undefined : { requirement, criterionIds }, missing }
}

/** Adds the link if it does not exist; returns whether it is new. */
async function addLink(
  rows: Rows,
  prepare: Prepare,
  call: Writing,
  {
    productId,
    testId,
    runId,
    requirement,
    criterionIds,
  }: Target & { productId: number; testId: string; runId: string },
): Promise<boolean> {
  const criteria = JSON.stringify(criterionIds)
  const place = { productId, testId, requirement }
  const { changes } = await prepare(
    `INSERT INTO test_link (test_id, requirement_id, product_id, role, criterion_ids, state, requirement_version, origin, created_by, created_at)
     VALUES (?, ?, ?, 'LINK_ROLE_VERIFIES', ?, 'LINK_STATE_ACTIVE', ?, 'LINK_ORIGIN_ANNOTATION', ?, ?) ON CONFLICT DO NOTHING`,
  ).run(testId, requirement.id, productId, criteria, requirement.version, JSON.stringify(call.actor), call.now())
  if (changes > 0) {
    const from = await restoreLink(prepare, place, call.now())
    await noteReportedLink(rows, call, place, { from, isBack: false, criterionIds, runId })
    return true
  }
  const find = prepare('SELECT * FROM test_link WHERE test_id = ? AND requirement_id = ?')
  const before = call.byAgent ? await find.get<StoredLink>(testId, requirement.id) : undefined
  // Criteria that a member gave stay; a link of which nobody said which ones takes those of the name.
  const grown = await prepare(
    `UPDATE test_link SET criterion_ids = ? WHERE test_id = ? AND requirement_id = ? AND criterion_ids <> ?
       AND (criterion_ids = '[]' OR (origin = 'LINK_ORIGIN_ANNOTATION' AND confirmed_at IS NULL))`,
  ).run(criteria, testId, requirement.id, criteria)
  // Suspect at the current version means that it had lost its annotation, which is now back.
  const back = await prepare(
    `UPDATE test_link SET state = 'LINK_STATE_ACTIVE' WHERE test_id = ? AND requirement_id = ?
       AND origin = 'LINK_ORIGIN_ANNOTATION' AND state = 'LINK_STATE_SUSPECT' AND requirement_version = ?`,
  ).run(testId, requirement.id, requirement.version)
  const isBack = back.changes > 0
  if (before !== undefined && (isBack || grown.changes > 0))
    await noteReportedLink(rows, call, place, { from: before, isBack, criterionIds, runId })
  return false
}

/**
 * Marks links as suspect that were made by an annotation and that no annotation names now; returns their requirements.
 */
async function doubtOthers(prepare: Prepare, testId: string, named: ReadonlyMap<string, unknown>): Promise<string[]> {
  const links = await prepare(
    `SELECT requirement_id FROM test_link WHERE test_id = ? AND origin = 'LINK_ORIGIN_ANNOTATION'
       AND confirmed_at IS NULL AND state = 'LINK_STATE_ACTIVE' AND archived_at IS NULL`,
  ).all<{ requirement_id: string }>(testId)
  const lost = links.map((link) => link.requirement_id).filter((id) => !named.has(id))
  for (const id of lost) {
    await prepare(`UPDATE test_link SET state = 'LINK_STATE_SUSPECT' WHERE test_id = ? AND requirement_id = ?`).run(
      testId,
      id,
    )
  }
  return lost
}
