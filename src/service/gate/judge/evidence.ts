import type * as z from 'zod'
import type { Evidence } from '../../../contract/quality-gate/verdict.ts'
import { identity } from '../facts.ts'
import type { CostedItem } from './items.ts'

/** Since when a verdict lists each item: condition id → identity of the item → epoch milliseconds. */
export type ListedSince = Readonly<Record<string, Readonly<Record<string, number>>>>

export type EvidenceBody = z.input<typeof Evidence>

/** The items that one condition listed in earlier verdicts. */
export interface EarlierItems {
  /** Of the previous verdict of the scope. */
  previous: Readonly<Record<string, number>>
  /** What `new` compares with: the baseline, else the previous verdict. */
  known: Readonly<Record<string, number>>
  /** Epoch milliseconds. */
  now: number
}

/** All items of a condition as evidence: new ones first, then the cheapest to fix, then by key (contract §7). */
export function listEvidence(items: readonly CostedItem[], { previous, known, now }: EarlierItems): EvidenceBody[] {
  return items
    .map(({ item, cost }) => ({ cost, id: identity(item), isNew: known[identity(item)] === undefined, item }))
    .toSorted(
      (a, b) =>
        Number(b.isNew) - Number(a.isNew) ||
        a.cost - b.cost ||
        inNumbers.compare(a.item.key, b.item.key) ||
        compareText(a.id, b.id),
    )
    .map(({ item, id, isNew }) => ({ ...item, since: new Date(previous[id] ?? now).toISOString(), new: isNew }))
}

/** Since when the items of a condition are listed, for the next verdict. */
export function listSince(evidence: readonly EvidenceBody[]): Record<string, number> {
  return Object.fromEntries(evidence.map((item) => [identity(item), Date.parse(item.since ?? '')]))
}

/** REQ-2 before REQ-10. */
const inNumbers = new Intl.Collator('en', { numeric: true })

/** By code units: the same order on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
