import { Untrusted } from '../../contract/base/text.ts'
import { Quoted } from '../text/untrusted.ts'
import { crumbText, readFacts, weigh, type ComparedEvent } from './facts.ts'
import { openEvent } from './open.ts'
import { findTemplates } from './templates.ts'
import { compareOccurrences, type Variation, type Varying } from './vary.ts'

export { spread } from './spread.ts'

export interface VariationLimits {
  /** What varies, and what is the same. */
  lines: number
  same: number
  /** Values named of each. */
  values: number
}

export interface DescribedVariation {
  varies: Quoted[]
  same: Quoted[]
  /** Names with another value in nearly every occurrence, such as ids. */
  distinct: Quoted | undefined
  /** How many of each there are. */
  totals: { varies: number; same: number }
}

const LINE_CHARACTERS = 220
const VALUE_CHARACTERS = 60

/**
 * What differs between occurrences and what they have in common, a line for each, the most telling first: for every value
 * the number of occurrences and the id of one of them where it is not the usual value.
 */
export function describeVariation(events: readonly object[], limits: VariationLimits): DescribedVariation {
  const opened = events.map((event) => openEvent(event) as ComparedEvent)
  const template = findTemplates(opened.flatMap(({ breadcrumbs = [] }) => breadcrumbs.map(crumbText)))
  const occurrences = opened.map((event) => ({ id: event.id, facts: readFacts(event, template) }))
  const variation = compareOccurrences(occurrences, weigh)
  return {
    varies: variation.varies.slice(0, limits.lines).map((varying) => varyingLine(varying, limits.values)),
    same: sameLines(variation, limits.same),
    distinct: distinctLine(variation),
    totals: { varies: variation.varies.length, same: variation.same.length },
  }
}

function varyingLine({ names, values, without, byShape }: Varying, most: number): Quoted {
  const shown = values.slice(0, most)
  const rest = values.length - shown.length
  const parts = shown.flatMap(({ value, count, example }, index) => [
    index === 0 ? '' : ', ',
    byShape === true ? 'like ' : '',
    new Untrusted(value.slice(0, VALUE_CHARACTERS)),
    // The usual value needs no example.
    index === 0 ? ` (${String(count)})` : ` (${String(count)}, ${example})`,
  ])
  const end = [rest > 0 ? `, ${String(rest)} more` : '', without > 0 ? `, none (${String(without)})` : '']
  return new Quoted([new Untrusted(names.slice(0, 2).join(' = ')), ': ', ...parts, ...end], LINE_CHARACTERS, false)
}

function sameLines({ same }: Variation, most: number): Quoted[] {
  const wanted = same.toSorted((one, other) => weigh(other.name) - weigh(one.name)).slice(0, most)
  return wanted.map(
    ({ name, value }) =>
      new Quoted([new Untrusted(name), ': ', new Untrusted(value.slice(0, VALUE_CHARACTERS))], LINE_CHARACTERS, false),
  )
}

function distinctLine({ distinct }: Variation): Quoted | undefined {
  if (distinct.length === 0) return undefined
  const names = distinct.map(({ name, example }) => `${name} like ${example.slice(0, VALUE_CHARACTERS)}`)
  return new Quoted([new Untrusted(names.join(', '))], LINE_CHARACTERS, false)
}
