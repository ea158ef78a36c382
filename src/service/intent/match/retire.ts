import { readStatement, wordShare } from '../../quality/requirements/similarity/index.ts'
import { askingOrModal } from '../asking.ts'
import type { Candidate } from '../types.ts'
import { decided, refused, saidBy, type Decision, type Known } from './decision.ts'
import type { Entry, Pool } from './pool.ts'

/** What share of the words that name a retired thing the requirement has to have. */
const NAMED = 0.8
/** A requirement is meant rather than another one when it is that much closer. */
const CLEARLY = 0.1
const MOST_NAMED = 5

const retireWords = new RegExp(
  String.raw`\b(?:no longer(?: (?:be )?(?:needed|required|necessary|wanted|used|appl(?:y|ies)|holds?|valid|relevant|supported))?|not (?:needed|required|supported|necessary) any ?more|any ?more|${askingOrModal}|drop(?:s|ped)?|remov(?:e|es|ed)|retire[sd]?|deprecate[sd]?|discontinue[sd]?|abolish(?:ed)?|scrap(?:ped)?|sunset|get rid of|do away with|phase[sd]? out|kill off|withdraw[ns]?|stop(?:s|ped)?|end(?:s|ed)?|obsolete|wants?|wanted|needs?|needed|support(?:s|ed)? (?:for|of)|requirement|feature|is|are|be|must|shall|should|will|not)\b`,
  'giu',
)

const prohibition = /\b(?:must|shall|should|may) no longer\b/iu

/** Decides for a candidate without a key which requirement no longer holds; a question where that is not certain, and
 * undefined where it demands something new. */
export function decideRetirement(candidate: Candidate, pool: Pool): Decision | undefined {
  const read = readStatement({ title: '', statement: saidBy(candidate).replace(retireWords, ' ') })
  const named = pool
    .nearest(read)
    .filter(({ known }) => known.id !== '')
    .map((entry) => ({ entry, share: wordShare(read, entry.read), closeness: closeness(read.main.words.size, entry) }))
    .filter(({ share }) => share >= NAMED)
    .sort((one, other) => other.share + other.closeness - one.share - one.closeness)
  const [first] = named
  // "A code must no longer be combined": a new prohibition, where nothing demands it yet.
  if (first === undefined && prohibition.test(saidBy(candidate))) return undefined
  if (first === undefined) {
    return refused(candidate, 'No requirement matches what no longer holds; name its key, such as REQ-12.')
  }
  const rivals = named.filter((one) => first.share + first.closeness - one.share - one.closeness < CLEARLY)
  if (rivals.length > 1) return refused(candidate, question(rivals.map(({ entry }) => entry)))
  return retired(candidate, first.entry.known, Math.round(first.share * 1000) / 1000)
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

function question(entries: readonly Entry[]): string {
  const keys = entries.slice(0, MOST_NAMED).map(({ known }) => known.key)
  const more = entries.length > keys.length ? ` and ${String(entries.length - keys.length)} more` : ''
  return `Several requirements could be meant: ${keys.join(', ')}${more}. Name the key of the one that no longer holds.`
}
