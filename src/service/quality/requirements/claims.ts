import { compileGlob } from '../../workspace/components/glob.ts'
import type { Rows } from '../../sql/database.ts'
import { enclosingPrefixes } from './match.ts'

/** The ids of the requirements whose code references match a path. */
export type FindClaims = (path: string) => readonly string[]

/** Differs after every committed change of the files that requirements of a product claim. */
export async function claimsRevision(rows: Rows, productId: number): Promise<number> {
  const product = await rows
    .selectFrom('product')
    .select('tree_revision')
    .where('id', '=', productId)
    .executeTakeFirstOrThrow()
  return product.tree_revision
}

/**
 * Looks up the requirements of a product by many files that they claim (contract §3): all code references are read, and
 * each path is matched once.
 */
export async function readClaims(rows: Rows, productId: number): Promise<FindClaims> {
  const claimed = await rows
    .selectFrom('requirement_path')
    .select(['prefix', 'requirement_id', 'glob'])
    .where('product_id', '=', productId)
    .execute()
  const byPrefix = Map.groupBy(claimed, ({ prefix }): string => prefix)
  const known = new Map<string, readonly string[]>()
  return (path) => {
    const found = known.get(path)
    if (found !== undefined) return found
    const starting = enclosingPrefixes(path).flatMap((prefix) => byPrefix.get(prefix) ?? [])
    const matching = starting.filter(({ glob }) => compileGlob(glob)(path))
    const ids = [...new Set(matching.map((one) => one.requirement_id))]
    known.set(path, ids)
    return ids
  }
}
