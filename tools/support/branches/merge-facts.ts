import type { Question } from '../../../src/mcp/define/define.ts'
import { factList } from '../deleting/remove.ts'
import { statusWord } from '../gate/verdict.ts'
import { conflictName, resolvedText, type MergePreview, type ResolvedConflict } from './merge-preview.ts'
import type { MergeEffect, Merging } from './merging.ts'
import { remainingChanges, type Change } from './remaining-changes.ts'

/** Things of one kind that are named; the others are counted. */
const NAMED = 12

/** What a person decides on before a merge. Tests are named by their keys alone: their titles are a report's text. */
export function mergeFacts({ preview, resolved, effect }: Merging): Question['facts'] {
  const changes = remainingChanges(preview, resolved)
  return [
    ...factList({
      creates: changed(changes, 'CHANGE_OPERATION_CREATE'),
      changes: changed(changes, 'CHANGE_OPERATION_MODIFY'),
      moves: changed(changes, 'CHANGE_OPERATION_MOVE'),
      deletes: changed(changes, 'CHANGE_OPERATION_DELETE'),
    }),
    ...resolved.map((one) => ({ label: `decided: ${conflictName(one.conflict)}`, value: decisionWords(one) })),
    ...factList({
      'link proposals': proposalWords(preview),
      // The numbers of a preview do not depend on the decisions.
      [effect === undefined ? 'coverage, with the side of the branch in each decision' : 'coverage']: coverageWords(
        effect ?? preview,
      ),
      gate: gateWords(effect ?? preview),
      'much like others': duplicateWords(preview),
      'also changed on open branches': overlapWords(preview),
      afterwards: 'the merged requirements are approved: your confirmation is the approval',
    }),
  ]
}

function changed(changes: readonly Change[], operation: string): string | undefined {
  const rows = changes.filter((change) => change.operation === operation)
  return named(rows, (row) => {
    const key = row.key || (row.entity_id ?? '')
    const fields = row.field_changes?.flatMap(({ field }) => field ?? []) ?? []
    const what = operation === 'CHANGE_OPERATION_MODIFY' && fields.length > 0 ? ` (${fields.join(', ')})` : ''
    return row.entity_type === 'requirement' && row.title ? `${key} ${row.title}${what}` : `${key}${what}`
  })
}

/** `REQ-1 A, REQ-2 B and 3 more`; undefined for none. */
function named<T>(rows: readonly T[], name: (row: T) => string): string | undefined {
  if (rows.length === 0) return undefined
  const more = rows.length > NAMED ? ` and ${String(rows.length - NAMED)} more` : ''
  return `${String(rows.length)}: ${rows.slice(0, NAMED).map(name).join('; ')}${more}`
}

function decisionWords(one: ResolvedConflict): string {
  const words = { main: 'as in main', branch: 'as on the branch', value: 'a new value' }
  const what = one.wanted === undefined ? 'open' : words[one.wanted.use]
  return one.conflict.entity_type === 'test' ? what : `${what}: ${resolvedText(one)}`
}

function proposalWords({ link_proposals: proposals }: MergePreview): string | undefined {
  const { approved = 0, pending = 0, rejected = 0 } = proposals ?? {}
  if (approved + pending + rejected === 0) return undefined
  return `${String(approved)} approved are applied, ${String(pending)} not decided and ${String(rejected)} rejected are dropped`
}

/** `verified 5 -> 5, no_test 1 -> 3`; undefined where the deployment does not state it. */
export function coverageWords({ coverage_effect: effect }: MergeEffect): string | undefined {
  const { before, after } = effect ?? {}
  const states = ['verified', 'not_run', 'no_test', 'failing', 'suspect'] as const
  const words = states.flatMap((state) => {
    const [from, to] = [before?.[state], after?.[state]]
    if (from === undefined || to === undefined) return []
    return from === to && state !== 'verified' ? [] : [`${state} ${String(from)} -> ${String(to)}`]
  })
  return words.length === 0 ? undefined : words.join(', ')
}

/** `PASS -> FAIL`; undefined where the deployment does not state it. */
export function gateWords({ gate_effect: effect }: MergeEffect): string | undefined {
  const { current_status: now, predicted_status: then } = effect ?? {}
  return now === undefined || then === undefined ? undefined : `${statusWord(now)} -> ${statusWord(then)}`
}

function duplicateWords({ duplicates = [] }: MergePreview): string | undefined {
  return named(duplicates, ({ requirement, existing, similarity }) => {
    const share = similarity === undefined ? '' : ` (${String(Math.round(similarity * 100))} %)`
    return `${requirement?.key ?? ''} is like ${existing?.key ?? ''}${share}`
  })
}

function overlapWords({ also_changed_in: others = [] }: MergePreview): string | undefined {
  return named(others, ({ key, branch }) => `${key ?? ''} on ${branch?.name ?? branch?.id ?? ''}`)
}
