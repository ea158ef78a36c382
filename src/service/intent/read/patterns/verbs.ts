const list = (words: string) => new Set(words.trim().split(/\s+/))

/** Base forms with which demands start: "send an e-mail", "must validate the input and store it". */
const VERBS = list(`
  abort accept acknowledge activate adapt add adjust adopt advertise aggregate alert align allocate allow announce anonymise
  anonymize append apply approve archive ask assert assign associate assume attach audit authenticate authorise authorize avoid
  back backup base be become begin bind block book broadcast buffer build bundle cache calculate call cancel capture carry catch
  change charge check choose clean clear close collapse collect combine come communicate compare complete compress compute
  configure confirm connect consider constrain consume contain continue convert copy correct correlate count cover create
  customise customize cut deactivate decide declare decode decrease decrypt default defer define degrade delete deliver deny
  deploy deprecate derive describe detect determine disable disallow discard disconnect display distinguish document download
  drop duplicate edit eliminate email embed emit enable encode encrypt end enforce ensure enter erase escape establish evaluate
  exceed exchange exclude execute exist exit expand expire explain expose export extend extract fail fall fetch fill filter find
  finish fit fix flag flush fold follow force form format forward freeze gather generate get give go grant group guarantee guide
  handle have hide highlight hold honor honour identify ignore implement import improve include increase increment index indicate
  inform inherit initialise initialize initiate insert inspect install integrate interpret interrupt introduce invalidate invite
  invoke isolate issue join keep kill label last launch lead leave let limit link list listen load localise localize lock log
  look lower maintain make manage map mark mask match measure merge migrate minimise minimize mirror mitigate modify monitor move
  navigate negotiate normalise normalize notify number obey obtain occur offer omit open operate order override overwrite own
  parse partition pass pause pay perform permit persist pick pin place play poll populate post preload prepare present preserve
  prevent preview print prioritise prioritize proceed process produce prohibit prompt propagate protect provide provision publish
  pull purge push put query queue quote raise react read rebuild receive recognise recognize recompute record recover redact
  redirect reduce refer reference refresh refund refuse register reject relay release reload remain remember remind remove rename
  render renew reopen repeat replace replicate replay reply report represent request require resend reserve reset resolve respect
  respond restart restore restrict result resume retain retire retrieve retry return reuse reveal revert review revoke rewrite
  roll rotate round route run sanitise sanitize save scale scan schedule scroll search secure select send separate serialise
  serialize serve set share ship show shrink shut sign simplify skip sort specify split start state stay stop store stream
  strip submit subscribe succeed suggest supply support suppress suspend switch sync synchronise synchronize tag take tell
  terminate test throttle throw time toggle trace track transfer transform transition translate transmit treat trigger trim
  truncate trust try turn undo uninstall unlock unsubscribe update upgrade upload use validate verify view wait wake warn watch
  withdraw work wrap write zoom
`)

/** Verbs that are nouns or adjectives as well ("open orders"): they are verbs only in front of a determiner or an object. */
const NOUNS = list(`
  alert archive audit back backup base block book buffer bundle cache call change charge check cover default
  display document download drop email end escape exchange exit export fall filter find fix flag flush form format forward grant
  group guide handle hold import increase index issue join label last lead limit link list load lock log look mark mask match
  measure merge monitor move number offer order pass pause pay place play poll post preview process prompt pull
  push query queue quote raise read record redirect reference refund register release report request reserve reset result return
  review roll round route run scale scan schedule search set share ship show sign sort split start state stop store stream supply
  support switch tag take test time trace track transfer transition trigger trim trust try turn update upgrade upload use view
  wait watch work wrap
  clean clear complete correct lower open own present secure separate
`)
const OBJECT =
  /^(?:the|a|an|all|each|every|any|no|its|it|their|them|his|her|our|your|this|that|these|those|to|whether|both|only|up|out|off|back|at|in|into|on|for|from|with|as|\d)\b/i

/** Whether the text starts with a verb in its base form, as the second half of a joined demand does. */
export function startsWithVerb(text: string): boolean {
  const match = /^(?:also |then |immediately |automatically |only )?([a-z]+)(?:-[a-z]+)?\b\s*/i.exec(text)
  const word = match?.[1]?.toLowerCase()
  if (match === null || word === undefined || !VERBS.has(word)) return false
  return !NOUNS.has(word) || OBJECT.test(text.slice(match[0].length))
}

/** Whether the text is an imperative, such as a list item "Add a dark mode". */
export function isImperative(text: string): boolean {
  const word = /^([a-z]+)(?:-[a-z]+)?\b/i.exec(text)?.[1]
  return word !== undefined && VERBS.has(word.toLowerCase())
}
