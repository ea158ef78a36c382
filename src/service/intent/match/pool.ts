import { conceptsIn, readStatement, type ReadStatement } from '../../quality/requirements/similarity/index.ts'
import type { Known } from './decision.ts'

/** How many requirements that share words with a statement are compared with it in full. */
const COMPARED = 40

export interface Entry {
  known: Known
  read: ReadStatement
  /** The weights of its words. */
  total: number
}

/** The requirements that candidates are compared with, found by their words. */
export interface Pool {
  add(known: Known): void
  /** Those that share the most words with the statement, the closest first. */
  nearest(read: ReadStatement): Entry[]
  /** By its key, such as `REQ-12`. */
  find(key: string): Entry | undefined
  /** All keys, in the order in which they were added. */
  keys(): string[]
}

export function createPool(): Pool {
  const byConcept = new Map<string, Entry[]>()
  const byKey = new Map<string, Entry>()
  return {
    add(known) {
      const read = readStatement(known)
      const concepts = conceptsIn(read)
      const entry = { known, read, total: total(concepts) }
      if (known.key !== '') byKey.set(known.key, entry)
      if (known.isGroup) return
      for (const concept of concepts.keys()) {
        const entries = byConcept.get(concept)
        if (entries === undefined) byConcept.set(concept, [entry])
        else entries.push(entry)
      }
    },
    nearest(read) {
      const concepts = conceptsIn(read)
      const common = new Map<Entry, number>()
      for (const [concept, weight] of concepts) {
        for (const entry of byConcept.get(concept) ?? []) common.set(entry, (common.get(entry) ?? 0) + weight)
      }
      const own = total(concepts)
      return Array.from(common, ([entry, shared]) => ({ entry, share: shared / (entry.total + own - shared) }))
        .sort((one, other) => other.share - one.share)
        .slice(0, COMPARED)
        .map(({ entry }) => entry)
    },
    find: (key) => byKey.get(key),
    keys: () => [...byKey.keys()],
  }
}

function total(concepts: ReadonlyMap<string, number>): number {
  return [...concepts.values()].reduce((sum, weight) => sum + weight, 0)
}
