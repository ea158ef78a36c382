import { comparatorInWords } from './phrases.ts'
import type { Profile } from './profile.ts'
import type { Quantity } from './quantities.ts'
import type { Order } from './roles.ts'
import { concept } from './vocabulary.ts'

/** Modal words that may replace each other. A statement without one says what the product does. */
const alike = new Set([' must', 'must ', ' can', 'can ', 'can may', 'may can'])

/**
 * What makes two texts with the same subject say different things, in words: numbers, units, comparators, negation,
 * modality, conditions, quoted texts and code, order and roles (decision 065). Empty when they say the same.
 */
export function findDifferences(before: Profile, after: Profile): string[] {
  return [
    ...quantityDifferences(before.quantities, after.quantities),
    ...comparatorDifferences(before.comparators, after.comparators),
    ...negationDifferences(before.negations, after.negations),
    ...modalDifferences(before, after),
    ...replaced(before.limits, after.limits),
    ...identifierDifferences(before, after),
    ...conjunctionDifferences(before.conjunction, after.conjunction),
    ...orderDifferences(before.order, after.order),
    ...roleDifferences(before, after),
  ]
}

/** `became`, `was left out` and `was added` for what only one of two lists has. */
function replaced(before: readonly string[], after: readonly string[]): string[] {
  const gone = without(before, after)
  const fresh = without(after, before)
  const pairs = gone.slice(0, fresh.length).map((one, index) => `${one} became ${fresh[index]!}`)
  return [
    ...pairs,
    ...gone.slice(fresh.length).map((one) => `${one} was left out`),
    ...fresh.slice(gone.length).map((one) => `${one} was added`),
  ]
}

/** The members of a list without those of another, each taken once. */
function without(list: readonly string[], others: readonly string[]): string[] {
  const left = [...others]
  return list.filter((one) => {
    const at = left.indexOf(one)
    if (at !== -1) left.splice(at, 1)
    return at === -1
  })
}

function quantityDifferences(before: readonly Quantity[], after: readonly Quantity[]): string[] {
  const [old, now] = [uniqueQuantities(before), uniqueQuantities(after)]
  const gone = [...old.keys()].filter((key) => !now.has(key))
  const fresh = [...now.keys()].filter((key) => !old.has(key))
  if (meant(gone, fresh).length === 0 && meant(fresh, gone).length === 0) return exchanged(before, after)
  const ordered = bySameDimension(meant(gone, fresh), meant(fresh, gone), old, now)
  return replaced(
    ordered.gone.map((key) => old.get(key)!.text),
    ordered.fresh.map((key) => now.get(key)!.text),
  )
}

/** Leaves out a plain `one`, which may be an article, unless the other text has a different plain number. */
function meant(keys: readonly string[], others: readonly string[]): string[] {
  const hasPlain = others.some((key) => key.endsWith(' '))
  return keys.filter((key) => key !== '1 ' || hasPlain)
}

function uniqueQuantities(list: readonly Quantity[]): Map<string, Quantity> {
  return new Map(list.map((one) => [`${String(one.value ?? '')} ${one.dimension}`, one]))
}

/** Orders both lists so that quantities of the same dimension are paired: seconds with seconds. */
function bySameDimension(
  gone: readonly string[],
  fresh: readonly string[],
  old: ReadonlyMap<string, Quantity>,
  now: ReadonlyMap<string, Quantity>,
) {
  const left = [...fresh]
  const paired = gone.flatMap((key) => {
    const at = left.findIndex((other) => now.get(other)!.dimension === old.get(key)!.dimension)
    return at === -1 ? [] : [{ key, other: left.splice(at, 1)[0]! }]
  })
  const rest = gone.filter((key) => !paired.some((pair) => pair.key === key))
  return { gone: [...paired.map(({ key }) => key), ...rest], fresh: [...paired.map(({ other }) => other), ...left] }
}

/** The same numbers that count different things: `3 mails of 5 users` and `5 mails of 3 users`. */
function exchanged(before: readonly Quantity[], after: readonly Quantity[]): string[] {
  const now = byCounted(after)
  return [...byCounted(before)].flatMap(([name, { value, text, counted }]) => {
    const other = now.get(name)
    return other === undefined || other.value === value
      ? []
      : [`${text} ${counted} became ${other.text} ${other.counted}`]
  })
}

