import { isSameData, type ComparedEvent } from '../../../src/mcp/variation/index.ts'
import { Quoted, textMatching } from '../../../src/mcp/text/untrusted.ts'

type Value = NonNullable<NonNullable<ComparedEvent['tags']>[number]['value']>

/** Tags named for each occurrence; those that divide the occurrences into the fewest parts tell most. */
const MOST = 3
const PLAIN_KEY = /^[\w.-]{1,40}$/
/** Members of their own in every list. */
const ELSEWHERE: ReadonlySet<string> = new Set(['environment', 'release', 'level'])

/** By occurrence, `browser=Chrome, region=eu`: the tags whose values differ between these occurrences. */
export function varyingTags(events: readonly (ComparedEvent | undefined)[]): (Quoted | undefined)[] {
  const byEvent = events.map(tagsByKey)
  const keys = new Set(byEvent.flatMap((tags) => [...tags.keys()]))
  const varying = Array.from(keys, (key) => ({ key, parts: countParts(byEvent.map((tags) => tags.get(key))) }))
    .filter(({ parts }) => parts > 1)
    .toSorted((one, other) => one.parts - other.parts)
    .slice(0, MOST)
  return byEvent.map((tags) => {
    const shown = varying.flatMap(({ key }) => {
      const value = tags.get(key)
      return value === undefined ? [] : [', ', key, '=', value]
    })
    return shown.length === 0 ? undefined : new Quoted(shown.slice(1), 120, false)
  })
}

function tagsByKey(event: ComparedEvent | undefined): ReadonlyMap<string, Value> {
  const tags = new Map<string, Value>()
  for (const { key, value } of event?.tags ?? []) {
    const name = textMatching(key, PLAIN_KEY)
    if (name !== undefined && value !== undefined && !ELSEWHERE.has(name)) tags.set(name, value)
  }
  return tags
}

/** The number of different values; a missing value counts as one. */
function countParts(values: readonly (Value | undefined)[]): number {
  const seen: (Value | undefined)[] = []
  for (const value of values) {
    if (!seen.some((other) => isSameData(other, value))) seen.push(value)
  }
  return seen.length
}
