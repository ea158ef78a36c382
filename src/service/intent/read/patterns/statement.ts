import { asking } from '../../asking.ts'
import type { Candidate } from '../../types.ts'
import { type Clauses, readClauses } from './ears.ts'
import { isAside, isTalk, isTeamwork, onlyInforms } from './informative.ts'
import { maskQuotes } from './mask.ts'
import { findModals, type Modal } from './modality.ts'
import { isRetirement } from './retire.ts'
import { isStory } from './story.ts'
import { isImperative } from './verbs.ts'

export interface Surroundings {
  /** Whether the sentence is an item in a section or a list of what is wanted. */
  isWanted: boolean
  /** Whether "Decision:" or a similar label introduces the sentence. */
  isDecided: boolean
  /** Whether the document says that only keywords in upper case are normative (RFC 8174). */
  isUpperOnly: boolean
  /** Whether the section gives background. */
  isBackground: boolean
  includeInformative: boolean
  /** The modality that the section gives to its items, such as "Nice to have". */
  modality: Candidate['modality'] | undefined
}

export interface Demand {
  pattern: Candidate['pattern']
  modality: Candidate['modality']
  /** Confidence without the findings on the wording (contract §9.4). */
  confidence: number
  retires: boolean
  /** The sentence's own modal word. */
  modal: Modal | undefined
  /** Where the main clause starts: after "When …,". */
  main: number
}

const CONFIDENCE = {
  gherkin: 0.95,
  ears: 0.9,
  story: 0.85,
  upper: 0.85,
  lower: 0.7,
  imperative: 0.55,
  informative: 0.5,
} as const
const DECIDED = 0.15

/** Verbs that ask for a change, also outside of a list. */
const CHANGE =
  /^(?:add|remove|raise|increase|decrease|reduce|lower|change|replace|rename|support|allow|drop|introduce|extend|limit|deprecate|ensure|make sure|disallow|prevent|enforce|require)\b/i
const ASKED = new RegExp(String.raw`^(?:(?:and|but|so|then|also) )?${asking}\s+(?:also\s+)?`, 'i')
const AGREED = /\b(?:agreed|decided) to\b/i
/** "Keep that out", "do it like this": the sentence does not say what is meant. */
const VAGUE = /^\p{L}+ (?:it|this|that|them|these|those)\b/iu
const PROHIBITED = /^(?:do not|don't|never|avoid|no longer|no|stop)\b/i
/** A statement in the present: "The refund goes out within 3 days." */
const DECLARES =
  /^(?:(?:the|a|an|each|every|all) )?(?:[\p{L}\p{N}-]+ ){1,6}(?:is|are|has|have|goes|\p{Ll}+(?<![su])s)\b.{8}/u

/** What the sentence demands; undefined if it only informs. */
export function readDemand(sentence: string, around: Surroundings): Demand | undefined {
  const masked = maskQuotes(sentence)
  if (isTalk(masked) && !around.isDecided) return undefined
  if (isStory(masked)) return demand('PATTERN_USER_STORY', 'MODALITY_MUST', CONFIDENCE.story, masked)
  return modalDemand(masked, around) ?? imperativeDemand(masked, around)
}

function demand(
  pattern: Candidate['pattern'],
  modality: Candidate['modality'],
  confidence: number,
  masked: string,
  more: { modal?: Modal; main?: number } = {},
): Demand {
  return {
    pattern,
    modality,
    confidence,
    retires: isRetirement(masked.slice(more.main ?? 0)),
    modal: more.modal,
    main: more.main ?? 0,
  }
}

function modalDemand(masked: string, around: Surroundings): Demand | undefined {
  const isStrict = around.isUpperOnly || isAside(masked)
  for (const modal of findModals(masked)) {
    if (!modal.isUpper && isStrict) return undefined
    const { pattern, main } = readClauses(masked, modal.start)
    if (!isOwn(masked, modal, main, around)) continue
    const name = earsPattern(pattern, modal, masked.slice(main, modal.start)) ?? 'PATTERN_RFC2119'
    const confidence =
      name !== 'PATTERN_RFC2119' ? CONFIDENCE.ears : modal.isUpper ? CONFIDENCE.upper : CONFIDENCE.lower
    return demand(name, modal.modality, raised(confidence, around), masked, { modal, main })
  }
  return undefined
}

/** Whether the modal word demands something, and is not one of a clause such as "If the user must log in, …". */
function isOwn(masked: string, modal: Modal, main: number, around: Surroundings): boolean {
  if (main === 0 && /^(?:if|when|while|where|unless|once|as)\b/i.test(masked) && hasLater(masked, modal)) return false
  const { word, isUpper, start, end } = modal
  const before = masked.slice(0, start)
  const subject = masked.slice(main, start).trim()
  return !onlyInforms({
    before,
    subject,
    rest: masked.slice(end),
    word,
    isUpper,
    isWanted: around.isWanted,
    isBackground: around.isBackground,
  })
}

/** The pattern of EARS; undefined for other sentences with a modal word, such as those that only follow RFC 2119. */
function earsPattern(clauses: Clauses['pattern'], { word, isUpper }: Modal, subject: string): Clauses['pattern'] {
  if (clauses !== undefined) return clauses
  const isKeyword = isUpper && /[a-z]/.test(subject) && !subject.startsWith('THE ')
  return word.startsWith('shall') && !isKeyword ? 'PATTERN_EARS_UBIQUITOUS' : undefined
}

/** Whether a comma follows the modal word, so that the main clause comes later. */
function hasLater(masked: string, { end }: Modal): boolean {
  return /[,]|\bthen\b/.test(masked.slice(end))
}

function imperativeDemand(masked: string, around: Surroundings): Demand | undefined {
  const asked = ASKED.exec(masked)
  const text = masked.slice(asked?.[0].length ?? 0)
  if (asked !== null && (VAGUE.test(text) || (AGREED.test(asked[0]) && isTeamwork(text)))) return undefined
  const isWanted = around.isDecided || asked !== null || around.isWanted
  const modality = around.modality ?? (PROHIBITED.test(text) ? 'MODALITY_MUST_NOT' : 'MODALITY_MUST')
  const counts =
    isRetirement(masked) ||
    CHANGE.test(text) ||
    around.isDecided ||
    (isWanted && (isImperative(text) || PROHIBITED.test(text)))
  if (counts) return demand('PATTERN_IMPERATIVE', modality, raised(CONFIDENCE.imperative, around), masked)
  if (around.isWanted && DECLARES.test(text))
    return demand('PATTERN_IMPERATIVE', modality, CONFIDENCE.informative, masked)
  if (!around.includeInformative || !/\b\p{L}+(?:s|ed)\b/u.test(masked)) return undefined
  return demand('PATTERN_IMPERATIVE', modality, CONFIDENCE.informative, masked)
}

function raised(confidence: number, { isDecided }: Surroundings): number {
  return isDecided ? Math.min(0.95, confidence + DECIDED) : confidence
}