function byCounted(quantities: readonly Quantity[]): Map<string, Quantity> {
  return new Map(quantities.filter(({ counted }) => /^\p{L}/u.test(counted)).map((one) => [concept(one.counted), one]))
}

function comparatorDifferences(before: readonly string[], after: readonly string[]): string[] {
  const flexible = (list: readonly string[]) => list.filter((one) => one === '#in').length
  const gone = without(before, after).filter((one) => one !== '#in')
  const fresh = without(after, before).filter((one) => one !== '#in')
  const words = (list: readonly string[], spare: number) => withoutUpperBounds(list, spare).map(comparatorInWords)
  return replaced(words(gone, flexible(after)), words(fresh, flexible(before)))
}

/** `in 5 seconds` says the same as `within 5 seconds`. */
function withoutUpperBounds(list: readonly string[], spare: number): string[] {
  let left = spare
  return list.filter((one) => {
    if (one !== '#le' || left === 0) return true
    left -= 1
    return false
  })
}

function negationDifferences(before: number, after: number): string[] {
  if (before === after) return []
  return [after > before ? 'it was negated' : 'it is no longer negated']
}

function modalDifferences(before: Profile, after: Profile): string[] {
  const [old, now] = [modalSet(before, after), modalSet(after, before)]
  const gone = [...old].filter((one) => !now.has(one))
  const fresh = [...now].filter((one) => !old.has(one))
  if (gone.length <= 1 && fresh.length <= 1 && isAlike(gone, fresh, old, now)) return []
  return replaced(gone, fresh)
}

/** The modal words. Where both texts say `only`, "only admins can" and "only admins must" are the same limit. */
function modalSet({ modals, limits }: Profile, other: Profile): Set<string> {
  const isLimit = limits.includes('only') && other.limits.includes('only')
  return new Set(modals.map((one) => (isLimit && one === 'can' ? 'must' : one)))
}

function isAlike(
  gone: readonly string[],
  fresh: readonly string[],
  old: ReadonlySet<string>,
  now: ReadonlySet<string>,
) {
  const isReplaced = gone.length === 1 && fresh.length === 1
  const isAlone = (gone.length === 0 || now.size === 0) && (fresh.length === 0 || old.size === 0)
  return (isReplaced || isAlone) && alike.has(`${gone[0] ?? ''} ${fresh[0] ?? ''}`)
}

function identifierDifferences(before: Profile, after: Profile): string[] {
  return replaced(
    before.identifiers.filter((one) => !mentions(after, one)),
    after.identifiers.filter((one) => !mentions(before, one)),
  )
}

function mentions({ text, identifiers }: Profile, name: string): boolean {
  const lower = name.toLowerCase()
  return text.includes(lower) || identifiers.some((one) => one.toLowerCase() === lower)
}

function conjunctionDifferences(before: string, after: string): string[] {
  return before !== '' && after !== '' && before !== after ? [`${before} became ${after}`] : []
}

function orderDifferences(before: Order | undefined, after: Order | undefined): string[] {
  if (before === undefined || after === undefined) return []
  const straight = overlap(before.first, after.first) + overlap(before.second, after.second)
  const crossed = overlap(before.first, after.second) + overlap(before.second, after.first)
  const isUnclear = [before, after].some(({ first, second }) => first.size === 0 || second.size === 0)
  if (isUnclear && before.marker === after.marker) return []
  if (straight > crossed || (straight === crossed && before.marker === after.marker)) return []
  return before.marker === after.marker ? ['the order was reversed'] : [`${before.marker} became ${after.marker}`]
}

function roleDifferences({ roles: old, words }: Profile, { roles: now }: Profile): string[] {
  if (old === undefined || now === undefined) return []
  const isExchanged = old.verb === now.verb && isWithin(old.actor, now.acted) && isWithin(now.actor, old.acted)
  if (!isExchanged || overlap(old.actor, now.actor) > 0) return []
  const name = (actor: ReadonlySet<string>) => [...actor].map((one) => words.get(one)?.text ?? one).join(' ')
  return [`${name(old.actor)} and ${name(now.actor)} swapped roles`]
}

function isWithin(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size > 0 && [...one].every((name) => other.has(name))
}

function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  return [...one].filter((name) => other.has(name)).length
}
