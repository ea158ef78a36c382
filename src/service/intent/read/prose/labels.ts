import type { Candidate } from '../../types.ts'

const NAME = String.raw`\p{Lu}[\p{L}'’.-]{0,30}(?: \p{Lu}[\p{L}'’.-]{0,30}){0,2}`
const TIME = String.raw`\[?(?:\d{4}-\d\d-\d\d[ T])?\d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp][Mm])?\]?`
/** "[10:32] Ana Silva (PM): " */
const SPEAKER = new RegExp(
  String.raw`^\s*(?:(?<time>${TIME})\s*[-–—]?\s*)?(?<open>@|<)?(?<name>${NAME})>?(?:\s*\((?<role>[^()\n]{1,40})\))?(?:\s*,?\s*\[?${TIME}\]?)?:(?=\s)\s*`,
  'u',
)
/** Words that look like a name but say what follows. */
const LABELS =
  /^(?:decision|decided|agreed|agreement|action|action items?|conclusion|resolved|resolution|requirement|requirements|note|notes|important|warning|caution|tip|example|examples|question|answer|todo|fixme|given|when|then|and|but|feature|scenario|rule|background|user story|story|acceptance|acceptance criteria|criteria|goal|goals|scope|out of scope|summary|description|title|priority|status|date|time|subject|from|to|cc|attendees|participants|agenda|context|rationale|reason|why|what|how|who|problem|solution|proposal|change|changes|risk|risks|steps|result|expected|actual|option|default|must|should|may|shall|could|in|out|total|input|output|type|format|limit|timeout|performance|security|usability)$/i
