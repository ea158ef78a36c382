import type { Candidate, LineRange, Reading, SourceDocument } from '../types.ts'
import { formatFor, linesIn } from './document.ts'
import { readGherkin } from './gherkin/read.ts'
import type { Block } from './parts/blocks.ts'
import type { Draft } from './parts/drafts.ts'
import { confidenceIn, finish } from './finish.ts'
import { LineLedger } from './parts/ledger.ts'
import { BLOCKS_PER_TURN, CANDIDATES_PER_TURN, LONGEST_LINE } from './parts/limits.ts'
import { readMarkdown } from './markdown/read.ts'
import { readPlain } from './plain.ts'
import { findSpeakers } from './prose/labels.ts'
import { ProseReader } from './prose/reader.ts'

export interface ReadOptions {
  minConfidence: number
  maxRequirements: number
  includeInformative: boolean
  /** The priority of requirements whose text states none. */
  defaultPriority: Candidate['priority'] | undefined
}

/** The document says that its keywords are those of RFC 2119, which RFC 8174 limits to upper case. */
const UPPER_ONLY = /\bBCP ?14\b|\bRFC ?8174\b/

/**
 * The requirements that documents state, and what became of every line. Deterministic; the time is linear in the length of
 * the documents. `pause` is called often, so that others get their turn.
 */
export async function readIntent(
  documents: readonly SourceDocument[],
  options: ReadOptions,
  pause: () => Promise<void>,
): Promise<Reading> {
  const candidates: Candidate[] = []
  const lines: LineRange[] = []
  const counts = { sentences: 0, confident: 0, found: 0 }
  for (const [index, document] of documents.entries()) {
    const source = linesIn(document.content)
    const ledger = new LineLedger(index, source)
    const drafts: Draft[] = []
    counts.sentences += await readDocument(document, source, { ledger, drafts, options, pause })
    for (const [position, draft] of drafts.entries()) {
      if (position % CANDIDATES_PER_TURN === 0) await pause()
      settle(draft, index, { ledger, candidates, counts, options })
    }
    for (const range of ledger.ranges('LINK_DEFINITION')) lines.push(range)
  }
  return { candidates, lines, sentences: counts.sentences, cuts: cutsFrom(candidates.length, counts, options) }
}

interface Work {
  ledger: LineLedger
  drafts: Draft[]
  options: ReadOptions
  pause: () => Promise<void>
}

/** Fills the ledger and the drafts, and returns the number of sentences. */
async function readDocument(document: SourceDocument, source: readonly string[], work: Work): Promise<number> {
  const { ledger, drafts, options } = work
  const lines = withoutLongLines(source, ledger)
  const reader = new ProseReader(ledger, drafts, {
    speakers: findSpeakers(lines),
    isUpperOnly: UPPER_ONLY.test(document.content),
    includeInformative: options.includeInformative,
  })
  const format = formatFor(document)
  if (format === 'gherkin') await readGherkin({ lines, before: 0, headings: [] }, work)
  else await readProse(format === 'markdown' ? readMarkdown(lines) : readPlain(lines), reader, work)
  reader.end()
  return reader.sentences
}

async function readProse(pieces: Iterable<Iterable<Block>>, reader: ProseReader, work: Work): Promise<void> {
  let taken = 0
  for (const piece of pieces) {
    for (const block of piece) {
      if (block.kind === 'gherkin') await readFence(block, reader, work)
      else reader.take(block)
      taken += 1
      if (taken % BLOCKS_PER_TURN === 0) await work.pause()
    }
    await work.pause()
  }
}

/** A block of Gherkin in Markdown, with its fences. */
function readFence(block: Extract<Block, { kind: 'gherkin' }>, reader: ProseReader, work: Work): Promise<void> {
  reader.end()
  work.ledger.frame(block.lineStart, block.lineEnd)
  const lines = linesIn(block.content.replace(/\n$/, ''))
  return readGherkin({ lines, before: block.lineStart, headings: reader.headings }, work)
}

/** The lines with empty ones for those that are too long for a parser. */
function withoutLongLines(lines: readonly string[], ledger: LineLedger): string[] {
  return lines.map((line, index) => {
    if (line.length <= LONGEST_LINE) return line
    ledger.skip(index + 1, index + 1, 'TOO_LONG')
    return ''
  })
}

interface Settlement {
  ledger: LineLedger
  candidates: Candidate[]
  counts: { found: number; confident: number }
  options: ReadOptions
}

/** Makes the draft a candidate, or skips its lines because of the limits that the caller gave. */
function settle(draft: Draft, document: number, { ledger, candidates, counts, options }: Settlement): void {
  const confidence = confidenceIn(draft)
  const isConfident = confidence >= options.minConfidence
  counts.found += 1
  if (isConfident) counts.confident += 1
  const reason = !isConfident ? 'LOW_CONFIDENCE' : candidates.length >= options.maxRequirements ? 'LIMIT' : undefined
  if (reason !== undefined) {
    for (const { start, end } of [draft.lines, ...draft.criterionLines]) ledger.skip(start, end, reason)
    return
  }
  const ordinal = candidates.length + 1
  candidates.push(finish(draft, { ordinal, document, confidence }, options.defaultPriority))
  ledger.use('proposal', draft.lines.start, draft.lines.end, ordinal)
  for (const { start, end } of draft.criterionLines) ledger.use('criterion', start, end, ordinal)
}

function cutsFrom(
  kept: number,
  { found, confident }: Settlement['counts'],
  { minConfidence }: ReadOptions,
): Reading['cuts'] {
  const cuts = []
  if (kept < confident) cuts.push({ what: 'requirements', kept, total: confident })
  if (confident < found)
    cuts.push({ what: `requirements of confidence ${String(minConfidence)} or more`, kept: confident, total: found })
  return cuts
}
