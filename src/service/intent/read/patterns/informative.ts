/** Sentences that only talk and demand nothing, whatever modal words they have. */
const TALK: readonly RegExp[] = [
  /\?["')\]]*$/,
  /^(?:hi|hello|hey|thanks|thank you|cheers|best regards|kind regards|regards|dear|good (?:morning|afternoon|evening)|bye|welcome)\b/i,
  /^(?:(?:well|so|but|and|ok|okay|yes|yeah|no|hmm|right|sure|also|true),? )*(?:i|we) (?:just |also |still |really |personally )*(?:think|guess|believe|feel|wonder|suppose|assume|doubt|hope|am|was|were|would (?:say|love|prefer)|'?d (?:say|love|prefer)|don't (?:think|know|see)|do not (?:think|know|see)|can't remember|heard|saw|noticed|remember)\b/i,
  /^(?:(?:well|so|but|and|ok|okay|yes|yeah|hmm),? )*(?:in my opinion|imo|imho|personally|maybe|perhaps|honestly|to be honest|it seems|it looks like|seems|not sure|no idea|what if|how about|would be (?:nice|good|great|cool)|it would be|it might|that would|that might|i'm|i'd|i've|sounds|agreed?[.!]|fair (?:point|enough)|good point)\b/i,
  /(?<!\b(?:is|are|be|been|was|were|being|get|gets)) used to\b/i,
  /^(?:previously|originally|historically|in the past|back then|at the time|years ago|last (?:week|month|year|sprint|quarter|time))\b/i,
]

/** What teams do, as opposed to products: "we should discuss", "Ana will check". */
const TEAM = /^(?:we|i|you|they|he|she|someone|somebody|everyone|everybody|people|let's|the team|us)$/i
/** The name of a person; a word in the plural, such as "Managers", is a role. */
const NAME = /^\p{Lu}\p{Ll}*[\p{Ll}--s]$/v
const TEAM_VERB =
  /^\s*(?:also |really |probably |maybe |first |then |just |definitely |not )*(?:discuss|talk|meet|ask|sync|decide|think|look into|look at|investigate|revisit|clarify|follow up|wait|see|know|consider|agree|remember|keep in mind|be (?:careful|fine|ok|okay|aware|clear|honest|able to (?:discuss|decide))|come back|get back|figure|find out|write (?:up|down)|draft|prepare|present|review|estimate|plan|schedule|ship|release|start|finish|have a look|take a look|double-check|check (?:with|whether|if)|reach out|circle back|share|update you|let you)\b/i

/** Words after a modal word that make a sentence informative: "may lead to", "should be noted", "will be described". */
const INFORMING =
  /^\s*(?:also |therefore |then |thus |even |only |well |still |always |often |sometimes )*(?:be (?:noted|remembered|seen|found|thought|described|discussed|explained|covered|obvious|clear|enough|easy|hard|difficult|tempting|worth|helpful|useful that|one of|argued|said)|have (?:been|had|\p{L}+ed)\b|note that|wish to|want to|seem|appear to|lead to|result (?:in|from)|cause|happen|mean\b|help\b|make it|vary|differ|look like|come from|take (?:a while|some time|longer)|benefit|suffer|break\b)/iu
/** After "must" and other strong modal words, only these inform: "It must be noted that …". */
const NOTED = /^\s*(?:also |therefore |then |thus |always )*be (?:noted|remembered|said|admitted|understood) that\b/i
/** Subjects that are a text or refer to the previous sentence. */
const DISCOURSE =
  /^(?:and |but |so |then )?(?:this|that|these|those|it|there|which|such (?:a |an )?\p{L}+|(?:this|that) (?:document|table|example|article|page|change|behaviou?r)|(?:this|the|that) (?:section|chapter|specification|paper|figure|appendix|guide|memo|approach|problem))$/iu
/** Words before a modal word that belongs to a subordinate clause: "rules that must be kept", "each time it has to load". */
const SUBORDINATE =
  /(?<=\S )(?:(?:which|that|who|whose|what|how|whether|why|where|because|since|although|though|as)(?: \p{L}+)?|(?:when|if|while|until|unless|every time|each time|once|because|since)(?: [\p{L}-]+){1,4})\s*$/iu
/** After these words, "that" opens a demand: "we agreed that users must …". */
const DEMANDED =
  /\b(?:agreed?|decided?|requires?|required|ensures?|wants?|insists?|demands?|says?|said|states?|important|essential|necessary|mandatory) that(?: \p{L}+)?\s*$/iu
/** Examples and notes; a keyword in upper case still counts. */
const ASIDE = /^(?:note(?: that)?|n\.b\.|for example|for instance|as an example|e\.g\.|example|recall that)\b/i
/** Openings that generalise: with a weak modal word, such a sentence demands nothing. */
const HEDGE =
  /^(?:specifically|sometimes|generally|typically|usually|often|in general|in practice|in theory|though|although|of course|unfortunately)\b/i
/** Verbs after "may" and "can" that describe a state. */
const STATE =
  /^\s*(?:also |only |even |still )?(?:have|get|occur|arise|exist|remain|require|need|contain|include|apply|depend|be (?:made|zero|non-?zero|empty|more|less|different|the case|one|several|many|large|small|slow|necessary|needed|possible|confusing|surprising|lost))\b/i
/** A limit: "may contain up to 50 products" permits that many. */
const LIMIT = /^\s*\p{L}+ (?:only|up to|at most|at least|no more than|a maximum of|\d)/iu
/** The future of a text or a format, also in capitals: "This member MAY be removed in a future version." */
const FUTURE = /\bfuture (?:\p{L}+ )?(?:versions?|revisions?|editions?)\b/iu
/** People: "can" gives them a right. */
const PERSON =
  /\b(?:users?|customers?|admins?|administrators?|owners?|members?|visitors?|guests?|operators?|managers?|editors?|authors?|buyers?|sellers?|shoppers?|clients?|staff|employees?|agents?|support|subscribers?|players?|students?|teachers?|patients?|drivers?|tenants?|teams?|people|anyone|everyone|no one|nobody)\b/i
/** "This event is sent … and will …": the sentence describes. */
const DESCRIBES = /\b(?:is|are|was|were|has|does)\b.*\band$/i

/** Whether the sentence is a question, a greeting, an opinion or history. */
export function isTalk(sentence: string): boolean {
  return TALK.some((pattern) => pattern.test(sentence))
}

/** Whether what follows "we agreed to" is work of the team: "review the design". */
export function isTeamwork(text: string): boolean {
  return TEAM_VERB.test(text)
}

/** Whether the sentence starts as an example or a note. */
export function isAside(sentence: string): boolean {
  return ASIDE.test(sentence)
}

export interface Around {
  /** The subject of the modal word, without clauses. */
  subject: string
  /** The sentence up to the modal word, and the text after it. */
  before: string
  rest: string
  word: string
  isUpper: boolean
  /** Whether the sentence is an item of what is wanted, where "can" demands too. */
  isWanted: boolean
  /** Whether the section gives background, where weak modal words demand nothing. */
  isBackground: boolean
}

/** Whether a sentence with a modal word only informs. */
export function onlyInforms(around: Around): boolean {
  const { subject, rest, word, isUpper } = around
  if (SUBORDINATE.test(subject) && !DEMANDED.test(subject)) return true
  if (word === 'may' && FUTURE.test(rest)) return true
  if (isUpper) return false
  if ((TEAM.test(subject) || isName(subject)) && TEAM_VERB.test(rest)) return true
  const informing = word === 'should' || WEAK.has(word) ? INFORMING : NOTED
  if (informing.test(rest) || /^(?:i|you|he|she)$/i.test(subject)) return true
  if (word === 'should' && DISCOURSE.test(subject)) return !/^(?:it|there)$/i.test(subject)
  return WEAK.has(word) && (around.isBackground || onlyDescribes(around))
}

function isName(subject: string): boolean {
  return NAME.test(subject) && !PERSON.test(subject)
}

const WEAK = new Set(['may', 'can', 'will'])

/** Whether a sentence with a weak modal word only describes. */
function onlyDescribes({ before, subject, rest, word, isWanted }: Around): boolean {
  if (DISCOURSE.test(subject) || DESCRIBES.test(subject) || HEDGE.test(before)) return true
  if (word === 'will')
    return /^(?:we|they|i|you|this|that|it)$/i.test(subject) || /^\s*(?:require|need|become|remain|get)\b/i.test(rest)
  if (LIMIT.test(rest)) return false
  if (word === 'may') return STATE.test(rest) || /^(?:this|these|those) /i.test(subject)
  return word === 'can' && !isWanted && (STATE.test(rest) || !PERSON.test(subject))
}