const SELF =
  /(?:^|\b)(?:i|we|you|let's|yes|no|ok|okay|yeah|agreed|sure|right|hmm|good|thanks|please|can we|could we|should we)\b|\?/i

/** Labels that say that what follows was decided. */
const DECIDED =
  /^(?:\W{0,4})(?:final |the )?(?:decision|decided|agreed|agreement|action|action item|conclusion|resolved|resolution)(?:\s*(?:#?\d+|\([^)]{1,40}\)))?\s*(?::|[-–—]\s)\s*/i
const AGREED =
  /^(?:so )?(?:we(?:'ve| have)? (?:agreed|decided)|(?:it|this) (?:was|is) (?:agreed|decided)|agreed|decided)(?: that|:)\s+/i
const TASK = /^\W{0,4}action\b/i
/** After "Action:", a person who does something: "Ana writes to legal". */
const PERSON_DOES = /^\p{Lu}\p{Ll}+ (?:(?:and|&) \p{Lu}\p{Ll}+ )?(?:\p{Ll}+s|to|will|and)\b/u
/** Labels with the modality of what follows. */
const WEIGHTS: readonly (readonly [RegExp, Candidate['modality']])[] = [
  [/^(?:nice|could)[- ](?:to[- ])?have\s*(?::|[-–—]\s)\s*/i, 'MODALITY_MAY'],
  [/^should[- ]have\s*(?::|[-–—]\s)\s*/i, 'MODALITY_SHOULD'],
  [/^must[- ]have\s*(?::|[-–—]\s)\s*/i, 'MODALITY_MUST'],
]
const NEUTRAL =
  /^(?:requirements?|user story|story|feature|rule|note|change(?: request)?|proposal|todo|goal|(?:low|medium|high|critical|top) priority|p[0-4])(?:\s+#?\d+(?:\.\d+)*)?\s*(?::|[-–—]\s)\s*/i
/** A lead-in to the demand itself: "Let us write it like this: ", "We also want to lower it: ". */
const LEAD_IN =
  /^(?:(?:so|and|but|then|also|maybe|ok|okay)[ ,]+)*(?:let us|let's|we|i|how about|my (?:suggestion|proposal)|in short|in other words|that means)\b[^:.!?]{0,80}:\s+(?=\S+ .{0,160}\b(?:shall|must|should|may|will|can)\b)/i
/** Words that open a spoken sentence: "Yes,", "Okay -". */
const FILLER =
  /^(?:no|yes|yeah|yep|ok|okay|well|so|also|right|sure|fine|hmm|alright|all right|great|good|exactly|true|besides|finally)(?:,|\s[-–—]|[.!](?=\s))\s+/i
/** The number of a statement: "FR-001:", "[REQ-12]", "R1.2 -", "3.1.2.". */
const NUMBERING =
  /^(?:\[[ xX]\]\s+|\[?\(?[A-Z]{1,6}(?:[-_.][A-Z]{1,6})?[-_ ]?\d{1,6}(?:\.\d{1,4}){0,3}\)?\]?\s*(?::|[-–—]\s|\.\s|\)\s)\s*|\[[A-Z]{1,6}-\d{1,6}\]\s*|\d{1,3}(?:\.\d{1,3}){0,4}[.)]?\s+(?=\p{Lu})|\(?[a-z0-9]{1,2}[.)]\s+)/u

/** The names of the speakers of a conversation. */
export type Speakers = ReadonlySet<string>

/**
 * Finds the speakers: names with a time, repeated names, and names whose words sound spoken. In a conversation, every
 * other single name before a colon is a speaker too.
 */
export function findSpeakers(lines: readonly string[]): Speakers {
  const counts = new Map<string, number>()
  for (const line of lines) {
    if (!line.includes(':')) continue
    const text = line
      .slice(0, 400)
      .replace(/[*_]/g, '')
      .replace(/^[\s>+-]+/, '')
    const found = speakerAt(text)
    if (found === undefined) continue
    const rest = text.slice(found.length)
    const weight = found.isCertain ? 2 : SELF.test(rest) ? 2 : 1
    counts.set(found.name, (counts.get(found.name) ?? 0) + weight)
  }
  const isTalk = [...counts.values()].some((count) => count >= 2)
  return new Set(
    [...counts].filter(([name, count]) => count >= 2 || (isTalk && !name.includes(' '))).map(([name]) => name),
  )
}

function speakerAt(line: string): { name: string; length: number; isCertain: boolean } | undefined {
  const start = line.slice(0, 160)
  const match = SPEAKER.exec(start)
  const name = match?.groups?.['name']
  if (match === null || name === undefined || LABELS.test(name)) return undefined
  const { time, open } = match.groups ?? {}
  return { name, length: match[0].length, isCertain: time !== undefined || open !== undefined }
}

/** The length of the speaker's name at the start of a line, with its colon; 0 without a speaker. */
export function speakerLength(line: string, speakers: Speakers): number {
  if (speakers.size === 0) return 0
  const found = speakerAt(line)
  return found !== undefined && speakers.has(found.name) ? found.length : 0
}

export interface Label {
  /** The number of characters before the statement. */
  length: number
  isDecided: boolean
  /** What the label says of the modality. */
  modality: Candidate['modality'] | undefined
}

const noLabel: Label = { length: 0, isDecided: false, modality: undefined }

/** The labels before a statement: its number, "Requirement:", "Decision:". */
export function labelBefore(sentence: string): Label {
  let label = noLabel
  for (let turn = 0; turn < 4; turn += 1) {
    const next = nextLabel(sentence.slice(label.length, label.length + 200))
    if (next.length === 0) break
    const { isDecided, modality } = label
    label = {
      length: label.length + next.length,
      isDecided: isDecided || next.isDecided,
      modality: modality ?? next.modality,
    }
  }
  return label.length < sentence.length ? label : noLabel
}

function nextLabel(text: string): Label {
  const decided = (DECIDED.exec(text) ?? AGREED.exec(text))?.[0].length ?? 0
  if (decided > 0) {
    const isTask = TASK.test(text) && PERSON_DOES.test(text.slice(decided))
    return { length: decided, isDecided: !isTask, modality: undefined }
  }
  for (const [pattern, modality] of WEIGHTS) {
    const length = pattern.exec(text)?.[0].length ?? 0
    if (length > 0) return { length, isDecided: true, modality }
  }
  const length =
    (NEUTRAL.exec(text) ?? LEAD_IN.exec(text) ?? FILLER.exec(text) ?? NUMBERING.exec(text))?.[0].length ?? 0
  return { ...noLabel, length }
}
