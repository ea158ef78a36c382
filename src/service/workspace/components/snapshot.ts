import { CompiledQuery, sql, type Expression, type RawBuilder } from 'kysely'
import type { Prepare, Rows } from '../../sql/database.ts'

/** The paths of a product's repository that members provided (contract §10.5). */
export interface Snapshot {
  /** Whether there are any. Without them nothing can be said about a path. */
  known: boolean
  /** Those of the given paths that members provided. */
  has(paths: readonly string[]): Promise<Set<string>>
}

/**
 * The files of a product's repository that members provided: the sources of its READY source maps, the files named by
 * code references of requirements, and the working tree of the last prepared test context. Only these exact paths
 * count; nothing else that a member wrote, such as a glob, vouches for a file.
 */
export async function readSnapshot(rows: Rows, productId: number): Promise<Snapshot> {
  const any = await sql<{ path: string }>`${givenPaths(productId, sql`1 = 1`)} LIMIT 1`.execute(rows)
  const known = any.rows.length > 0
  return {
    known,
    has: (paths) => (known ? knownPaths(rows, productId, paths) : Promise.resolve(new Set())),
  }
}

/** Those of the given paths that members provided. */
export async function knownPaths(rows: Rows, productId: number, paths: readonly string[]): Promise<Set<string>> {
  if (paths.length === 0) return new Set()
  const given = await givenPaths(productId, rows.dialect.isOneOf('path', paths)).execute(rows)
  return new Set(given.rows.map(({ path }) => path))
}

/** Paths with one base name that are compared with a frame; of a name that more files have nothing is said. */
const MOST_NAMED = 500
/** Names of one event that are looked up (decision 011); files with other names keep the path that their frame has. */
const MOST_NAMES = 100

/**
 * A source is in every upload of its build, so the recursion goes from one path to the next instead of reading them all:
 * 1,000 uploads with 200 files of one name took 0.3 s, and take 2 ms.
 */
const NAMED = `
  WITH RECURSIVE source (path, number) AS (
    SELECT min(path), 1 FROM sourcemap_source WHERE product_id = ?1 AND base_name = ?2
    UNION ALL
    SELECT (SELECT min(next.path) FROM sourcemap_source AS next
            WHERE next.product_id = ?1 AND next.base_name = ?2 AND next.path > source.path), number + 1
    FROM source WHERE source.path IS NOT NULL AND number < ${MOST_NAMED})
  SELECT path FROM source WHERE EXISTS (
    SELECT 1 FROM sourcemap_source AS given JOIN sourcemap ON sourcemap.id = given.sourcemap_id
    WHERE given.product_id = ?1 AND given.path = source.path AND sourcemap.state = 'SOURCEMAP_STATE_READY')
  UNION SELECT prefix FROM requirement_path WHERE product_id = ?1 AND base_name = ?2 AND is_literal = 1
  UNION SELECT path FROM repository_path WHERE product_id = ?1 AND base_name = ?2
  LIMIT ${MOST_NAMED}`

/** Of a cut list the best could be missing. */
function whole(rows: readonly { path: string }[]): string[] {
  return rows.length < MOST_NAMED - 1 ? rows.map(({ path }) => path) : []
}

/** The given paths with a base name, in any case; none for a name that was not looked up. */
export type NamedPaths = (baseName: string) => readonly string[]

/** Looks up the known paths of the first 100 names; the others have none. */
export function readNamedPaths(rows: Rows, productId: number, baseNames: Iterable<string>): Promise<NamedPaths> {
  return namedPaths(baseNames, async (name) => {
    const found = await rows.executeQuery(CompiledQuery.raw(NAMED, [productId, name]))
    return found.rows as { path: string }[]
  })
}

/** The same inside the caller's transaction. */
export function namedPathsIn(prepare: Prepare, productId: number, baseNames: Iterable<string>): Promise<NamedPaths> {
  const statement = prepare(NAMED)
  return namedPaths(baseNames, (name) => statement.all<{ path: string }>(productId, name))
}

async function namedPaths(
  baseNames: Iterable<string>,
  read: (name: string) => Promise<{ path: string }[]>,
): Promise<NamedPaths> {
  const names = [...new Set(baseNames)].slice(0, MOST_NAMES)
  const found = new Map(
    await Promise.all(names.map(async (name) => [name, whole(await read(smallLetters(name)))] as const)),
  )
  return (baseName) => found.get(baseName) ?? []
}

/** ASCII letters alone: that is how the indices of names fold them. */
function smallLetters(name: string): string {
  return name.replaceAll(/[A-Z]+/g, (capitals) => capitals.toLowerCase())
}

function givenPaths(productId: number, isAsked: Expression<unknown>): RawBuilder<{ path: string }> {
  return sql<{ path: string }>`
    SELECT path FROM sourcemap_source JOIN sourcemap ON sourcemap.id = sourcemap_id
    WHERE sourcemap_source.product_id = ${productId} AND sourcemap.state = 'SOURCEMAP_STATE_READY' AND ${isAsked}
    UNION ALL
    SELECT path FROM (SELECT product_id, prefix AS path FROM requirement_path WHERE is_literal = 1) AS literal
    WHERE product_id = ${productId} AND ${isAsked}
    UNION ALL
    SELECT path FROM repository_path WHERE product_id = ${productId} AND ${isAsked}`
}
