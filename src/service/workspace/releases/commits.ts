/** Characters of the shortest abbreviation that names a commit. */
const SHORTEST = 7

/** Whether two hashes name the same commit. Case is ignored, and either hash may be abbreviated. */
export function isSameCommit(left: string, right: string): boolean {
  const [short, long] = [left.toLowerCase(), right.toLowerCase()].toSorted((one, other) => one.length - other.length)
  return short !== undefined && short.length >= SHORTEST && long?.startsWith(short) === true
}

/** The range of stored lower-case hashes that `isSameCommit` can hold for, from `from` and below `below`. */
export function commitRange(commit: string): { from: string; below: string } {
  const from = commit.slice(0, SHORTEST).toLowerCase()
  return { from, below: `${from}g` }
}
