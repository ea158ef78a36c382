import { readStatement, wordShare } from '../../quality/requirements/similarity/index.ts'
import { askingOrModal } from '../asking.ts'
import type { Candidate } from '../types.ts'
import { ambiguous, decided, firstAndRivals, refused, saidBy, type Decision, type Known } from './decision.ts'
import type { Entry, Pool } from './pool.ts'

/** The least share of the words for a retired thing that its requirement has. */
const NAMED = 0.8

const retireWords = new RegExp(
  String.raw`\b(?:no longer(?: (?:be )?(?:needed|required|necessary|wanted|used|appl(?:y|ies)|holds?|valid|relevant|supported))?|not (?:needed|required|supported|necessary) any ?more|any ?more|${askingOrModal}|drop(?:s|ped)?|remov(?:e|es|ed)|retire[sd]?|deprecate[sd]?|discontinue[sd]?|abolish(?:ed)?|scrap(?:ped)?|sunset|get rid of|do away with|phase[sd]? out|kill off|withdraw[ns]?|stop(?:s|ped)?|end(?:s|ed)?|obsolete|wants?|wanted|needs?|needed|support(?:s|ed)? (?:for|of)|requirement|feature|is|are|be|must|shall|should|will|not)\b`,
  'giu',
)

const prohibition = /\b(?:must|shall|should|may) no longer\b/iu

/**
 * Decides which requirement no longer holds when the text names no key; an error where that is not certain, and undefined
 * where the text demands something new.
 */
export function decideRetirement(candidate: Candidate, pool: Pool): Decision | undefined {
  const read = readStatement({ title: '', statement: saidBy(candidate).replace(retireWords, ' ') })
  const named = pool
    .nearest(read)
    .filter(({ known }) => known.id !== '')
    .map((entry) => ({ ...entry, share: wordShare(read, entry.read) }))
    .filter(({ share }) => share >= NAMED)
    .map((one) => ({ ...one, rank: one.share + closeness(read.main.words.size, one) }))
  const [first, ...rivals] = firstAndRivals(named)
  // "A code must no longer be combined": a new prohibition, where nothing demands it yet.
  if (first === undefined && prohibition.test(saidBy(candidate))) return undefined
  if (first === undefined) {
    return refused(candidate, 'No requirement matches what no longer holds; name its key, such as REQ-12.')
  }
  if (rivals.length > 0) return ambiguous(candidate, [first, ...rivals], 'the one that no longer holds')
  return retired(candidate, first.known, Math.round(first.share * 1000) / 1000)
}

/** The retirement of a requirement; one that is deprecated already has nothing to change. */
export function retired(candidate: Candidate, known: Known, similarity: number): Decision {
  const matched = { known, similarity }
  if (known.isDeprecated) {
    return decided(candidate, 'DUPLICATE', { matched, differences: ['it is deprecated already'] })
  }
  return decided(candidate, 'RETIRE', { matched })
}

/** How little else the requirement says. */
function closeness(words: number, { read }: Entry): number {
  return words / Math.max(words, read.main.words.size)
}
