/** Sentences that talk about the product or the talk itself and demand nothing, whatever modal words they hold. */
const TALK: readonly RegExp[] = [
  /\?["')\]]*$/,
  /^(?:hi|hello|hey|thanks|thank you|cheers|best regards|kind regards|regards|dear|good (?:morning|afternoon|evening)|bye|welcome)\b/i,
  /^(?:(?:well|so|but|and|ok|okay|yes|yeah|no|hmm|right|sure|also|true),? )*(?:i|we) (?:just |also |still |really |personally )*(?:think|guess|believe|feel|wonder|suppose|assume|doubt|hope|am|was|were|would (?:say|love|prefer)|'?d (?:say|love|prefer)|don't (?:think|know|see)|do not (?:think|know|see)|can't remember|heard|saw|noticed|remember)\b/i,
  /^(?:(?:well|so|but|and|ok|okay|yes|yeah|hmm),? )*(?:in my opinion|imo|imho|personally|maybe|perhaps|honestly|to be honest|it seems|it looks like|seems|not sure|no idea|what if|how about|would be (?:nice|good|great|cool)|it would be|it might|that would|that might|i'm|i'd|i've|sounds|agreed?[.!]|fair (?:point|enough)|good point)\b/i,
  /(?<!\b(?:is|are|be|been|was|were|being|get|gets)) used to\b/i,
  /^(?:previously|originally|historically|in the past|back then|at the time|years ago|last (?:week|month|year|sprint|quarter|time))\b/i,
]

/** What teams do, as opposed to products: "we should discuss", "Ana will check". */
const TEAM = /^(?:we|i|you|they|he|she|someone|somebody|everyone|everybody|people|let's|the team|us|\p{Lu}\p{Ll}+)$/iu
const TEAM_VERB =
  /^\s*(?:also |really |probably |maybe |first |then |just |definitely |not )*(?:discuss|talk|meet|ask|sync|decide|think|look into|look at|investigate|revisit|clarify|follow up|wait|see|know|consider|agree|remember|keep in mind|be (?:careful|fine|ok|okay|aware|clear|honest|able to (?:discuss|decide))|come back|get back|figure|find out|write (?:up|down)|draft|prepare|present|review|estimate|plan|schedule|ship|release|start|finish|have a look|take a look|double-check|check (?:with|whether|if)|reach out|circle back|share|update you|let you)\b/i

/** Words behind a modal word with which a sentence informs: "may lead to", "should be noted", "will be described". */
const INFORMING =
  /^\s*(?:also |therefore |then |thus |even |only |well |still |always |often |sometimes )*(?:be (?:noted|remembered|seen|found|thought|described|discussed|explained|covered|obvious|clear|enough|easy|hard|difficult|tempting|worth|helpful|useful that|one of|argued|said)|have (?:been|had|\p{L}+ed)\b|note that|wish to|want to|seem|appear to|lead to|result in|cause|happen|mean\b|help\b|make it|vary|differ|look like|come from|take (?:a while|some time|longer)|benefit|suffer|break\b)/iu
/** Subjects that are texts or stand for what was said before. */
const DISCOURSE =
  /^(?:and |but |so |then )?(?:this|that|these|those|it|there|which|such (?:a |an )?\p{L}+|(?:this|the|that) (?:document|section|chapter|specification|paper|figure|table|example|appendix|guide|memo|article|page|approach|problem|change|behaviou?r))$/iu
/** Words in front of a modal word that is not the sentence's own: "rules that must be kept". */
const SUBORDINATE =
  /\b(?:which|that|who|whose|what|how|whether|why|where|because|since|although|though|as)(?: \p{L}+)?\s*$/iu

/** Whether the sentence is a question, a greeting, an opinion or history. */
export function isTalk(sentence: string): boolean {
  return TALK.some((pattern) => pattern.test(sentence))
}

export interface Around {
  /** The subject in front of the modal word, without clauses. */
  subject: string
  /** The text behind the modal word. */
  rest: string
  word: string
  isUpper: boolean
}

/** Whether a sentence with a modal word only informs. */
export function onlyInforms({ subject, rest, word, isUpper }: Around): boolean {
  if (SUBORDINATE.test(subject)) return true
  if (isUpper) return false
  if (TEAM.test(subject) && TEAM_VERB.test(rest)) return true
  if (INFORMING.test(rest)) return true
  if (/^(?:i|you|he|she)$/i.test(subject)) return true
  if (word === 'will' && /^(?:we|they|i|you|this|that|it)$/i.test(subject)) return true
  return /^(?:may|can|will|should)$/.test(word) && DISCOURSE.test(subject)
}
