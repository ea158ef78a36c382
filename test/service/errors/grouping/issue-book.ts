import type { Grouping } from '../../../../src/service/errors/grouping/index.ts'
import { attachHashes, findByHashes } from '../../../../src/service/errors/grouping/lookup.ts'

/** Numbers the issues of events by the rule of the store, first writer wins. */
export class IssueBook {
  readonly #issues = new Map<string, number>()
  #next = 0

  /** Hashes that lead somewhere. */
  get size(): number {
    return this.#issues.size
  }

  issueOf(grouping: Grouping): number {
    const issue = findByHashes(grouping, (hash) => this.#issues.get(hash)) ?? this.#next++
    attachHashes(grouping, (hash) => {
      if (this.#issues.has(hash)) return false
      this.#issues.set(hash, issue)
      return true
    })
    return issue
  }
}
