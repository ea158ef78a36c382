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

  async issueOf(grouping: Grouping): Promise<number> {
    const known = await findByHashes(grouping, (hash) => Promise.resolve(this.#issues.get(hash)))
    const issue = known ?? this.#next++
    await attachHashes(grouping, (hashes) => {
      const added = hashes.filter((hash) => !this.#issues.has(hash))
      for (const hash of added) this.#issues.set(hash, issue)
      return Promise.resolve(added)
    })
    return issue
  }
}
