import * as z from 'zod'
import type { ReceivedResult } from '../../../src/client/api.ts'
import type { ResultOf } from '../../../src/contract/index.ts'
import { BranchChange, Conflict as ConflictSchema } from '../../../src/contract/branches.ts'
import { LinkProposal as ProposalSchema } from '../../../src/contract/links.ts'
import { isObject } from '../../../src/lib/objects.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import { flag, pick, rows, teamLine, upTo } from '../../../src/mcp/result/output.ts'
import { keyOrId, listed, rowTitle } from '../columns.ts'
import { criterionText, type CriterionParts } from '../quality/criteria.ts'
import { showNames } from '../test-names.ts'
import { conflictName, hasMarkers, suggestedUse, valueText, type Conflict, type MergePreview } from './merge-preview.ts'

export type LinkProposal = ReceivedResult<ResultOf<'listLinkProposals'>>['link_proposals'][number]
type Change = NonNullable<MergePreview['changes']>[number]

/** A value of one side: long texts are cut. */
const words = upTo(teamLine, 300)

/** Conflicts as tools show them, each under the name that a resolution takes. */
export const conflictRows = rows({
  id: z.string().optional(),
  ...pick(ConflictSchema, 'type'),
  main: words,
  branch: words,
  suggested: words,
  message: words,
})

/** The row of a conflict. */
export function conflictRow(conflict: Conflict) {
  const { type, entity_type: entity, main, branch, message } = conflict
  // A report may have written what a test is called.
  const side = (value: unknown) => (entity === 'test' ? undefined : valueText(value))
  return {
    id: conflictName(conflict),
    type,
    main: side(main),
    branch: side(branch),
    suggested: suggestedWords(conflict),
    // Of a decision the two sides say it all.
    message: type === 'CONFLICT_TYPE_DECISION' ? undefined : message,
  }
}

/** `main`, `branch` or `value: 5 days`; undefined where the deployment suggests nothing. */
function suggestedWords(conflict: Conflict): string | undefined {
  const { suggested, suggested_value: given } = conflict
  if (suggested === undefined) return undefined
  if (hasMarkers(given)) return `value, to be written from ${valueText(given)}`
  const { use, value } = suggestedUse(conflict)
  return value === undefined ? use : `${use}: ${value}`
}

/** Members that say where a draft comes from or where it is, not what it demands. */
const ABOUT = new Set(['source', 'position'])

export const changeRows = rows({
  id: z.string().optional(),
  ...pick(BranchChange, 'operation'),
  title: rowTitle,
  changes: z.string(),
  criteria: upTo(teamLine, 600),
  statement: upTo(teamLine, 300),
  before: upTo(teamLine, 300),
  from: teamLine,
  quote: upTo(teamLine, 400),
  decide: flag,
})

/**
 * A change of a branch: what it creates in full words, what it modifies with the words before. Where a person decides, the
 * conflict has both.
 */
export function changeRow(change: Change, { isFull, decided }: { isFull: boolean; decided: ReadonlySet<unknown> }) {
  const { entity_type: type, entity_id: id, key, title, operation, field_changes: members = [] } = change
  const isTest = type === 'test'
  const isDecided = decided.has(key)
  const member = (name: string) => members.find(({ field }) => field === name)
  const shown = (value: unknown) => (isTest || isDecided || !hasValue(value) ? undefined : valueText(value))
  const source = sourceParts(member('source')?.branch)
  const statement = shown(member('statement')?.branch)
  const criteria = member('acceptance_criteria')?.branch
  const isCreated = operation === 'CHANGE_OPERATION_CREATE'
  return {
    id: keyOrId({ id, key }),
    operation,
    title: isTest || statement?.startsWith(title ?? '') === true ? undefined : title,
    changes: isCreated ? undefined : listed(members.flatMap((one) => memberWords(one, isTest))),
    criteria: isTest ? undefined : criteriaWords(criteria, isFull),
    statement,
    before: isCreated ? undefined : shown(member('statement')?.base),
    from: source.place,
    quote: isFull ? source.quote : undefined,
    decide: isDecided,
  }
}

function hasValue(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

/** How many criteria there are, or what they say. */
function criteriaWords(criteria: unknown, isFull: boolean): string | undefined {
  if (!Array.isArray(criteria) || criteria.length === 0) return undefined
  if (!isFull) return String(criteria.length)
  return criteria.map((one) => criterionText(isObject(one) ? (one as CriterionParts) : {})).join(' / ')
}

/** `statement`; of a short value what it becomes: `status: deprecated`. */
function memberWords({ field = '', branch }: NonNullable<Change['field_changes']>[number], isTest: boolean): string[] {
  if (ABOUT.has(field)) return []
  const isEnum = typeof branch === 'string' && /^[A-Z_]+$/.test(branch)
  if (isTest || !isEnum) return [field]
  return [`${field}: ${branch.replace(new RegExp(`^(?:[A-Z]+_)*${field.toUpperCase()}_`), '').toLowerCase()}`]
}

/** `notes.md:12` and the quote of a draft's source. */
function sourceParts(source: unknown): { place?: string | undefined; quote?: string | undefined } {
  if (!isObject(source)) return {}
  const { uri, line_start: line, quote } = source
  const place = [uri, line].filter((part) => part !== undefined && part !== '' && part !== 0).join(':')
  return { place: place || undefined, quote: typeof quote === 'string' && quote !== '' ? quote : undefined }
}

export const proposalRows = rows({
  id: z.string().optional(),
  ...pick(ProposalSchema, 'action', 'state'),
  test: z.string(),
  ...pick(ProposalSchema, 'role'),
  requirement: z.string(),
  criteria: z.string(),
  title: rowTitle,
  ...pick(ProposalSchema, 'confidence'),
  why: upTo(teamLine, 160),
})

/** A link proposal with its criteria by name, and the test's title where only a report gave it. */
export async function proposalRow(
  { id, action, state, test, role, requirement, criterion_ids: criteria = [], ...proposal }: LinkProposal,
  criterionNames: ReadonlyMap<string, string>,
  { local }: Pick<Context, 'local'>,
) {
  const { confidence, rationale, signals = [] } = proposal
  const { facts, reported } = await showNames({ title: test?.title, names_known: test?.known }, local)
  const why = rationale || signals.map(({ name, value }) => `${name ?? 'signal'} ${String(value ?? '')}`).join(', ')
  return {
    row: {
      id,
      action,
      state,
      test: test && keyOrId(test),
      role,
      requirement: requirement && keyOrId(requirement),
      criteria: listed(criteria.flatMap((criterion) => criterionNames.get(criterion) ?? [])),
      title: facts.title,
      confidence,
      why: why || undefined,
    },
    reported: { title: reported?.title },
  }
}
