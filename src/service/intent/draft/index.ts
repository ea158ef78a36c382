import type { ResponseOf } from '../../../contract/index.ts'
import { notFound } from '../../../errors.ts'
import { readOnBranch, readOnBranchInside, requireBranchFor, type OpenBranch } from '../../branches/overlay/read.ts'
import { draftOnBranch } from '../../branches/overlay/write.ts'
import { createBranch, findFreeName, type StoredBranch } from '../../branches/store/branches.ts'
import { viewBranches } from '../../branches/store/view.ts'
import { chunks } from '../../sql/chunks.ts'
import { viewRequirements } from '../../quality/requirements/view.ts'
import type { RequirementBody } from '../../quality/requirements/columns.ts'
import { defaultThresholds } from '../../quality/requirements/similarity/index.ts'
import type { Call } from '../../shared/context.ts'
import { createTruncationNotes, keepFirst } from '../../shared/truncation-notes.ts'
import type { Prepare, Rows } from '../../sql/database.ts'
import { breathe } from '../../sql/rolled-back.ts'
import { requireProduct } from '../../workspace/access.ts'
import type { StoredProduct } from '../../workspace/products.ts'
import { matchCandidates, type Decision, type Known } from '../match/index.ts'
import type { Reading, SourceDocument } from '../types.ts'
import { readAlsoChanged } from '../../branches/store/also-changed.ts'
import { branchName, checkTarget, readDocuments, readRequest, type DistillInput } from './input.ts'
import { readKnown } from './known.ts'
import { summarise, viewLines, viewProposals, viewSkipped, type Stored } from './view.ts'
import { writeDrafts, type Written } from './write.ts'

type Result = ResponseOf<'distillIntent'>['distillation']

/** How much of an answer may be lines: a table of 2 MB has tens of thousands of them. */
const MOST_LINES = 2000
const MOST_SKIPPED = 200
/** How often a text is compared again when the product changes while it is compared. */
const MOST_ATTEMPTS = 3

/**
 * Turns a text into drafts on a branch (contract §9.4): reads it, compares what it demands with the main tree and the branch,
 * and writes all drafts in one transaction. Nothing of it is written to the main tree. Reading and comparing leave turns to
 * other requests, and hold no transaction.
 */
export async function distill(call: Call, input: DistillInput): Promise<Result> {
  const documents = readDocuments(input)
  checkTarget(input)
  await requireProduct(call.db.read, call.principal, input.product_id)
  const pause = breathe()
  const reading = await readRequest(input, documents, pause)
  for (let attempt = 1; ; attempt += 1) {
    const state = await readState(call, input)
    checkParent(input, state.known)
    const decisions = await matchCandidates(reading.candidates, state.known, pause, thresholds(input))
    const isLast = attempt === MOST_ATTEMPTS
    const done = await draft(call, input, {
      documents,
      reading,
      decisions,
      revision: isLast ? undefined : state.revision,
    })
    if (done !== undefined) return done
  }
}

function thresholds({ options = {} }: DistillInput) {
  const { duplicate_threshold: duplicate, related_threshold: related } = options
  return { duplicate: duplicate ?? defaultThresholds.duplicate, related: related ?? defaultThresholds.related }
}

/** What candidates are compared with, and the revisions at which it was read. */
function readState(call: Call, input: DistillInput): Promise<{ known: Known[]; revision: string }> {
  if (input.branch_id === undefined) {
    return requireProduct(call.db.read, call.principal, input.product_id).then(async (product) => ({
      known: await readKnown(call.db.read, product.id),
      revision: revisionWith(product, undefined),
    }))
  }
  return readOnBranch(call, input.branch_id, input, async (onBranch, { product, branch }) => ({
    known: await readKnown(onBranch.db.read, product.id),
    revision: revisionWith(product, branch),
  }))
}

function revisionWith({ tree_revision: main }: StoredProduct, branch: StoredBranch | undefined): string {
  return `${String(main)} ${String(branch?.head_revision ?? 0)}`
}

function checkParent({ parent_id: id }: DistillInput, known: readonly Known[]): void {
  if (id === undefined || known.some((one) => one.id === id)) return
  throw notFound('requirement', id, 'parent_id must be a requirement of the same product')
}

interface Compared {
  documents: readonly SourceDocument[]
  reading: Reading
  decisions: readonly Decision[]
  /** Undefined: write also when something changed meanwhile. */
  revision: string | undefined
}

