import type * as z from 'zod'
import { DistillAction, type Distillation, type DistillProposal } from '../../../contract/distill.ts'
import type { AlsoChangedIn } from '../../../contract/branches.ts'
import { judgeCoverage } from '../../quality/coverage/rule.ts'
import type { RequirementBody } from '../../quality/requirements/columns.ts'
import { contentHash } from '../../quality/requirements/content.ts'
import type { Call } from '../../shared/context.ts'
import { timestamp } from '../../shared/times.ts'
import type { StoredProduct } from '../../workspace/products.ts'
import type { Decision } from '../match/index.ts'
import { linesIn } from '../read/document.ts'
import type { Candidate, LineRange, Reading, SourceDocument } from '../types.ts'
import { sourceFields } from './source.ts'
import type { Written } from './write.ts'

type Proposal = z.input<typeof DistillProposal>
type Body = z.input<typeof Distillation>

const QUOTE = 300

/** All that proposals show of what is stored. */
export interface Stored {
  written: ReadonlyMap<number, Written>
  /** As the branch has them. */
  requirements: ReadonlyMap<string, RequirementBody>
  alsoChanged: ReadonlyMap<string, z.input<typeof AlsoChangedIn>[]>
}

interface Viewing {
  call: Call
  product: StoredProduct
  documents: readonly SourceDocument[]
  stored: Stored
}

/** Converts decisions to the contract's proposals. */
export function viewProposals(decisions: readonly Decision[], viewing: Viewing): Proposal[] {
  return decisions.map((decision) => viewProposal(decision, viewing))
}

function viewProposal(decision: Decision, viewing: Viewing): Proposal {
  const { candidate, action, matched, differences, error } = decision
  const { stored, documents } = viewing
  const written = stored.written.get(candidate.ordinal)
  const isGone = written === undefined && ['UPDATE', 'CONFLICT', 'RETIRE'].includes(action)
  return {
    ordinal: candidate.ordinal,
    action: DistillAction.parse(`DISTILL_ACTION_${isGone ? 'ERROR' : action}`),
    requirement: viewRequirement(decision, written, viewing),
    matched: viewMatched(matched, stored),
    differences: [...differences],
    changes: written?.changes ?? [],
    needs_decision: action === 'CONFLICT' && !isGone,
    also_changed_in: stored.alsoChanged.get(matched?.known.id ?? '') ?? [],
    error: isGone ? 'The requirement was deleted meanwhile; distill the text again.' : error,
    pattern: candidate.pattern,
    modality: candidate.modality,
    confidence: candidate.confidence,
    source: {
      document: documents[candidate.source.document]?.name ?? '',
      line_start: candidate.source.lineStart,
      line_end: candidate.source.lineEnd,
      quote: candidate.source.quote,
    },
    lint: [...candidate.lint],
  }
}

/** What was matched; an earlier proposal has an id once it is written. */
function viewMatched(matched: Decision['matched'], { written, requirements }: Stored): Proposal['matched'] {
  if (matched === undefined) return null
  const { known, similarity } = matched
  const draft = requirements.get(written.get(known.ordinal)?.id ?? '')
  const { id, key } = known.ordinal === 0 ? known : (draft ?? { id: '', key: '' })
  return { id, key, title: known.title, similarity }
}

function viewRequirement(
  { candidate, action }: Decision,
  written: Written | undefined,
  viewing: Viewing,
): RequirementBody {
  const stored = viewing.stored.requirements.get(written?.id ?? '')
  if (stored === undefined) return draftBody(candidate, viewing)
  return viewing.call.validateOnly && action === 'CREATE' ? { ...stored, id: '', key: '' } : stored
}

/** A requirement that is not written, as it would be. */
function draftBody(candidate: Candidate, { call, product, documents }: Viewing): RequirementBody {
  const { title, statement, kind, priority, tags } = candidate
  const criteria = candidate.criteria.map((one, position) => ({ ...one, id: call.newId(), position }))
  const now = timestamp(call.now())
  return {
    id: '',
    key: '',
    product_id: String(product.id),
    branch_id: '',
    parent_id: '',
    position: 0,
    path: [],
    kind,
    status: 'REQUIREMENT_STATUS_PROPOSED',
    title,
    statement,
    rationale: '',
    normative: true,
    acceptance_criteria: criteria,
    priority,
    risk: 'RISK_LEVEL_MEDIUM',
    tags: [...tags],
    labels: {},
    component_ids: [],
    code_refs: [],
    depends_on_ids: [],
    superseded_by_id: '',
    external_refs: [],
    source: { ...sourceFields(candidate, documents), agent_run_id: '' },
    version: 1,
    content_hash: contentHash({ title, statement, acceptance_criteria: criteria }),
    coverage: judgeCoverage({ criterionIds: criteria.map(({ id }) => id), links: [], maxAgeMs: 0, now: call.now() })
      .coverage,
    created_by: call.actor,
    updated_by: call.actor,
    created_at: now,
    updated_at: now,
    etag: '',
  }
}

/** Converts ranges of lines to those of the contract. */
export function viewLines(ranges: readonly LineRange[], documents: readonly SourceDocument[]): Body['lines'] {
  return ranges.map(({ document, lineStart, lineEnd, use, ordinal, reason }) => ({
    document: documents[document]?.name ?? '',
    line_start: lineStart,
    line_end: lineEnd,
    use,
    ordinal,
    reason,
  }))
}

/** Converts skipped ranges to quotes with their reasons. */
export function viewSkipped(ranges: readonly LineRange[], documents: readonly SourceDocument[]): Body['skipped'] {
  const lines = new Map<number, string[]>()
  return ranges.map(({ document, lineStart, lineEnd, reason }) => {
    const all = lines.get(document) ?? linesIn(documents[document]?.content ?? '')
    lines.set(document, all)
    const quote = all.slice(lineStart - 1, Math.min(lineEnd, lineStart + 9)).join('\n')
    return { document: documents[document]?.name ?? '', quote: quote.slice(0, QUOTE), line: lineStart, reason }
  })
}

/** Counts what became of a text; the counts are whole, whatever the answer leaves out. */
export function summarise(reading: Reading, proposals: readonly Proposal[]): Body['summary'] {
  const count = (action: Decision['action']) =>
    proposals.filter((one) => one.action === `DISTILL_ACTION_${action}`).length
  return {
    sentences: reading.sentences,
    proposed: proposals.length,
    created: count('CREATE'),
    updated: count('UPDATE'),
    duplicates: count('DUPLICATE'),
    conflicts: count('CONFLICT'),
    retired: count('RETIRE'),
    errors: count('ERROR'),
    skipped: reading.lines.filter(({ use }) => use === 'skipped').length,
  }
}
