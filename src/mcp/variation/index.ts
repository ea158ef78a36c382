import { Untrusted } from '../../contract/base/text.ts'
import { cutWithEllipsis } from '../../lib/text.ts'
import { Quoted } from '../text/untrusted.ts'
import { PRESENT, readFacts, weigh, type ComparedEvent } from './facts.ts'
import { compareOccurrences, type ValueCount, type Variation, type Varying } from './vary.ts'

export type { ComparedEvent } from './facts.ts'
export { isSameData } from './open.ts'
export { spreadOccurrences } from './spread.ts'
export { describeValues, hasValues } from './values.ts'

export interface VariationLimits {
  /** What varies. */
  lines: number
  /** Values named of each. */
  values: number
  /** Length of a line. */
  characters: number
  /** Whether what is the same or different in all is named. */
  rest: boolean
}

export interface DescribedVariation {
  varies: Quoted[]
  same: Quoted | undefined
  /** Names with another value in nearly every occurrence, such as ids. */
  distinct: Quoted | undefined
  /** How many lines there are. */
  total: number
}

const NAME_CHARACTERS = 110
const VALUE_CHARACTERS = 48
const REST_CHARACTERS = 240
/** Names that differ in each occurrence and are shown with several values. */
const TELLING = 2

/**
 * What differs between occurrences and what they have in common, a line for each, the most telling first: for every value
 * the number of occurrences, and of the rarest one that has it. `name` is what an occurrence is called, by its id.
 */
export function describeVariation(
  events: readonly ComparedEvent[],
  limits: VariationLimits,
  name: (id: string) => string = (id) => id,
): DescribedVariation {
  const { occurrences, distances } = readFacts(events)
  const variation = compareOccurrences(occurrences, (fact) => weigh(fact, distances.get(fact)))
  return {
    varies: variation.varies.slice(0, limits.lines).map((varying) => varyingLine(varying, limits, name)),
    same: limits.rest ? sameLine(variation) : undefined,
    distinct: distinctLine(variation, limits),
    total: variation.varies.length,
  }
}

/** `tag browser: Firefox (53), Chrome (27, 019ab3c4-d5e6)` */
function varyingLine(
  { name, also, values, without }: Varying,
  limits: VariationLimits,
  called: (id: string) => string,
): Quoted {
  const shown = values.slice(0, limits.values)
  const rest = values.length - shown.length
  const isPresence = values.length === 1 && values[0]?.values[0] === PRESENT
  const parts = shown.flatMap((group, index) => [
    index === 0 ? '' : ', ',
    ...(isPresence ? ['in'] : valueParts(group)),
    ` (${String(group.count)}${index === shown.length - 1 ? `, ${called(group.example)}` : ''})`,
  ])
  const more = [
    rest > 0 ? `, ${String(rest)} more` : '',
    without === 0 ? '' : isPresence ? `, not in (${String(without)})` : `, none (${String(without)})`,
  ]
  const others = also.length === 0 ? [] : ['; and with it ', new Untrusted(alsoNames(also))]
  return new Quoted(
    [new Untrusted(cutWithEllipsis(name, NAME_CHARACTERS)), ': ', ...parts, ...more, ...others],
    limits.characters,
    false,
  )
}

function valueParts({ values, alike }: ValueCount): Quoted['parts'] {
  const parts = values.flatMap((value, index) => [
    index === 0 ? '' : ' or ',
    new Untrusted(cutWithEllipsis(value, VALUE_CHARACTERS)),
  ])
  return alike === true ? ['like ', ...parts] : parts
}

const ALSO = 2

function alsoNames(names: readonly string[]): string {
  const shown = names.slice(0, ALSO).map((name) => cutWithEllipsis(name, VALUE_CHARACTERS))
  return names.length > ALSO ? `${shown.join(', ')}, ${String(names.length - ALSO)} more` : shown.join(', ')
}

/** What the occurrence that is shown does not show anyway. */
const NOT_SHOWN = /^(?:context|extra|variable|message parameter|query) /

function sameLine({ same }: Variation): Quoted | undefined {
  const hidden = same.filter(({ name }) => NOT_SHOWN.test(name))
  const named = same.filter(({ name }) => !NOT_SHOWN.test(name) && !name.startsWith('breadcrumb '))
  const texts = [
    ...named.map(({ name }) => name),
    ...hidden.map(({ name, value }) => `${name}=${cutWithEllipsis(value, VALUE_CHARACTERS)}`),
  ]
  return restLine(texts)
}

/** What explains a crash when it is another value each time: without the rest, nothing else is worth a line. */
const EXPLAINS = /^(?:variable|error|caused by|breadcrumb) /

function distinctLine(
  { distinct }: Variation,
  { values: most, characters, rest }: VariationLimits,
): Quoted | undefined {
  const named = rest ? distinct : distinct.filter(({ name }) => EXPLAINS.test(name)).slice(0, 1)
  const texts = named.map(({ name, values }, index) => {
    const shown = values.slice(0, index < TELLING ? most : 1).map((value) => cutWithEllipsis(value, VALUE_CHARACTERS))
    const more = values.length - shown.length
    return `${name} like ${shown.join(', ')}${more > 0 && index < TELLING ? `, ${String(more)} more` : ''}`
  })
  return restLine(texts, characters)
}

/** As many of the texts as fit in a line, and how many do not. */
function restLine(texts: readonly string[], most = REST_CHARACTERS): Quoted | undefined {
  if (texts.length === 0) return undefined
  const lengths = texts.map((text) => text.length + 2)
  const fitting = lengths.filter(
    (_, index) => lengths.slice(0, index + 1).reduce((sum, length) => sum + length, 0) <= most,
  )
  const shown = texts.slice(0, Math.max(1, fitting.length)).join(', ')
  const left = texts.length - Math.max(1, fitting.length)
  const more = left > 0 ? `, and ${String(left)} more` : ''
  return new Quoted([new Untrusted(shown), more], most + 60, false)
}
