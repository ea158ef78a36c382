import type { InputOf } from '../../../contract/index.ts'
import { ruleCriterion } from '../criterion.ts'
import { findingsOn } from '../findings.ts'
import { readDemand, type Surroundings } from '../read/patterns/statement.ts'
import type { Candidate } from '../types.ts'

export type Item = NonNullable<InputOf<'distillIntent'>['items']>[number]

/** Items, which are requirements already, as candidates (contract §9.4). */
export function itemCandidates(items: readonly Item[], priority: Candidate['priority']): Candidate[] {
  return items.map((item, index) => itemCandidate(item, index + 1, priority))
}

function itemCandidate(item: Item, ordinal: number, priority: Candidate['priority']): Candidate {
  const { title, statement = '', criteria = [] } = item
  const drafted = criteria.map(ruleCriterion)
  const said = statement === '' ? title : statement
  return {
    ordinal,
    title,
    statement,
    criteria: drafted,
    pattern: 'PATTERN_ITEM',
    modality: itemModality(said),
    kind: 'REQUIREMENT_KIND_FUNCTIONAL',
    priority: item.priority ?? priority,
    confidence: 1,
    tags: [],
    keys: item.requirement_key === undefined ? [] : [item.requirement_key.trim().toUpperCase()],
    retires: item.retire ?? false,
    headings: [],
    source: { document: -1, lineStart: 0, lineEnd: 0, quote: said },
    lint: findingsOn(title, statement, drafted),
  }
}

/** The modality of an item; most are short imperatives, which demand. */
function itemModality(text: string): Candidate['modality'] {
  return readDemand(text, listed)?.modality ?? 'MODALITY_MUST'
}

/** An item counts as part of a list of what is wanted. */
const listed: Surroundings = {
  isWanted: true,
  isDecided: true,
  isUpperOnly: false,
  isBackground: false,
  includeInformative: false,
  modality: undefined,
}
