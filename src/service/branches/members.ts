import type * as z from 'zod'
import { timestampOrNull } from '../shared/times.ts'
import { readJson, readTexts } from '../sql/json.ts'
import type { StoredTest } from '../quality/cases/access.ts'
import { Steps } from '../quality/cases/columns.ts'
import type { StoredRequirement } from '../quality/requirements/access.ts'
import { CodeRefs, Criteria, ExternalRefs, LabelColumn, Source } from '../quality/requirements/columns.ts'

/** Values of members by name, as JSON; the names and values are those of the contract. */
export type Members = Readonly<Record<string, unknown>>

/** Whether these members only say where in the tree something is. */
export function isPlace(members: Members): boolean {
  return Object.keys(members).every((name) => name === 'parent_id' || name === 'position')
}

/** The members of a requirement that a branch changes and a merge compares. */
export function requirementMembers(row: StoredRequirement) {
  return {
    kind: row.kind,
    status: row.status,
    title: row.title,
    statement: row.statement,
    rationale: row.rationale,
    normative: row.normative === 1,
    acceptance_criteria: readJson(Criteria, row.acceptance_criteria),
    priority: row.priority,
    risk: row.risk,
    tags: readTexts(row.tags),
    labels: readJson(LabelColumn, row.labels),
    component_ids: readTexts(row.component_ids),
    code_refs: readJson(CodeRefs, row.code_refs),
    depends_on_ids: readTexts(row.depends_on_ids),
    superseded_by_id: row.superseded_by_id,
    external_refs: readJson(ExternalRefs, row.external_refs),
    source: readJson(Source, row.source),
    parent_id: row.parent_id,
    position: row.position,
  } satisfies Members
}

/** The members of a test that a branch changes and a merge compares; its quarantine is one member. */
export function testMembers(row: StoredTest) {
  return {
    kind: row.kind,
    title: row.title,
    description: row.description,
    level: row.level,
    status: row.status,
    automation: row.automation,
    framework: row.framework,
    automation_ref: codeLocation(row),
    preconditions: row.preconditions,
    steps: readSteps(row.steps),
    tags: readTexts(row.tags),
    labels: readJson(LabelColumn, row.labels),
    component_ids: readTexts(row.component_ids),
    issue_id: row.issue_id,
    quarantine: quarantine(row),
    parent_id: row.parent_id,
    position: row.position,
  } satisfies Members
}

function codeLocation({ identity, file_path, suite_path, name, project, line }: StoredTest) {
  return identity === null ? null : { file_path, suite_path: readTexts(suite_path), name, project, line }
}

function quarantine({ quarantined_until, quarantine_reason: reason, quarantine_owner: owner }: StoredTest) {
  const until = timestampOrNull(quarantined_until)
  return until === null ? null : { until, reason, owner }
}

function readSteps(json: string): z.output<typeof Steps> {
  return readJson(Steps, json)
}