/** Writes the drafts and answers; undefined when the product or the branch changed since the text was compared. */
async function draft(call: Call, input: DistillInput, compared: Compared): Promise<Result | undefined> {
  const isDrafting = compared.decisions.some(({ action }) => action !== 'DUPLICATE' && action !== 'ERROR')
  return call.db.write(async (rows, prepare) => {
    const inside = { rows, prepare, call }
    const product = await requireProduct(rows, call.principal, input.product_id)
    const given = input.branch_id === undefined ? undefined : await requireBranchFor(inside, input.branch_id, input)
    if (compared.revision !== undefined && compared.revision !== revisionWith(product, given?.branch)) return undefined
    const target = given ?? (isDrafting ? await openBranch(inside, product, input, compared.documents) : undefined)
    const stored = target === undefined ? nothing : await store(inside, target, input, compared)
    return answer(inside, { input, product, target }, compared, stored)
  })
}

const nothing: Stored = { written: new Map(), requirements: new Map(), alsoChanged: new Map() }

interface Inside {
  rows: Rows
  prepare: Prepare
  call: Call
}

/** A new branch; a name that was not asked for gets a number where an open branch has it. */
async function openBranch(
  { rows, call }: Inside,
  product: StoredProduct,
  input: DistillInput,
  documents: readonly SourceDocument[],
): Promise<OpenBranch> {
  const name = input.branch_name ?? (await findFreeName(rows, product.id, branchName(input, documents)))
  const source = { kind: 'BRANCH_SOURCE_DISTILL' as const, agent_run_id: '' }
  return { branch: await createBranch(rows, call, product, { name, source }), product }
}

async function store(
  inside: Inside,
  target: OpenBranch,
  input: DistillInput,
  { documents, decisions }: Compared,
): Promise<Stored> {
  const { rows } = inside
  const files = new Map((input.items ?? []).map((item, index) => [index + 1, item.files ?? []]))
  const context = { product: target.product, documents, parentId: input.parent_id, files }
  const written = await draftOnBranch(inside, target, (drafting) => writeDrafts(drafting, decisions, context))
  const branch = await readBranch(rows, target.branch.id)
  const requirements = await readWritten(inside, { ...target, branch }, written)
  const ids = decisions.flatMap(({ matched }) =>
    matched === undefined || matched.known.id === '' ? [] : [matched.known.id],
  )
  return { written, requirements, alsoChanged: await readAlsoChanged(rows, target.branch, ids) }
}

function readBranch(rows: Rows, id: string): Promise<StoredBranch> {
  return rows.selectFrom('branch').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

async function readWritten(inside: Inside, target: OpenBranch, written: ReadonlyMap<number, Written>) {
  const ids = [...new Set([...written.values()].map(({ id }) => id))]
  return readOnBranchInside(inside, target, async (onBranch) => {
    const { read } = onBranch.db
    const found = new Map<string, RequirementBody>()
    for (const chunk of chunks(ids)) {
      const rows = await read.selectFrom('requirement').selectAll().where('id', 'in', chunk).execute()
      const views = await viewRequirements(read, target.product, rows, { now: onBranch.now() })
      for (const view of views) found.set(view.id, view)
    }
    return found
  })
}

async function answer(
  { rows, call }: Inside,
  { input, product, target }: { input: DistillInput; product: StoredProduct; target: OpenBranch | undefined },
  { documents, reading, decisions }: Compared,
  stored: Stored,
): Promise<Result> {
  const notes = createTruncationNotes()
  for (const { what, kept, total } of reading.cuts) notes.note('proposals', cutReason(what), kept, total)
  const skipped = reading.lines.filter(({ use }) => use === 'skipped')
  const proposals = viewProposals(decisions, { call, product, documents, stored })
  // A branch that a dry run would create does not exist.
  const isShown = target !== undefined && (!call.validateOnly || input.branch_id !== undefined)
  const [branch] = !isShown ? [] : await viewBranches(rows, product, [await readBranch(rows, target.branch.id)])
  return {
    id: call.validateOnly ? '' : call.newId(),
    branch: branch ?? null,
    proposals,
    skipped: viewSkipped(keepFirst(notes, 'skipped', skipped, MOST_SKIPPED), documents),
    lines: viewLines(keepFirst(notes, 'lines', reading.lines, MOST_LINES), documents),
    summary: summarise(reading, proposals),
    truncation_signals: notes.list(),
  }
}

/** The option that left requirements out. */
function cutReason(what: string): string {
  return what === 'requirements' ? 'max_requirements' : 'min_confidence'
}
