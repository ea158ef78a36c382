import { isDeepStrictEqual } from 'node:util'
import type { Clash, Settled, Settler, Subject } from './settle.ts'
import { meaning, positioned, stepTexts, strategyFor, type Entries } from './strategies.ts'
import { mergeLists, mergeOrder, mergeTexts } from './text.ts'
import type { FieldOutcome, ResolutionName, Sides } from './types.ts'
import { readMemberValue } from './values.ts'
import { isObject } from '../../../lib/objects.ts'
import * as words from './words.ts'

interface Member {
  subject: Subject
  name: string
  /** Ask about every difference from main, because the change contradicts the main tree. */
  needsDecision: boolean
}

type Settle = (clash: Omit<Clash, 'readValue' | 'message'> & { message?: string }) => Settled

/** Merges one member of a requirement or test; what cannot be merged is settled as a conflict. */
export function mergeMember(settler: Settler, { subject, name, needsDecision }: Member, sides: Sides): FieldOutcome {
  const open = settler.unresolved.length
  const settle: Settle = (clash) => {
    return settler.settle(subject, {
      ...clash,
      message: clash.message ?? words.bothChanged(subject.key, clash),
      readValue: (value) => readMemberValue(subject.entityType, clash.field, value),
    })
  }
  const merged = needsDecision ? decide(settle, subject, name, sides) : merge(settle, name, sides)
  return {
    field: name,
    ...sides,
    merged,
    resolution: settler.unresolved.length > open ? 'FIELD_RESOLUTION_CONFLICT' : origin(name, sides, merged),
  }
}

/** Whether a member has the same meaning on two sides. */
export function isSame(name: string, one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other) || meaning(name, one) === meaning(name, other)
}

function origin(name: string, { main, branch }: Sides, merged: unknown): FieldOutcome['resolution'] {
  if (isSame(name, merged, main)) return 'FIELD_RESOLUTION_MAIN'
  return isSame(name, merged, branch) ? 'FIELD_RESOLUTION_BRANCH' : 'FIELD_RESOLUTION_MERGED'
}

function merge(settle: Settle, name: string, sides: Sides): unknown {
  const { base, main, branch } = sides
  if (isSame(name, main, branch) || isSame(name, base, branch)) return main
  if (isSame(name, base, main)) return branch
  const strategy = strategyFor(name)
  switch (strategy.by) {
    case 'text':
      return mergeText(settle, name, sides)
    case 'entries':
      return mergeEntries(settle, name, sides, strategy)
    case 'steps':
      return mergeSteps(settle, name, sides)
    case 'place':
    case 'whole':
      return settle({ type: 'CONFLICT_TYPE_FIELD', field: name, ...sides, suggested: preferred(name) }).value
  }
}

/** The place of main is always possible; that of the branch may be below the requirement itself by now. */
function preferred(name: string): ResolutionName {
  return name === 'parent_id' ? 'RESOLUTION_USE_MAIN' : 'RESOLUTION_USE_BRANCH'
}

/** A change that contradicts main is never merged without an answer, even where only the branch changed the member. */
function decide(settle: Settle, subject: Subject, name: string, sides: Sides): unknown {
  const { base, main, branch } = sides
  if (isSame(name, main, branch) || isSame(name, base, branch)) return main
  const both = !isSame(name, base, main)
  const merged = both ? merge(asSuggested, name, sides) : branch
  return settle({
    type: 'CONFLICT_TYPE_DECISION',
    field: name,
    ...sides,
    suggested: isSame(name, merged, branch) ? 'RESOLUTION_USE_BRANCH' : 'RESOLUTION_USE_VALUE',
    suggestedValue: merged,
    message: words.decision(subject.key, name, both),
  }).value
}

const asSuggested: Settle = ({ suggested, suggestedValue, main, branch }) => {
  const values = { RESOLUTION_USE_MAIN: main, RESOLUTION_USE_BRANCH: branch, RESOLUTION_USE_VALUE: suggestedValue }
  return { choice: suggested, value: values[suggested], isResolved: true }
}

function mergeText(settle: Settle, name: string, sides: Sides): unknown {
  const { base, main, branch } = sides
  const { text, overlaps } = mergeTexts({ base: asText(base), main: asText(main), branch: asText(branch) })
  if (!overlaps) return text
  const suggested = { suggested: 'RESOLUTION_USE_VALUE', suggestedValue: text } as const
  return settle({ type: 'CONFLICT_TYPE_TEXT', field: name, ...sides, ...suggested }).value
}

function mergeSteps(settle: Settle, name: string, sides: Sides): unknown {
  const merged = mergeLists(stepTexts(sides.base), stepTexts(sides.main), stepTexts(sides.branch))
  if (merged !== undefined) return positioned(merged.map((step) => JSON.parse(step) as unknown))
  return settle({ type: 'CONFLICT_TYPE_FIELD', field: name, ...sides, suggested: 'RESOLUTION_USE_BRANCH' }).value
}

function mergeEntries(settle: Settle, name: string, sides: Sides, entries: Entries): unknown {
  const [base, main, branch] = [entries.split(sides.base), entries.split(sides.main), entries.split(sides.branch)]
  const merged = new Map<string, unknown>()
  for (const key of mergeOrder([...base.keys()], [...main.keys()], [...branch.keys()])) {
    const three = { base: base.get(key), main: main.get(key), branch: branch.get(key) }
    const entry = mergeEntry(settle, `${name}.${key}`, three)
    if (entry !== undefined && entry !== null) merged.set(key, entry)
  }
  return entries.join(merged)
}

/** Merges one entry of a list or map; undefined where the entry does not exist. */
function mergeEntry(settle: Settle, field: string, sides: Sides): unknown {
  const { base, main, branch } = sides
  if (isDeepStrictEqual(main, branch) || isDeepStrictEqual(base, branch)) return main
  if (isDeepStrictEqual(base, main)) return branch
  const merged = mergeParts(sides)
  if (merged !== undefined && !merged.overlaps) return merged.value
  if (merged !== undefined) {
    const suggested = { suggested: 'RESOLUTION_USE_VALUE', suggestedValue: merged.value } as const
    return settle({ type: 'CONFLICT_TYPE_TEXT', field, ...sides, ...suggested }).value
  }
  // What one side deleted and the other changed is kept, as long as no one decides otherwise.
  const suggested = branch === undefined ? 'RESOLUTION_USE_MAIN' : 'RESOLUTION_USE_BRANCH'
  return settle({ type: 'CONFLICT_TYPE_FIELD', field, ...sides, suggested }).value
}

/** Merges a criterion text by text; undefined if a part that is no text differs, or if one side lacks the entry. */
function mergeParts({ base, main, branch }: Sides): { value: unknown; overlaps: boolean } | undefined {
  if (!isObject(base) || !isObject(main) || !isObject(branch) || base['kind'] === undefined) return undefined
  let overlaps = false
  const parts: Record<string, unknown> = {}
  for (const [part, its] of Object.entries(base)) {
    const [ours, theirs] = [main[part], branch[part]]
    if (ours === theirs || its === theirs) parts[part] = ours
    else if (its === ours) parts[part] = theirs
    else if (part === 'kind') return undefined
    else {
      const merged = mergeTexts({ base: asText(its), main: asText(ours), branch: asText(theirs) })
      overlaps ||= merged.overlaps
      parts[part] = merged.text
    }
  }
  return { value: parts, overlaps }
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
