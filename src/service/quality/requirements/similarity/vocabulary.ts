import { LRUCache } from 'lru-cache'
import { stemmer } from 'stemmer'

/** Requirements of one product repeat the same words. */
const stems = new LRUCache<string, string>({ max: 10_000 })

/** Words that say the same in a requirement. A word is in one line only. */
const synonymLines = `
display show present render view
delete remove erase
update edit modify amend alter change
send deliver transmit
email mail
receive obtain
return respond reply answer response
save store persist retain keep
start begin launch commence
stop end terminate finish complete halt
fail unsuccessful failure error mistake
allow permit let enable
forbid prohibit disallow prevent block deny
notify inform alert tell notification notice warn
choose select pick choice
verify validate check confirm verification
buy purchase
price cost
cart basket
item article
fetch retrieve load
cancel abort
reject refuse decline
hide conceal
enter type input
require need demand
offer provide support supply
expire lapse
create generate make produce add
admin administrator
config configure setting
info data detail
picture image photo
phone telephone
website site
invoice bill
refund reimburse repay
ship dispatch
user person people
customer shopper
visitor guest
employee staff
file document
recommend suggest propose
uppercase capital
page screen
quick fast rapid
immediate instant promptly straightaway
quantity amount count
large big huge
find search locate
log record track
sort arrange
system application app software platform program solution
visible see
use utilize employ
restrict limit
contain include hold comprise
inactive idle unused
success succeed successfully
maximum max
minimum min
duration length period long
attempt try
repeat retry again
message text
password passphrase
protect secure
compute calculate
open access
print printout
reason cause
wrong incorrect invalid
emit issue output
concurrent simultaneous parallel
new recent
mark flag label
assign allocate
attach append
merge combine
copy duplicate
collect gather
explain describe
handle process
contact reach
language locale
encrypt encipher
`

/**
 * Words that contradict each other, and so do their synonyms. A word may be in several pairs. Pairs such as create and
 * delete are not listed, because a product does both.
 */
const antonymLines = `
enable disable
allow forbid
allow reject
maximum minimum
more less
more fewer
increase decrease
increase reduce
extend shorten
include exclude
accept reject
approve reject
accept forbid
show hide
online offline
public private
internal external
success fail
first last
above below
ascending descending
new old
active inactive
optional mandatory
optional require
true false
earlier later
early late
high low
raise low
long short
large small
pass fail
manual automatic
presence absence
present absent
left right
top bottom
up down
horizontal vertical
synchronous asynchronous
sync async
plain encrypted
empty full
incoming outgoing
inbound outbound
mask reveal
minimize maximize
inside outside
fixed variable
fast slow
`

/** Forms that the stemmer does not reduce to the base form. */
const irregular = new Map(
  `kept keep sent send shown show chosen choose chose choose written write wrote write made make taken take took take given
  give gave give got get gotten get found find held hold lost lose paid pay left leave begun begin began begin broken break
  hidden hide hid hide built build bought buy sold sell thrown throw seen see saw see met meet said say told tell understood
  understand drawn draw driven drive known know grown grow ran run spent spend caught catch brought bring shut close
  longer long shorter short larger large smaller small higher high lower low faster fast slower slow newest new oldest old newer new older old latest new`
    .split(/\s+/u)
    .map((word, index, words) => [word, words[index + 1] ?? ''] as const)
    .filter((_, index) => index % 2 === 0),
)

/** Environments: any two of them contradict each other. */
const environments = ['production', 'staging', 'development', 'sandbox', 'preview', 'qa', 'uat', 'prod', 'dev', 'live']

const stopWords = new Set(
  `a an the of for to in on at by with from into onto as is are was were be been being am it its they them their this
  that these those which who whom whose there here and or so such than then also any each every all own same other will
  do does did has have had having i we you he she his her our your my me us him via about upon per within when if
  where while during over under between among through both either just very much too still yet already
  respective respectively corresponding following given certain possible`.split(/\s+/u),
)

/** Words that are in most requirements of a product: they say little about the subject. */
const commonWords = new Set(
  `system product tool service user able ability capability function feature way case time value use successful whether number perform carry occur happen place take get go come
  particular specific individual relevant existing current new`
    .split(/\s+/u)
    .map(stem),
)

const concepts = new Map<string, string>()
for (const line of synonymLines.trim().split('\n')) {
  const [first, ...others] = line.split(' ').map(stem)
  for (const word of [first!, ...others]) if (!concepts.has(word)) concepts.set(word, first!)
}

const antonyms = new Set<string>()
for (const line of antonymLines.trim().split('\n')) {
  const [one, other] = line.split(' ').map(concept)
  if (one !== other) antonyms.add(`${one!} ${other!}`).add(`${other!} ${one!}`)
}
for (const one of environments) {
  for (const other of environments) if (one !== other) antonyms.add(`${concept(one)} ${concept(other)}`)
}

export function isStopWord(word: string): boolean {
  return stopWords.has(word)
}

/** The stem of a lower-case word (Porter). */
export function stem(word: string): string {
  const known = stems.get(word)
  if (known !== undefined) return known
  const own = stemmer(irregular.get(word) ?? word)
  stems.set(word, own)
  return own
}

/** One name for all words with the same meaning: the stem of the word, or of the first of its synonyms. */
export function concept(word: string): string {
  const own = stem(word)
  return concepts.get(own) ?? own
}

/** How much a concept says about the subject of a requirement, between 0 and 1. */
export function weight(name: string): number {
  return commonWords.has(name) ? 0.2 : 1
}

export interface Word {
  /** As in the statement, in lower case. */
  text: string
  stem: string
  concept: string
}

const prefixes = /^(?:un|in|im|ir|il|dis|non|de|mis|re|pre|auto)/u
const negating = /^(?:un|in|im|ir|il|dis|non|mis)/u
/** Endings of states, such as `unlocked`. A product does both `lock` and `unlock`, so these do not contradict. */
const state = /(?:ed|able|ible|ly|al|ent|ant|ive|id|own|en|ory)$/u

/** Whether two words contradict each other: a pair of the table, or a state and the same with `un`, `in`, `dis` …. */
export function areOpposite(one: Word, other: Word): boolean {
  return antonyms.has(`${one.concept} ${other.concept}`) || isNegated(one, other) || isNegated(other, one)
}

function isNegated(long: Word, short: Word): boolean {
  return isPrefixed(long, short) && negating.test(long.text) && state.test(long.text)
}

/** Whether one word is the other with a prefix that makes it another word: `resend`, `unlock`, `invalid`. */
export function isPrefixed(long: Word, short: Word): boolean {
  const rest = (word: string) => word.replace(prefixes, '').replace(/^-/u, '')
  const isLonger = (one: string, other: string) => one !== other && other.length >= 3 && rest(one) === other
  return isLonger(long.text, short.text) || isLonger(long.stem, short.stem)
}
