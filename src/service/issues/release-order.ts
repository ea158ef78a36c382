import { compare, parse } from 'semver'

/** What the order of two releases of one environment rests on. */
export interface OrderedRelease {
  id: string
  version: string
  released_at: number | null
  created_at: number
}

/**
 * Order of releases of one environment (CONTRACT §6, `sequence`): by `released_at` where both have one, then by semantic
 * version when both parse, then by creation. Negative when `left` is the older.
 */
export function compareReleases(left: OrderedRelease, right: OrderedRelease): number {
  if (left.released_at !== null && right.released_at !== null && left.released_at !== right.released_at) {
    return left.released_at - right.released_at
  }
  const [leftVersion, rightVersion] = [semanticVersion(left.version), semanticVersion(right.version)]
  if (leftVersion !== null && rightVersion !== null) {
    const order = compare(leftVersion, rightVersion)
    if (order !== 0) return order
  }
  return left.created_at - right.created_at || (left.id < right.id ? -1 : left.id > right.id ? 1 : 0)
}

/** SDKs write releases as `package@version` as well. */
function semanticVersion(version: string) {
  return parse(version.slice(version.lastIndexOf('@') + 1), { loose: true })
}
