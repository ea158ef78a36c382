import { askingOrModal } from '../../asking.ts'

/** Wording with which something that exists is given up. */
const RETIREMENT: readonly RegExp[] = [
  /^(?:please )?remove (?:the |all )?[^.]{0,80}\b(?:option|feature|page|endpoint|button|setting|field|mode|flag|format)s?\b/i,
  // Not of a thing in a subordinate clause: "delete files that are no longer used".
  /^(?:(?!\b(?:that|which|who|when|if|once|until|after|because|since)\b).)*\bno longer\b/i,
  /\b(?:remove|removing|drop|dropping|end|ending|discontinue|withdraw) (?:the )?support (?:for|of)\b/i,
  new RegExp(
    String.raw`^(?:(?:${askingOrModal}|the \p{L}+ (?:must|shall|should|will)) )?(?:retire|drop|deprecate|discontinue|sunset|abolish|scrap|get rid of|do away with|phase out|kill off|stop \p{L}+ing)\b`,
    'iu',
  ),
  /\b(?:is|are|will be|shall be|must be|should be|to be|gets?|get) (?:retired|deprecated|discontinued|abolished|sunset|phased out)\b/i,
  /\b(?:support (?:for|of) [^,.;]{1,100}|REQ-\d{1,15}) (?:is|are|will be|shall be|must be|should be|gets?) (?:removed|dropped|withdrawn|ended)\b/i,
  /\b(?:retire|retires|drop|drops|remove|removes|deprecate|deprecates|withdraw|withdraws|delete|obsoletes?) REQ-\d/i,
  /\bREQ-\d{1,15} (?:is|becomes) (?:obsolete|void|not needed any ?more|superseded)\b/i,
  /\bnot (?:\p{L}+ ){1,5}any ?more\b/iu,
]

/** Whether the sentence says that something no longer holds. */
export function isRetirement(sentence: string): boolean {
  return RETIREMENT.some((pattern) => pattern.test(sentence))
}
