import type * as z from 'zod'
import type { DistillProposal } from '../../../contract/distill.ts'
import type { Drafting } from '../../branches/overlay/write.ts'
import { requirementKey } from '../../quality/keys.ts'
import type { StoredRequirement } from '../../quality/requirements/access.ts'
import { Criteria } from '../../quality/requirements/columns.ts'
import { criterionInWords } from '../../quality/requirements/content.ts'
import { createRequirement, updateRequirement } from '../../quality/requirements/requirement-store.ts'
import type { RequirementFields } from '../../quality/requirements/write.ts'
import { readJson } from '../../sql/json.ts'
import type { StoredProduct } from '../../workspace/products.ts'
import { missingCriteria, type Decision } from '../match/index.ts'
import { LONGEST_STATEMENT, LONGEST_TEXT, MOST_CRITERIA } from '../read/parts/limits.ts'
import type { DraftCriterion, SourceDocument } from '../types.ts'
import { createComponentFinder } from './components.ts'
import { asKnown } from './known.ts'
import { sourceFields, quoteWithPlace } from './source.ts'

type Change = z.input<typeof DistillProposal>['changes'][number]

/** What was written for a proposal. */
export interface Written {
  /** Of the requirement that was created or changed. */
  id: string
  changes: Change[]
}

export interface DraftContext {
  product: StoredProduct
  documents: readonly SourceDocument[]
  parentId: string | undefined
  /** Files that items name, by ordinal. */
  files: ReadonlyMap<number, readonly string[]>
}

const LONGEST_TITLE = 200
const LONGEST_NOTE = 2000

/** Writes what the decisions draft on the branch; resolves to what was written, by ordinal. */
export async function writeDrafts(
  drafting: Drafting,
  decisions: readonly Decision[],
  context: DraftContext,
): Promise<Map<number, Written>> {
  const componentsFor = await createComponentFinder(drafting.rows, context.product.id, context.parentId)
  const written = new Map<number, Written>()
  const notes = new Notes(drafting)
  const created = decisions.filter(({ action }) => action === 'CREATE')
  for (const decision of created) {
    const { ordinal } = decision.candidate
    const components = componentsFor(decision.candidate, context.files.get(ordinal) ?? [])
    written.set(ordinal, await create(drafting, decision, { ...context, components }))
  }
  for (const decision of decisions) {
    const fields = fieldsFor(decision, written)
    const done = fields && (await change(drafting, decision, fields))
    if (done === undefined) continue
    written.set(decision.candidate.ordinal, done)
    notes.add(done.id, decision, context.documents)
  }
  notes.say()
  return written
}

async function create(
  { rows, prepare, call }: Drafting,
  { candidate, texts }: Decision,
  { product, documents, parentId, files, components }: DraftContext & { components: string[] },
): Promise<Written> {
  const { criteria, kind, priority, tags } = candidate
  const { title, statement } = { ...candidate, ...texts }
  const paths = files.get(candidate.ordinal) ?? []
  const row = await createRequirement(rows, prepare, call, product, {
    title: title.slice(0, LONGEST_TITLE),
    statement: statement.slice(0, LONGEST_STATEMENT),
    acceptance_criteria: criteria.slice(0, MOST_CRITERIA).map(cutCriterion),
    kind,
    status: 'REQUIREMENT_STATUS_PROPOSED',
    priority,
    tags: [...tags],
    component_ids: components,
    code_refs: paths.map((path) => ({ path })),
    source: sourceFields(candidate, documents),
    ...(parentId !== undefined && { parent_id: parentId }),
  })
  return { id: row.id, changes: [] }
}

function cutCriterion({ kind, text, given, when, then }: DraftCriterion) {
  const cut = (part: string) => part.slice(0, LONGEST_TEXT)
  // oxlint-disable-next-line unicorn/no-thenable -- Given, When, Then: text, which no await calls
  return { kind, text: cut(text), given: cut(given), when: cut(when), then: cut(then) }
}

type Fields = Pick<RequirementFields, 'title' | 'statement' | 'status' | 'superseded_by_id'> & {
  added: readonly DraftCriterion[]
}

/** The members that a decision changes in a requirement; undefined where it changes none. */
function fieldsFor(
  { action, texts, criteria, replacement }: Decision,
  written: ReadonlyMap<number, Written>,
): Fields | undefined {
  if (action === 'RETIRE') {
    const by = replacement && ('known' in replacement ? replacement.known.id : written.get(replacement.ordinal)?.id)
    return { status: 'REQUIREMENT_STATUS_DEPRECATED', ...(by !== undefined && { superseded_by_id: by }), added: [] }
  }
  return action === 'UPDATE' || action === 'CONFLICT' ? { ...texts, added: criteria } : undefined
}

/** Undefined when the requirement was deleted after it was compared, or has all that already. */
async function change({ rows, prepare, call }: Drafting, { matched }: Decision, { added, ...texts }: Fields) {
  const before = await readRow(rows, matched?.known.id ?? '')
  if (before === undefined) return undefined
  const criteria = readJson(Criteria, before.acceptance_criteria)
  const missing = missingCriteria({ criteria: added }, asKnown(before))
  const room = MOST_CRITERIA - criteria.length
  const all = [...criteria, ...missing.slice(0, Math.max(0, room)).map(cutCriterion)]
  const after = await updateRequirement(rows, prepare, call, before, {
    ...texts,
    ...(all.length > criteria.length && { acceptance_criteria: all }),
  })
  return { id: before.id, changes: await describeChanges(rows, before, after) }
}

function readRow(rows: Drafting['rows'], id: string): Promise<StoredRequirement | undefined> {
  return rows
    .selectFrom('requirement')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

async function describeChanges(
  rows: Drafting['rows'],
  before: StoredRequirement,
  after: StoredRequirement,
): Promise<Change[]> {
  const plain = (['title', 'statement', 'status'] as const).map((field) => ({
    field,
    before: before[field],
    after: after[field],
  }))
  const lists = [before, after].map((row) =>
    readJson(Criteria, row.acceptance_criteria).map(criterionInWords).join('\n'),
  )
  const replacement = await readRow(rows, after.superseded_by_id)
  return [
    ...plain,
    { field: 'acceptance_criteria', before: lists[0]!, after: lists[1]! },
    { field: 'superseded_by_id', before: '', after: replacement === undefined ? '' : requirementKey(replacement) },
  ].filter((one) => one.before !== one.after)
}

/** What the branch says of each changed requirement: why, and where the text says it. */
class Notes {
  readonly #drafting: Drafting
  readonly #said = new Map<string, { needsDecision: boolean; notes: string[] }>()

  constructor(drafting: Drafting) {
    this.#drafting = drafting
  }

  add(id: string, { action, candidate, differences }: Decision, documents: readonly SourceDocument[]): void {
    const said = this.#said.get(id) ?? { needsDecision: false, notes: [] }
    said.needsDecision ||= action === 'CONFLICT'
    said.notes.push([...differences, quoteWithPlace(candidate, documents)].join('; '))
    this.#said.set(id, said)
  }

  say(): void {
    for (const [id, { needsDecision, notes }] of this.#said) {
      const note = notes.join('\n').slice(0, LONGEST_NOTE)
      this.#drafting.say(id, { note, ...(needsDecision && { needsDecision }) })
    }
  }
}
