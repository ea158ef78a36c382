import { capitalised } from '../../../lib/counted.ts'
import { askingOrModal } from '../asking.ts'

/** A sentence that changes a value: "raise the timeout from 30 to 60 seconds". */
export interface ChangeWords {
  /** What is changed, such as "the timeout of the session"; may be empty. */
  subject: string
  /** The value until now, where the sentence gives it. */
  old: string | undefined
  now: string
  /** Whether it can only be about something that exists. */
  isStrong: boolean
}

const verbs =
  'raise|increase|extend|lengthen|lower|reduce|decrease|shorten|change|bump|adjust|set|move|switch|cut|update|prolong|modify'
const participles =
  'raised|increased|extended|lengthened|lowered|reduced|decreased|shortened|changed|bumped|adjusted|set|moved|switched|cut|updated|prolonged|modified'
const lead = `^(?:(?:${askingOrModal}|also) )?`

const patterns: readonly { pattern: RegExp; isStrong: boolean }[] = [
  { pattern: new RegExp(`${lead}(?:${verbs}) (?<subject>.+?) from (?<old>.+?) to (?<now>.+)$`, 'iu'), isStrong: true },
  {
    pattern: new RegExp(
      String.raw`^(?<subject>.+?) (?:(?:must|shall|should|will|has to|have to|needs? to|is|are) (?:to )?)?(?:be )?(?:${participles}) from (?<old>.+?) to (?<now>.+)$`,
      'iu',
    ),
    isStrong: true,
  },
  {
    pattern: /^(?<subject>.+?) (?:goes|go|must go|changes|rises|drops) from (?<old>.+?) to (?<now>.+)$/iu,
    isStrong: true,
  },
  { pattern: new RegExp(`${lead}(?:${verbs}) (?<subject>.+?) to (?<now>[^,]*\\d.*)$`, 'iu'), isStrong: true },
  {
    pattern: new RegExp(
      `${lead}(?:change|replace|rename|swap|substitute) (?<old>.+?) (?:to|with|by|into) (?<now>.+)$`,
      'iu',
    ),
    isStrong: true,
  },
  {
    pattern:
      /^(?<subject>.+?) (?:becomes|become|is now|are now|changes to) (?<now>.*\d.*?)(?:,? (?:instead of|not|was|up from|down from) (?<old>.+))?$/iu,
    isStrong: false,
  },
]

/** Reads a sentence that changes a value; undefined for any other. */
export function readChange(sentence: string): ChangeWords | undefined {
  const text = withoutKeys(sentence)
  for (const { pattern, isStrong } of patterns) {
    const groups = pattern.exec(text)?.groups
    if (groups === undefined) continue
    return { subject: groups['subject'] ?? '', old: groups['old'], now: groups['now'] ?? '', isStrong }
  }
  return undefined
}

/** The sentence without what it replaces: "after 60 seconds instead of 30" is "after 60 seconds" and "30". */
export function withoutReplaced(sentence: string): { statement: string; old: string | undefined } {
  const first = /^(?:instead of|rather than) (?<old>[^,]+), (?<rest>.+)$/iu.exec(sentence)?.groups
  if (first !== undefined) return { statement: capitalised(first['rest']!), old: first['old'] }
  const last =
    /^(?<rest>.+?),? (?:instead of|rather than|and no longer|\(?(?:previously|formerly)) (?<old>[^,.()]+)\)?(?<end>.*)$/iu.exec(
      sentence,
    )?.groups
  if (last === undefined) return { statement: sentence, old: undefined }
  return { statement: `${last['rest']!}${last['end']!}`, old: last['old'] }
}

/** The sentence without keys and what leads to them: "in REQ-12", "REQ-12:". */
export function withoutKeys(sentence: string): string {
  return sentence
    .replace(/^REQ-\d+\s*[:–-]\s*/iu, '')
    .replace(/,? ?\(?(?:\b(?:in|of|for|from|see|as in) )?\bREQ-\d+\b\)?:?/giu, '')
    .replace(/[.;]+$/u, '')
    .trim()
}
