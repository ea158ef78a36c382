import type { Code } from './read.ts'

/** Candidates shown of one issue. */
const MOST_SHOWN = 5

interface Compared {
  id: string
  number: number
  /** Of the exception; '' for a message. */
  type: string
}

/**
 * Finds issues that have the type of exception of another and nearly its nearest frames: a Jaccard index of at least 0.8
 * (contract §8). Of two sets with at most three frames only equal ones reach that, so that equal sets share a bucket, and
 * no issue is compared with all others.
 */
export function createDuplicates<I extends Compared>(
  issues: readonly I[],
  code: ReadonlyMap<string, Code>,
): (issue: I) => I[] {
  const key = ({ id, type }: I) => {
    const frames = code.get(id)?.frames ?? []
    return type === '' || frames.length === 0 ? undefined : JSON.stringify([type, ...frames.toSorted()])
  }
  const ordered = issues.toSorted((left, right) => left.number - right.number)
  const buckets = Map.groupBy(ordered, key)
  return (issue) => {
    const own = key(issue)
    if (own === undefined) return []
    const first = (buckets.get(own) ?? []).slice(0, MOST_SHOWN + 1)
    return first.filter(({ id }) => id !== issue.id).slice(0, MOST_SHOWN)
  }
}
